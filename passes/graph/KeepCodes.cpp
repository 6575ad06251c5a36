// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on dequantised numbers that are the same on their codes.
#include "passes/graph/ConstantData.h"
#include "passes/graph/ExpandComposites.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

const Rule fuse::kQuantisedCodesRule = {
    "quantised.codes", RuleArea::QDQ, /*level=*/2, Bits::Kept,
    "Takes the maximum of codes, and not of the numbers that they stand for, "
    "and leaves codes as they are that would be made numbers and the same "
    "codes again."};

/// The one number that `scale` is, if products by it of any code divide by it
/// to the code again: it is positive, and neither overflows nor loses digits.
static std::optional<double> getScale(Value scale) {
  std::optional<double> number = getUniformFloat(scale);
  return number && *number > 0x1p-60 && *number < 0x1p60 ? number
                                                         : std::nullopt;
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

// quantize(dequantize(x)) by the same scale and zero point
struct QuantizeAgain : OpRewritePattern<QuantizeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(QuantizeOp op,
                                PatternRewriter &rewriter) const override {
    DequantizeOp input = getDequantize(op.getInput());
    if (!input || input.getInput().getType() != op.getType())
      return failure();
    std::optional<double> scale = getScale(input.getScale());
    if (!scale || scale != getScale(op.getScale()))
      return failure();
    auto getZero = [](Value zero) {
      return zero ? getUniformInteger(zero) : std::optional<int64_t>(0);
    };
    std::optional<int64_t> zero = getZero(input.getZeroPoint());
    if (!zero || zero != getZero(op.getZeroPoint()))
      return failure();
    rewriter.replaceOp(op, input.getInput());
    return success();
  }
};

} // namespace

void fusec::fuse::populateKeepCodes(RewritePatternSet &patterns) {
  patterns.add<PoolCodes, QuantizeAgain>(patterns.getContext());
}
