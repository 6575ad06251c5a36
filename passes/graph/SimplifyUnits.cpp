// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is repeated has no dimensions of extent 1: the same bias or mask has one
// form, however it was stored or computed. Nor is such a dimension reduced, nor
// are elements gathered in a shape with such a dimension that is taken away
// again.
#include "passes/graph/Simplify.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static bool hasUnits(Value value) {
  return llvm::is_contained(getTensorType(value).getShape(), 1);
}

/// Masks are shorter expressions than this one.
static constexpr unsigned kLongestExpression = 16;

static bool canNarrowWithin(Value value, unsigned depth) {
  if (!hasUnits(value) || isView(value))
    return true;
  Operation *op = value.getDefiningOp();
  if (auto iota = dyn_cast<IotaOp>(op))
    return iota.getType().getDimSize(iota.getAxis()) != 1;
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return depth > 0 && canNarrowWithin(broadcast.getOperand(), depth - 1);
  return depth > 0 && isPointByPoint(op) &&
         llvm::all_of(op->getUsers(),
                      [](Operation *user) {
                        return isa<BroadcastOp, ReshapeOp>(user) ||
                               isPointByPoint(user);
                      }) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return canNarrowWithin(operand, depth - 1);
         });
}

bool fusec::fuse::canNarrow(Value value) {
  return isView(value) ||
         (hasUnits(value) && canNarrowWithin(value, kLongestExpression));
}

Value fusec::fuse::narrow(Value value, TensorBuilder &b) {
  auto type = getTensorType(value);
  if (!hasUnits(value))
    return value;
  SmallVector<int64_t> wide = getWideDims(type.getShape());
  SmallVector<int64_t> shape =
      llvm::map_to_vector(wide, [&](int64_t d) { return type.getDimSize(d); });
  if (isView(value))
    return b.reshape(value, shape);
  Operation *op = value.getDefiningOp();
  auto newDim = [&](int64_t d) { return llvm::find(wide, d) - wide.begin(); };
  if (auto iota = dyn_cast<IotaOp>(op))
    return b.iota(type.clone(shape), newDim(iota.getAxis()));
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    SmallVector<int64_t> dims;
    for (auto [extent, d] :
         llvm::zip(getTensorType(broadcast.getOperand()).getShape(),
                   broadcast.getDims()))
      if (extent != 1)
        dims.push_back(newDim(d));
    return b.broadcast(narrow(broadcast.getOperand(), b), shape, dims);
  }
  SmallVector<Value> operands = llvm::map_to_vector(
      op->getOperands(), [&](Value operand) { return narrow(operand, b); });
  return cloneElementwise(b.builder, op, operands, shape);
}

namespace {
struct BroadcastOfUnitDims : public OpRewritePattern<BroadcastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BroadcastOp op,
                                PatternRewriter &rewriter) const override {
    Value operand = op.getOperand();
    if (!hasUnits(operand) || !canNarrow(operand))
      return failure();
    SmallVector<int64_t> dims;
    for (auto [extent, d] :
         llvm::zip(getTensorType(operand).getShape(), op.getDims()))
      if (extent != 1)
        dims.push_back(d);
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getType(),
                                             narrow(operand, b), dims);
    return success();
  }
};

/// What a reduction starts with and one element are that element.
struct ReduceOfUnits : public OpRewritePattern<ReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReduceOp op,
                                PatternRewriter &rewriter) const override {
    Block &combiner = op.getCombiner().front();
    if (op.getInputs().size() != 1 || op.getNumResults() != 1 ||
        !llvm::hasSingleElement(combiner.without_terminator()) ||
        combiner.front().getNumOperands() != 2 ||
        !llvm::all_of(combiner.getArguments(), [&](Value argument) {
          return llvm::is_contained(combiner.front().getOperands(), argument);
        }))
      return failure();
    auto from = getTensorType(op.getInputs()[0]);
    std::optional<TypedAttr> neutral =
        arith::getNeutralElement(&combiner.front());
    if (!neutral || !isSame(*neutral, op.getInits()[0]) ||
        !llvm::all_of(op.getDims(),
                      [&](int64_t d) { return from.getDimSize(d) == 1; }))
      return failure();
    auto to = getTensorType(op.getResult(0));
    TensorBuilder b(rewriter, op.getLoc());
    Value element = b.reshape(op.getInputs()[0], to.getShape());
    rewriter.replaceOp(op, b.cast(element, to.getElementType()));
    return success();
  }

private:
  /// The sign of a zero has no meaning.
  static bool isSame(Attribute a, Attribute b) {
    auto x = dyn_cast<FloatAttr>(a), y = dyn_cast<FloatAttr>(b);
    return x && y ? x.getValueAsDouble() == y.getValueAsDouble() : a == b;
  }
};
/// Whether a reshape only adds or takes away dimensions of extent 1.
bool changesUnitsOnly(ReshapeOp op) {
  auto wide = [](ArrayRef<int64_t> shape) {
    return llvm::make_filter_range(shape,
                                   [](int64_t extent) { return extent != 1; });
  };
  return llvm::equal(wide(getTensorType(op.getOperand()).getShape()),
                     wide(op.getType().getShape()));
}

/// For a shape `of` and another one that differs in dimensions of extent 1: the
/// expression of the other's for each dimension of `of`, 0 for those of
/// extent 1.
SmallVector<AffineExpr> replaceUnits(ArrayRef<int64_t> of,
                                     ArrayRef<int64_t> other,
                                     ArrayRef<AffineExpr> others,
                                     MLIRContext *context) {
  SmallVector<int64_t> wide = getWideDims(other);
  SmallVector<AffineExpr> exprs(of.size(), getAffineConstantExpr(0, context));
  for (auto [place, from] : llvm::zip(getWideDims(of), wide))
    exprs[place] = others[from];
  return exprs;
}

/// Indices are read where they are, whatever dimensions of extent 1 a reshape
/// gives them: gather(x, reshape n) = gather(x, n) by another map.
struct GatherByUnitReshape : public OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatherOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> indices(op.getIndices());
    SmallVector<AffineMap> maps(
        llvm::to_vector(op.getMaps().getAsValueRange<AffineMapAttr>()));
    bool changed = false;
    for (auto [value, map] :
         llvm::zip(indices, MutableArrayRef(maps).drop_front())) {
      auto reshape = value.getDefiningOp<ReshapeOp>();
      if (!reshape || isView(reshape) || !changesUnitsOnly(reshape))
        continue;
      value = reshape.getOperand();
      map = AffineMap::get(map.getNumDims(), 0,
                           replaceUnits(getTensorType(value).getShape(),
                                        reshape.getType().getShape(),
                                        map.getResults(), op.getContext()),
                           op.getContext());
      changed = true;
    }
    if (!changed)
      return failure();
    rewriter.replaceOpWithNewOp<GatherOp>(op, op.getType(), op.getOperand(),
                                          indices,
                                          rewriter.getAffineMapArrayAttr(maps));
    return success();
  }
};

/// reshape(gather x) = gather x by another map, where the reshape takes
/// dimensions of extent 1 away. Other readers, which can do without them, get
/// these back.
struct UnitReshapeOfGather : public OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto gather = op.getOperand().getDefiningOp<GatherOp>();
    if (!gather || !changesUnitsOnly(op) ||
        op.getType().getRank() >= gather.getType().getRank() ||
        !llvm::all_of(gather->getUsers(), [](Operation *user) {
          return isa<ReshapeOp>(user) || isPointByPoint(user);
        }))
      return failure();
    ArrayRef<int64_t> shape = op.getType().getShape();
    SmallVector<AffineExpr> dims;
    for (unsigned d = 0; d < shape.size(); ++d)
      dims.push_back(rewriter.getAffineDimExpr(d));
    SmallVector<AffineExpr> points =
        replaceUnits(gather.getType().getShape(), shape, dims, op.getContext());
    SmallVector<AffineMap> maps;
    for (AffineMap map : gather.getMaps().getAsValueRange<AffineMapAttr>())
      maps.push_back(map.replaceDimsAndSymbols(points, {}, shape.size(),
                                               map.getNumSymbols()));
    rewriter.setInsertionPoint(gather);
    Value narrow = GatherOp::create(rewriter, gather.getLoc(), op.getType(),
                                    gather.getOperand(), gather.getIndices(),
                                    rewriter.getAffineMapArrayAttr(maps));
    rewriter.replaceOp(op, narrow);
    TensorBuilder b(rewriter, gather.getLoc());
    rewriter.replaceOp(gather, b.reshape(narrow, gather.getType().getShape()));
    return success();
  }
};
} // namespace

void fusec::fuse::populateSimplifyUnits(RuleSet &rules) {
  rules.add<BroadcastOfUnitDims>(
      {"units.of-broadcast", RuleArea::Transposes, /*level=*/1, Bits::Kept,
       "Drops dimensions of extent 1 of what is repeated."});
  rules.add<ReduceOfUnits>({"units.reduce", RuleArea::Compute, /*level=*/2,
                            Bits::Changed,
                            "Reduces no dimension of extent 1."});
  rules.add<GatherByUnitReshape>({"units.gather-by-reshape",
                                  RuleArea::Transposes, /*level=*/1, Bits::Kept,
                                  "Reads indices of a gather where they are, "
                                  "whatever dimensions of extent 1 they get."});
  rules.add<UnitReshapeOfGather>(
      {"units.reshape-of-gather", RuleArea::Transposes, /*level=*/1, Bits::Kept,
       "Gathers in the shape without dimensions of extent 1."});
}
