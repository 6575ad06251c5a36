// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on dequantised numbers that are the same on their codes.
#include "passes/graph/ConstantData.h"
#include "passes/graph/ExpandComposites.h"

#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

const Rule fuse::kQuantisedCodesRule = {
    "quantised.codes", RuleArea::QDQ, /*level=*/2, Bits::Kept,
    "Takes the maximum of codes, and not of the numbers that they stand for, "
    "and leaves codes as they are that would be made numbers and the same "
    "codes again, moved or not. What products of floats read is decoded where "
    "its codes are computed."};

/// The one number that `scale` is, if products by it of any code divide by it
/// to the code again: it is positive, and neither overflows nor loses digits.
static std::optional<double> getScale(Value scale) {
  std::optional<double> number = getUniformFloat(scale);
  return number && *number > 0x1p-60 && *number < 0x1p60 ? number
                                                         : std::nullopt;
}

static std::optional<int64_t> getZero(Value zero) {
  return zero ? getUniformInteger(zero) : std::optional<int64_t>(0);
}

/// Whether `op` has elements of its operand in other places, and no others.
static bool isMove(Operation *op) {
  if (isa<ReshapeOp>(op))
    return true;
  return op->hasTrait<MovesElements>() && op->getNumOperands() == 1 &&
         !cast<PrimitiveOpInterface>(op).getPadding(0);
}

/// What `value` has the elements of; `moves` has what gives them their places,
/// the first operation last.
static Value skipMoves(Value value, SmallVectorImpl<Operation *> &moves) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isMove(op))
      break;
    moves.push_back(op);
    value = op->getOperand(0);
  }
  return value;
}

/// `value`, moved as `moves` of skipMoves do.
static Value moveAlike(Value value, ArrayRef<Operation *> moves,
                       RewriterBase &rewriter) {
  const Type element = getTensorType(value).getElementType();
  for (Operation *move : llvm::reverse(moves)) {
    IRMapping mapping;
    mapping.map(move->getOperand(0), value);
    value = rewriter.clone(*move, mapping)->getResult(0);
    value.setType(getTensorType(value).clone(element));
  }
  return value;
}

namespace {

// max_pool(dequantize(x)): the larger of two codes stands for the larger
// number.
struct PoolCodes : OpRewritePattern<PoolOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PoolOp op,
                                PatternRewriter &rewriter) const override {
    DequantizeOp input = getDequantize(op.getInput());
    if (op.getKind() != PoolKind::max || !input || !getScale(input.getScale()))
      return failure();
    // A window of nothing but padding has -inf, which is no code.
    for (auto [size, dilation, low, high] : llvm::zip(
             op.getSizes(), op.getDilations(), op.getPadLow(), op.getPadHigh()))
      if (std::max(low, high) > (size - 1) * dilation)
        return failure();
    auto type = getTensorType(op.getResult());
    auto codes = PoolOp::create(
        rewriter, op.getLoc(),
        type.clone(getTensorType(input.getInput()).getElementType()),
        op.getKind(), input.getInput(), op.getSizes(), op.getStrides(),
        op.getDilations(), op.getPadLow(), op.getPadHigh(), op.getCountPad());
    rewriter.replaceOpWithNewOp<DequantizeOp>(op, type, codes, input.getScale(),
                                              input.getZeroPoint());
    return success();
  }
};

// quantize(move(dequantize(x))) by the same scale and zero point
struct QuantizeAgain : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Operation *> moves;
    DequantizeOp input = getDequantize(skipMoves(op.getInput(), moves));
    if (!input || getTensorType(input.getInput()).getElementType() !=
                      getTensorType(op.getResult()).getElementType())
      return failure();
    std::optional<double> scale = getScale(input.getScale());
    if (!scale || scale != getScale(op.getScale()))
      return failure();
    std::optional<int64_t> zero = getZero(input.getZeroPoint());
    if (!zero || zero != getZero(op.getZeroPoint()))
      return failure();
    rewriter.replaceOp(op, moveAlike(input.getInput(), moves, rewriter));
    return success();
  }
};

// dequantize(move(quantize(x))) whose readers are products: they read each
// number several times, and it is decoded once where its code is known.
struct DecodeFirst : OpRewritePattern<DequantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DequantizeOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Operation *> moves;
    Value codes = skipMoves(op.getInput(), moves);
    if (moves.empty() || !codes.getDefiningOp<QuantizeOp>() ||
        !getUniformFloat(op.getScale()) || !getZero(op.getZeroPoint()) ||
        !llvm::all_of(op->getUsers(), llvm::IsaPred<MatmulOp, GemmOp, ConvOp>))
      return failure();
    Value numbers = DequantizeOp::create(
        rewriter, op.getLoc(),
        getTensorType(codes).clone(
            getTensorType(op.getResult()).getElementType()),
        codes, op.getScale(), op.getZeroPoint());
    rewriter.replaceOp(op, moveAlike(numbers, moves, rewriter));
    return success();
  }
};

} // namespace

void fusec::fuse::populateKeepCodes(RewritePatternSet &patterns) {
  patterns.add<PoolCodes, QuantizeAgain>(patterns.getContext());
}

void fusec::fuse::populateDecodeFirst(RewritePatternSet &patterns) {
  patterns.add<DecodeFirst>(patterns.getContext());
}
