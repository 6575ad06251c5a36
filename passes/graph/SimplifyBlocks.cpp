// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of blocks: a contraction of weights of few bits whose scales belong to
// blocks of its terms.
#include "dialects/TargetInfo.h"
#include "passes/Expansion.h"
#include "passes/Terms.h"
#include "passes/graph/ConstantData.h"
#include "passes/graph/Precision.h"
#include "passes/graph/Simplify.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

namespace {

/// What a contraction sums of one operand, `number * scale` or
/// `(number - zero) * scale`, where scale and zero are the same along some of
/// the iterators that it sums over.
struct Blocks {
  /// Of the contraction: 0 or 1.
  unsigned operand;
  Value number;
  BroadcastOp scale, zero; ///< zero may be null, or integers
  /// The iterators that the sum runs over: within a block, and from block to
  /// block.
  SmallVector<unsigned> within, across;
  /// Where both operands are codes that the target adds products of, several at
  /// a time: those, and the scale of the other operand, which is the same
  /// within a block. There may be a single block then.
  Value codes, otherCodes;
  BroadcastOp otherScale;
};

/// contract(x, (w - z) s) = sum over blocks of s contract(x, w - z), where z
/// and s belong to blocks of the terms: so a weight of few bits is scaled once
/// a block. Of many rows it is not done, for a tile of them has its sums in
/// registers, and those of a block would take as many again. What is infinite
/// in x stays so: z is not taken off the sums, where it would meet itself.
///
/// Where x is codes of 8 bits times t, which belongs to blocks as well, sums of
/// a block are integers, and exact, and take t together with s: s t
/// (contract(x, w) - z sum(x)). A step of them has several terms, which makes
/// up for what is done once a block at any number of rows.
struct SumBlocks : public OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32(op))
      return failure();
    // Exact sums serve what a last bit decides as well.
    for (unsigned i : {0u, 1u})
      if (std::optional<Blocks> blocks = match(op, i);
          blocks && (blocks->codes || !isPrecise(op))) {
        rewriter.replaceOp(op, sum(op, *blocks, rewriter));
        return success();
      }
    return failure();
  }

private:
  static std::optional<Blocks> match(ContractOp op, unsigned operand);
  static std::optional<Blocks> matchBlocks(ContractOp op, unsigned operand,
                                           bool isCoded);
  static void matchCodes(ContractOp op, Blocks &blocks);
  static bool hasColumns(ContractOp op, unsigned operand);
  static bool isOfFewRows(ContractOp op, unsigned operand);
  static Value sum(ContractOp op, const Blocks &blocks,
                   PatternRewriter &rewriter);
};

} // namespace

static unsigned getIterator(AffineMap map, unsigned result) {
  return cast<AffineDimExpr>(map.getResult(result)).getPosition();
}

/// Whether lanes have columns to run along.
bool SumBlocks::hasColumns(ContractOp op, unsigned operand) {
  const TargetInfo &target = getTargetInfo(op);
  return !target.hasBlocks() &&
         op.getType().getNumElements() >= countRows(op, operand) * target.lanes;
}

/// Whether the rows that each weight is multiplied with are so few that their
/// sums over a block and over all take no more registers than those of a tile.
bool SumBlocks::isOfFewRows(ContractOp op, unsigned operand) {
  return 2 * countRows(op, operand) <=
         getTargetInfo(op).getVectorsInFlight(getLaneBytes(op.getType()));
}

/// Whether a value that repeats along dimensions of a tensor differs along
/// dimension `d` of it.
static bool varies(BroadcastOp broadcast, unsigned d) {
  for (auto [from, to] : llvm::enumerate(broadcast.getDims()))
    if (to == int64_t(d))
      return getTensorType(broadcast.getOperand()).getDimSize(from) != 1;
  return false;
}

/// The integers of 8 bits or fewer that `value` is as f32, or null.
static Value findCodes(Value value, bool isUnsigned) {
  while (auto cast = value.getDefiningOp<CastOp>()) {
    value = cast.getOperand();
    auto type = dyn_cast<IntegerType>(getTensorType(value).getElementType());
    if (!type || type.getWidth() == 1)
      return {};
    if (type.getWidth() <= 8)
      return type.isUnsigned() == isUnsigned ? value : Value();
  }
  return {};
}

/// `value`, or what reshapes that undo each other are of.
static Value skipReshapes(Value value) {
  Value source = value;
  while (auto reshape = source.getDefiningOp<ReshapeOp>()) {
    source = reshape.getOperand();
    if (source.getType() == value.getType())
      return source;
  }
  return value;
}

/// Operand `operand` of `op` where it is codes of 8 bits with a sign that are
/// computed, times a scale that is repeated, and the target adds several
/// products of such in a step; null if it is something else.
static MulOp findCodedRows(ContractOp op, unsigned operand) {
  Value rows = skipReshapes(op->getOperand(operand));
  auto mul = rows.getDefiningOp<MulOp>();
  if (!mul || !getByteUnit(op) || !mul.getRhs().getDefiningOp<BroadcastOp>())
    return {};
  Value codes = findCodes(mul.getLhs(), /*isUnsigned=*/false);
  if (!codes)
    return {};
  // Rows of a table that are picked are constants, too.
  Value source = skipReshapes(codes);
  if (auto cast = source.getDefiningOp<CastOp>())
    source = skipReshapes(cast.getOperand());
  if (auto gather = source.getDefiningOp<GatherOp>())
    source = gather->getOperand(0);
  return hasConstantData(source) ? MulOp() : mul;
}

bool fusec::fuse::multipliesCodedRows(ContractOp op) {
  return findCodedRows(op, 0) || findCodedRows(op, 1);
}

/// The most terms of a sum of products of any two codes that is a number of f32
/// as well, after and before a zero point is taken off.
static constexpr int64_t kMostExact = (1 << 24) / (2 * 128 * 255);

void SumBlocks::matchCodes(ContractOp op, Blocks &blocks) {
  MulOp mul = findCodedRows(op, 1 - blocks.operand);
  if (!mul)
    return;
  auto scale = mul.getRhs().getDefiningOp<BroadcastOp>();
  Value codes = findCodes(blocks.number, /*isUnsigned=*/true),
        others = findCodes(mul.getLhs(), /*isUnsigned=*/false);
  const SmallVector<int64_t> extents =
      cast<PrimitiveOpInterface>(*op).getIterationExtents();
  int64_t terms = 1;
  AffineMap map = getMap(op, 1 - blocks.operand);
  for (unsigned iterator : blocks.within) {
    terms *= extents[iterator];
    AffineExpr expr = getAffineDimExpr(iterator, op.getContext());
    if (varies(scale, *map.getResultPosition(expr)))
      return;
  }
  if (!codes || terms > kMostExact)
    return;
  blocks.codes = codes;
  blocks.otherCodes = others;
  blocks.otherScale = scale;
}

std::optional<Blocks> SumBlocks::match(ContractOp op, unsigned operand) {
  if (!hasColumns(op, operand))
    return std::nullopt;
  if (std::optional<Blocks> blocks = matchBlocks(op, operand, /*isCoded=*/true);
      blocks && blocks->codes)
    return blocks;
  if (!isOfFewRows(op, operand))
    return std::nullopt;
  return matchBlocks(op, operand, /*isCoded=*/false);
}

/// With `isCoded` as codes, which may be numbers of f32 only after their zero
/// point is taken off.
std::optional<Blocks> SumBlocks::matchBlocks(ContractOp op, unsigned operand,
                                             bool isCoded) {
  auto mul = op->getOperand(operand).getDefiningOp<MulOp>();
  if (!mul || !isF32(mul) || !isExpansion(mul))
    return std::nullopt;
  Blocks blocks;
  blocks.operand = operand;
  blocks.number = mul.getLhs();
  blocks.scale = mul.getRhs().getDefiningOp<BroadcastOp>();
  auto sub = blocks.number.getDefiningOp<SubOp>();
  if (auto cast = blocks.number.getDefiningOp<CastOp>(); isCoded && cast)
    sub = cast.getOperand().getDefiningOp<SubOp>();
  if (sub) {
    blocks.number = sub.getLhs();
    blocks.zero = sub.getRhs().getDefiningOp<BroadcastOp>();
    if (!blocks.zero)
      return std::nullopt;
  }
  if (!blocks.scale)
    return std::nullopt;
  AffineMap map = getMap(op, operand), other = getMap(op, 1 - operand);
  for (unsigned d = 0; d < map.getNumResults(); ++d) {
    if (getMap(op, 2).getResultPosition(map.getResult(d)))
      continue;
    // Another operand that lacks the iterator has no sum over it.
    if (!other.getResultPosition(map.getResult(d)))
      return std::nullopt;
    const bool isAcross =
        varies(blocks.scale, d) || (blocks.zero && varies(blocks.zero, d));
    (isAcross ? blocks.across : blocks.within).push_back(getIterator(map, d));
  }
  if (blocks.within.empty() || (blocks.across.empty() && !isCoded))
    return std::nullopt;
  if (isCoded)
    matchCodes(op, blocks);
  return blocks;
}

/// `number - zero`. Constant codes whose zero is the middle of those without a
/// sign become codes with one, of which nothing is to be taken off.
static Value takeZeroOff(Value number, BroadcastOp zero, TensorBuilder &b) {
  const auto type = getTensorType(number);
  auto cast = number.getDefiningOp<CastOp>();
  auto codes = cast ? dyn_cast<IntegerType>(
                          getTensorType(cast.getOperand()).getElementType())
                    : IntegerType();
  if (codes && codes.isUnsigned() && codes.getWidth() <= 8) {
    const int64_t middle = 1 << (codes.getWidth() - 1);
    Value zeros = zero.getOperand();
    if (auto wide = zeros.getDefiningOp<CastOp>())
      zeros = wide.getOperand();
    std::optional<ConstantData> data = getFixedData(cast.getOperand());
    if (data && (getUniformFloat(zeros) == double(middle) ||
                 getUniformInteger(zeros) == middle)) {
      auto moved = RankedTensorType::get(
          type.getShape(), b.builder.getIntegerType(codes.getWidth()));
      ConstantData packed = packData(*data, getTensorType(cast.getOperand()));
      std::vector<char> bytes(packed.bytes.begin(), packed.bytes.end());
      for (char &byte : bytes)
        byte = char(byte - middle);
      Value weight =
          createConstant(b.builder, b.loc, moved, bytes,
                         data->weight ? WeightOp(data->weight).getSymName()
                                      : StringRef("codes"),
                         data->weight);
      return b.cast(weight, type.getElementType());
    }
  }
  return b.sub(number, b.cast(zero.getResult(), type.getElementType()));
}

Value SumBlocks::sum(ContractOp op, const Blocks &blocks,
                     PatternRewriter &rewriter) {
  TensorBuilder b(rewriter, op.getLoc());
  const SmallVector<int64_t> extents =
      cast<PrimitiveOpInterface>(*op).getIterationExtents();
  AffineMap weights = getMap(op, blocks.operand),
            other = getMap(op, 1 - blocks.operand), result = getMap(op, 2);
  // The blocks' dimensions stand before those that lanes run along.
  SmallVector<AffineExpr> iterators(result.getResults());
  auto place = llvm::find_if(iterators, [&](AffineExpr expr) {
    return weights.getResultPosition(expr).has_value();
  });
  const int64_t first = place - iterators.begin();
  SmallVector<int64_t> dims;
  for (auto [k, iterator] : llvm::enumerate(blocks.across)) {
    iterators.insert(iterators.begin() + first + k,
                     rewriter.getAffineDimExpr(iterator));
    dims.push_back(first + int64_t(k));
  }
  AffineMap all =
      AffineMap::get(result.getNumDims(), 0, iterators, rewriter.getContext());
  const auto shape = llvm::map_to_vector(iterators, [&](AffineExpr expr) {
    return extents[cast<AffineDimExpr>(expr).getPosition()];
  });
  auto find = [&](AffineExpr expr) {
    return int64_t(*all.getResultPosition(expr));
  };
  // A tensor with the dimensions of the result that `map` names, in any order.
  auto spread = [&](Value value, ArrayRef<AffineExpr> exprs) {
    SmallVector<int64_t> order =
        llvm::to_vector(llvm::seq<int64_t>(0, exprs.size()));
    SmallVector<int64_t> targets;
    llvm::sort(order, [&](int64_t x, int64_t y) {
      return find(exprs[x]) < find(exprs[y]);
    });
    for (int64_t from : order)
      targets.push_back(find(exprs[from]));
    return b.broadcast(b.transpose(value, order), shape, targets);
  };
  // What is repeated over an operand, of which only dimensions that it varies
  // along are left.
  auto spreadOf = [&](BroadcastOp broadcast, AffineMap over) {
    SmallVector<AffineExpr> exprs;
    SmallVector<int64_t> kept;
    auto from = getTensorType(broadcast.getOperand());
    for (auto [d, to] : llvm::enumerate(broadcast.getDims())) {
      if (from.getDimSize(d) == 1)
        continue;
      exprs.push_back(over.getResult(to));
      kept.push_back(from.getDimSize(d));
    }
    return spread(b.reshape(broadcast.getOperand(), kept), exprs);
  };
  SmallVector<Value> operands(op->getOperands());
  operands[blocks.operand] = blocks.codes ? blocks.codes : blocks.number;
  Type number = op.getType().getElementType(), sums = number;
  if (blocks.codes) {
    sums = rewriter.getI32Type();
    operands[1 - blocks.operand] = blocks.otherCodes;
  } else if (blocks.zero) {
    operands[blocks.operand] = takeZeroOff(blocks.number, blocks.zero, b);
  }
  SmallVector<AffineMap> maps = {getMap(op, 0), getMap(op, 1), all};
  Value partial =
      b.make<ContractOp>(RankedTensorType::get(shape, sums), operands[0],
                         operands[1], rewriter.getAffineMapArrayAttr(maps));
  partial = b.cast(partial, number);
  if (blocks.codes && blocks.zero) {
    SmallVector<int64_t> summed;
    SmallVector<AffineExpr> left;
    for (auto [d, expr] : llvm::enumerate(other.getResults()))
      if (llvm::is_contained(blocks.within, getIterator(other, d)))
        summed.push_back(int64_t(d));
      else
        left.push_back(expr);
    Value total =
        b.cast(b.reduce(Combiner::Add, b.cast(blocks.otherCodes, sums), summed),
               number);
    total = spread(total, left);
    Value zero = b.cast(spreadOf(blocks.zero, weights), number);
    partial = b.sub(partial, b.mul(total, zero));
  }
  partial = b.mul(partial, spreadOf(blocks.scale, weights));
  if (blocks.codes)
    partial = b.mul(partial, spreadOf(blocks.otherScale, other));
  return b.reduce(Combiner::Add, partial, dims);
}

void fusec::fuse::populateSimplifyBlocks(RuleSet &rules) {
  rules.add<SumBlocks>(
      {"contractions.sum-blocks", RuleArea::QDQ, /*level=*/2, Bits::Changed,
       "Multiplies weights of few bits as they are stored, and the sum of each "
       "block of them by the block's scale."});
}
