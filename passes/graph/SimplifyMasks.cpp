// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks of attention have one form: a choice by comparisons of indices, where a
// constant hides a triangle, or all but a band around the diagonal. They are
// not read from memory then, and --sched-skip-masked knows what they hide.
#include "passes/IndexMasks.h"
#include "passes/graph/Elements.h"
#include "passes/graph/Precision.h"
#include "passes/graph/Simplify.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// A mask adds this or less to what it hides.
static constexpr double kHides = -1e30;

namespace {

/// Elements of a tensor by two of its dimensions, `row` before `column`: those
/// with `low` <= index of the column - index of the row <= `high` are seen.
struct Band {
  int64_t row, column;
  std::optional<int64_t> low, high;
  /// Of the others.
  double hidden = 0;

  bool contains(int64_t i, int64_t j) const {
    return (!low || j - i >= *low) && (!high || j - i <= *high);
  }
};

/// Two dimensions of a constant, a row at a time.
class ConstantPlane {
public:
  static std::optional<ConstantPlane> of(Value value);

  int64_t row, column, rows, columns;
  /// Elements as floats, or as integers.
  const Column &read(int64_t i) {
    access.read(data.bytes.data() + (begin + i * rowStride) * access.size(),
                columnStride, size_t(columns), elements, 0);
    return elements;
  }

private:
  explicit ConstantPlane(const ConstantData &data)
      : data(data), access(data.type.getElementType()) {}

  ConstantData data;
  ElementAccess access;
  int64_t begin = 0, rowStride = 0, columnStride = 0;
  Column elements;
};

} // namespace

/// Nothing if the elements of `value` are not known, or differ along another
/// number of dimensions.
std::optional<ConstantPlane> ConstantPlane::of(Value value) {
  std::optional<ConstantData> data = getFixedData(value);
  if (!data)
    return std::nullopt;
  ConstantPlane plane(*data);
  SmallVector<std::pair<int64_t, int64_t>> strides; // by dimensions of `value`
  int64_t stride = 1;
  for (int64_t d = data->type.getRank() - 1; d >= 0; --d) {
    AffineExpr expr = data->map.getResult(unsigned(d));
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      plane.begin += constant.getValue() * stride;
    else if (auto dim = dyn_cast<AffineDimExpr>(expr);
             dim && getTensorType(value).getDimSize(dim.getPosition()) > 1)
      strides.push_back({dim.getPosition(), stride});
    else if (!dim)
      return std::nullopt;
    stride *= data->type.getDimSize(d);
  }
  // Of few elements, indices are constants, too.
  if (strides.size() != 2 ||
      data->type.getNumElements() <= ConstantOp::kMaxElements)
    return std::nullopt;
  llvm::sort(strides);
  std::tie(plane.row, plane.rowStride) = strides[0];
  std::tie(plane.column, plane.columnStride) = strides[1];
  plane.rows = getTensorType(value).getDimSize(plane.row);
  plane.columns = getTensorType(value).getDimSize(plane.column);
  plane.elements.isFloat = isa<FloatType>(data->type.getElementType());
  plane.elements.resize(size_t(plane.columns));
  return plane;
}

/// The band of elements of `value` that `isSeen(row's elements, j)` tells from
/// others; nothing if they are no band, or are all.
static std::optional<Band> findBand(
    ConstantPlane &plane,
    llvm::function_ref<std::optional<bool>(const Column &, size_t)> isSeen) {
  Band band{plane.row, plane.column, {}, {}};
  SmallVector<std::pair<int64_t, int64_t>> seen;
  for (int64_t i = 0; i < plane.rows; ++i) {
    const Column &elements = plane.read(i);
    int64_t first = plane.columns, last = -1;
    for (int64_t j = 0; j < plane.columns; ++j) {
      std::optional<bool> here = isSeen(elements, size_t(j));
      if (!here || (*here && last >= 0 && last != j - 1))
        return std::nullopt;
      if (*here) {
        first = std::min(first, j);
        last = j;
      }
    }
    seen.push_back({first, last});
    if (last < 0)
      continue;
    if (first > 0)
      band.low = first - i;
    if (last < plane.columns - 1)
      band.high = last - i;
  }
  if (!band.low && !band.high)
    return std::nullopt;
  for (auto [i, ends] : llvm::enumerate(seen)) {
    const int64_t row = int64_t(i);
    const int64_t first = std::max<int64_t>(0, band.low ? row + *band.low : 0);
    const int64_t last = std::min<int64_t>(
        plane.columns - 1, band.high ? row + *band.high : plane.columns - 1);
    if (first > last ? ends.second >= 0 : ends != std::pair(first, last))
      return std::nullopt;
  }
  return band;
}

/// A band of ones, or of zeros where they are what is `seen`.
static std::optional<Band> findBand(Value condition, bool seen) {
  std::optional<ConstantPlane> plane = ConstantPlane::of(condition);
  if (!plane)
    return std::nullopt;
  return findBand(*plane, [&](const Column &elements, size_t j) {
    return std::optional((elements.ints[j] != 0) == seen);
  });
}

/// The band of zeros, where all other elements are one number that hides.
static std::optional<Band> findAddedBand(Value mask) {
  std::optional<ConstantPlane> plane = ConstantPlane::of(mask);
  if (!plane)
    return std::nullopt;
  double hidden = 0;
  std::optional<Band> band =
      findBand(*plane, [&](const Column &elements, size_t j) {
        const double element = elements.floats[j];
        if (element == 0)
          return std::optional(true);
        if (!(element <= kHides) || (hidden != 0 && element != hidden))
          return std::optional<bool>();
        hidden = element;
        return std::optional(false);
      });
  if (band)
    band->hidden = hidden;
  return band;
}

/// Where the elements of `band` are, in a tensor of `shape`.
static Value makeCondition(const Band &band, ArrayRef<int64_t> shape,
                           TensorBuilder &b) {
  auto type = RankedTensorType::get({shape[band.row], shape[band.column]},
                                    b.builder.getI32Type());
  Value column = b.iota(type, 1), row = b.iota(type, 0), condition;
  auto require = [&](CmpPredicate predicate, std::optional<int64_t> distance) {
    if (!distance)
      return;
    Value bound = *distance == 0 ? row : b.add(row, double(*distance));
    Value holds = b.compare(predicate, column, bound);
    condition = condition ? b.binary<AndOp>(condition, holds) : holds;
  };
  require(CmpPredicate::le, band.high);
  require(CmpPredicate::ge, band.low);
  return b.broadcast(condition, shape, {band.row, band.column});
}

namespace {
/// An index is in its range: what follows from that alone is no comparison.
struct DecidedComparison : public OpRewritePattern<CmpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CmpOp op,
                                PatternRewriter &rewriter) const override {
    auto iota = op.getLhs().getDefiningOp<IotaOp>();
    std::optional<int64_t> bound = getUniformInteger(op.getRhs());
    if (!iota || !bound ||
        !isa<IntegerType>(getTensorType(iota).getElementType()) ||
        getTensorType(iota).getNumElements() == 0)
      return failure();
    const int64_t last = getTensorType(iota).getDimSize(iota.getAxis()) - 1;
    if (getTensorType(iota).getElementTypeBitWidth() < 32)
      return failure();
    std::optional<bool> holds;
    using P = CmpPredicate;
    switch (op.getPredicate()) {
    case P::lt:
    case P::ge:
      if (last < *bound || *bound <= 0)
        holds = (last < *bound) == (op.getPredicate() == P::lt);
      break;
    case P::le:
    case P::gt:
      if (last <= *bound || *bound < 0)
        holds = (last <= *bound) == (op.getPredicate() == P::le);
      break;
    default:
      break;
    }
    if (!holds)
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, b.splat(*holds, getTensorType(op)));
    return success();
  }
};

/// and(c, true) = c.
struct AndTrue : public OpRewritePattern<AndOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AndOp op,
                                PatternRewriter &rewriter) const override {
    if (!getTensorType(op).getElementType().isInteger(1))
      return failure();
    for (unsigned side : {0, 1})
      if (getUniformInteger(op->getOperand(side)) == 1) {
        rewriter.replaceOp(op, op->getOperand(1 - side));
        return success();
      }
    return failure();
  }
};

/// A constant condition of a choice between floats compares indices.
struct BandOfCondition : public OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    auto type = getTensorType(op);
    if (!isa<FloatType>(type.getElementType()))
      return failure();
    Value seen = op.getLhs(), hidden = op.getRhs();
    std::optional<Band> band = findBand(op.getCondition(), true);
    if (!band) {
      std::swap(seen, hidden);
      band = findBand(op.getCondition(), false);
    }
    if (!band)
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(
        op, b.select(makeCondition(*band, type.getShape(), b), seen, hidden));
    return success();
  }
};

/// x + mask = select(what the mask leaves, x, what it adds elsewhere).
struct ChooseMasked : public OpRewritePattern<AddOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    auto type = getTensorType(op);
    if (!isa<FloatType>(type.getElementType()))
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    for (unsigned side : {1, 0}) {
      Value mask = op->getOperand(side), other = op->getOperand(1 - side);
      Value condition, hidden;
      if (hasConstantData(other))
        continue;
      if (std::optional<Band> band = findAddedBand(mask)) {
        if (isPrecise(op))
          return refuse(op, rewriter);
        condition = makeCondition(*band, type.getShape(), b);
        hidden = b.splat(band->hidden, type);
      } else if (succeeded(readChoice(mask, type, b, condition, hidden))) {
        if (isPrecise(op))
          return refuse(op, rewriter);
      } else {
        continue;
      }
      rewriter.replaceOp(op, b.select(condition, other, hidden));
      return success();
    }
    return failure();
  }

  static LogicalResult refuse(AddOp op, PatternRewriter &rewriter) {
    return rewriter.notifyMatchFailure(
        op, "the sum with a mask is to round as it is written");
  }

  /// `mask` as select(condition, 0, hidden), of `type`.
  static LogicalResult readChoice(Value mask, RankedTensorType type,
                                  TensorBuilder &b, Value &condition,
                                  Value &hidden) {
    auto broadcast = mask.getDefiningOp<BroadcastOp>();
    auto select =
        (broadcast ? broadcast.getOperand() : mask).getDefiningOp<SelectOp>();
    if (!select || !isIndexMask(select.getCondition()))
      return failure();
    std::optional<double> seen = getUniformFloat(select.getLhs()),
                          masked = getUniformFloat(select.getRhs());
    if (!seen || !masked || *seen != 0 || !(*masked <= kHides))
      return failure();
    condition = select.getCondition();
    if (broadcast)
      condition = b.broadcast(condition, type.getShape(), broadcast.getDims());
    hidden = b.splat(*masked, type);
    return success();
  }
};
} // namespace

void fusec::fuse::populateSimplifyMasks(RuleSet &rules) {
  rules.add<DecidedComparison>(
      {"masks.decided", RuleArea::Compute, /*level=*/1, Bits::Kept,
       "Answers the comparison of an index with what it never reaches."});
  rules.add<AndTrue>({"masks.and-true", RuleArea::Compute, /*level=*/1,
                      Bits::Kept, "Drops a condition that always holds."});
  rules.add<BandOfCondition>(
      {"masks.bands", RuleArea::Compute, /*level=*/2, Bits::Kept,
       "Compares indices in place of a constant mask that is a triangle, or a "
       "band around the diagonal."});
  rules.add<ChooseMasked>(
      {"masks.choose", RuleArea::Compute, /*level=*/2, Bits::Changed,
       "Chooses by a mask of 0 and -1e30 or less, in place of adding it."});
}
