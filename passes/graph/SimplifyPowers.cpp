// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Powers, and which comparisons hold for every value that they may have.
#include "passes/graph/Precision.h"
#include "passes/graph/Simplify.h"
#include "passes/graph/Work.h"

#include "dialects/NarrowFloats.h"

#include <cmath>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Whether the region adds its second argument to the first one.
static bool isSum(ReduceOp reduce) {
  Block &block = reduce.getCombiner().front();
  return reduce.getInputs().size() == 1 && reduce.getNumResults() == 1 &&
         llvm::hasSingleElement(block.without_terminator()) &&
         isa<arith::AddFOp>(block.front());
}

static std::optional<double> getLowerBound(Value value, unsigned depth);

/// How far it is looked for a bound.
static constexpr unsigned kFarEnough = 16;

/// Of a product: squares and products of what is not negative.
static std::optional<double> getProductBound(Value lhs, Value rhs,
                                             unsigned depth) {
  if (lhs == rhs)
    return 0;
  for (Value factor : {lhs, rhs})
    if (std::optional<double> bound = getLowerBound(factor, depth);
        !bound || *bound < 0)
      return std::nullopt;
  return 0;
}

/// A number that no element of the floats `value` is below; NaN may be there.
static std::optional<double> getLowerBound(Value value, unsigned depth) {
  if (depth == 0)
    return std::nullopt;
  if (std::optional<double> number = getUniformFloat(value))
    return number;
  Operation *op = value.getDefiningOp();
  if (isa_and_present<AbsOp, ExpOp, SqrtOp>(op))
    return 0;
  if (auto reduce = dyn_cast_if_present<ReduceOp>(op)) {
    auto start = dyn_cast<FloatAttr>(reduce.getInits()[0]);
    auto bound = start && !start.getValue().isNegative() && isSum(reduce)
                     ? getLowerBound(reduce.getInputs()[0], depth - 1)
                     : std::nullopt;
    return bound && *bound >= 0 ? std::optional<double>(0) : std::nullopt;
  }
  if (isa_and_present<BroadcastOp, ReshapeOp, TransposeOp, SliceOp>(op))
    return getLowerBound(op->getOperand(0), depth - 1);
  if (isa_and_present<MulOp, DivOp>(op))
    return getProductBound(op->getOperand(0), op->getOperand(1), depth - 1);
  if (isa_and_present<AddOp, MaximumOp>(op)) {
    std::optional<double> a = getLowerBound(op->getOperand(0), depth - 1),
                          b = getLowerBound(op->getOperand(1), depth - 1);
    if (isa<MaximumOp>(op))
      return a && b ? std::max(*a, *b) : a ? a : b;
    // Then the sum is exact.
    if (a && b && (*a == 0 || *b == 0))
      return *a + *b;
  }
  return std::nullopt;
}

/// x to the power `exponent`, a multiple of 1/4, out of products, square roots
/// and a quotient; x is no integer, and is not narrower than f32.
static Value buildPower(Value x, double exponent, TensorBuilder &b) {
  double magnitude = std::fabs(exponent), whole = std::floor(magnitude);
  auto quarters = unsigned(4 * (magnitude - whole));
  Value result;
  auto multiply = [&](Value factor) {
    result = result ? b.mul(result, factor) : factor;
  };
  // By squaring: x^6 = x^2 (x^2)^2.
  Value square = x;
  for (auto left = unsigned(whole); left != 0; left >>= 1) {
    if (left & 1)
      multiply(square);
    if (left > 1)
      square = b.mul(square, square);
  }
  if (quarters != 0) {
    Value root = b.unary<SqrtOp>(x);
    if (quarters & 2)
      multiply(root);
    if (quarters & 1)
      multiply(b.unary<SqrtOp>(root));
  }
  if (exponent < 0)
    result = b.div(1.0, result);
  if (quarters == 0)
    return result;
  // Powers of -0 have no sign, and those of minus infinity are no NaN, as roots
  // are.
  std::optional<double> bound = getLowerBound(x, kFarEnough);
  if (exponent < 0 && !(bound && *bound > 0)) {
    Value isZero = b.compare(CmpPredicate::eq, x, 0);
    result = b.select(isZero, b.splatLike(INFINITY, x), result);
  }
  if (bound)
    return result;
  Value isLowest = b.compare(CmpPredicate::eq, x, -INFINITY);
  return b.select(isLowest, b.splatLike(exponent < 0 ? 0 : INFINITY, x),
                  result);
}

namespace {
/// Powers that products and roots compute in fewer steps.
struct ExpandPower : public OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;

  /// Roundings add up: of the power 8, to 4 units in the last place.
  static constexpr double kMost = 8;

  LogicalResult matchAndRewrite(PowOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getLhs();
    if (std::optional<int64_t> exponent = getUniformInteger(op.getRhs()))
      return expandInteger(op, *exponent, rewriter);
    std::optional<double> exponent = getUniformFloat(op.getRhs());
    if (!exponent || *exponent == 0 || std::fabs(*exponent) > kMost ||
        std::trunc(4 * *exponent) != 4 * *exponent)
      return failure();
    static constexpr double roundOnce[] = {1, 2, 0.5, -1},
                            roundTwice[] = {3, -0.5};
    bool isOnce = llvm::is_contained(roundOnce, *exponent);
    // Two roundings are within the last place, as the function is.
    if (isPrecise(op) && !isOnce && !llvm::is_contained(roundTwice, *exponent))
      return rewriter.notifyMatchFailure(op, "something depends on its bits");
    return replaceByLessWork(rewriter, op, [&](TensorBuilder &b) {
      // What is left on the way may be too small or too large for 16 bits.
      FloatType narrow = getNarrowFloat(x.getType());
      if (!narrow || isOnce)
        return buildPower(x, *exponent, b);
      return b.cast(buildPower(b.castToCompute(x), *exponent, b), narrow);
    });
  }

private:
  static LogicalResult expandInteger(PowOp op, int64_t exponent,
                                     PatternRewriter &rewriter) {
    if (exponent < 1 || exponent > 3)
      return failure();
    return replaceByLessWork(rewriter, op, [&](TensorBuilder &b) {
      Value x = op.getLhs(), result = x;
      for (; exponent > 1; --exponent)
        result = b.mul(result, x);
      return result;
    });
  }
};

/// x = c is false where every x is greater.
struct CompareWithBound : public OpRewritePattern<CmpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CmpOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<double> number = getUniformFloat(op.getRhs());
    if (op.getPredicate() != CmpPredicate::eq || !number)
      return failure();
    std::optional<double> bound = getLowerBound(op.getLhs(), kFarEnough);
    if (!bound || !(*bound > *number))
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, b.splat(0, op.getType()));
    return success();
  }
};

/// What is chosen everywhere.
struct ChooseAlways : public OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<int64_t> condition = getUniformInteger(op.getOperand(0));
    if (!condition)
      return failure();
    rewriter.replaceOp(op, op.getOperand(*condition ? 1 : 2));
    return success();
  }
};
} // namespace

void fusec::fuse::populateSimplifyPowers(RuleSet &rules) {
  rules.add<ExpandPower>(
      {"powers.expand", RuleArea::Compute, /*level=*/2, Bits::Changed,
       "Writes a constant power as products, roots or a quotient."});
  rules.add<CompareWithBound>(
      {"powers.compare-with-bound", RuleArea::Compute, /*level=*/1, Bits::Kept,
       "Answers a comparison with a number below all that a value may be."});
  rules.add<ChooseAlways>({"powers.choose-always", RuleArea::Compute,
                           /*level=*/1, Bits::Kept,
                           "Keeps what a known condition chooses everywhere."});
}
