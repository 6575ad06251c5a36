// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Powers, and which comparisons hold for every value that they may have.
#include "passes/graph/Simplify.h"

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

/// x to the power 3, rounded once where the square may be too small or too
/// large for the type.
static Value buildCube(Value x, TensorBuilder &b) {
  FloatType narrow = getNarrowFloat(x.getType());
  if (!narrow)
    return b.mul(b.mul(x, x), x);
  return b.cast(buildCube(b.castToCompute(x), b), narrow);
}

/// x to the power 0.5: minus infinity has one, but no root.
static Value buildSquareRoot(Value x, TensorBuilder &b) {
  Value isLowest = b.compare(CmpPredicate::eq, x, -INFINITY);
  Value infinity = b.splatLike(INFINITY, x);
  return b.select(isLowest, infinity, b.unary<SqrtOp>(x));
}

/// x to the power -0.5: neither has it a sign where x is -0.
static Value buildInverseRoot(Value x, TensorBuilder &b) {
  Value isLowest = b.compare(CmpPredicate::eq, x, -INFINITY);
  Value isZero = b.compare(CmpPredicate::eq, x, 0);
  Value inverse = b.div(1.0, b.unary<SqrtOp>(x));
  Value result = b.select(isZero, b.splatLike(INFINITY, x), inverse);
  return b.select(isLowest, b.splatLike(0, x), result);
}

namespace {
/// Powers that are products or roots.
struct ExpandPower : public OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(PowOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder b(rewriter, op.getLoc());
    Value x = op.getLhs(), result;
    std::optional<double> exponent = getUniformFloat(op.getRhs());
    if (std::optional<int64_t> integer = getUniformInteger(op.getRhs()))
      exponent = *integer;
    if (exponent == 1.0)
      result = x;
    else if (exponent == 2.0)
      result = b.mul(x, x);
    else if (exponent == 3.0)
      result = buildCube(x, b);
    else if (exponent == 0.5)
      result = buildSquareRoot(x, b);
    else if (exponent == -0.5 && isF32(x))
      result = buildInverseRoot(x, b);
    else if (exponent == -1.0 && isF32(x))
      result = b.div(1.0, x);
    else
      return failure();
    rewriter.replaceOp(op, result);
    return success();
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
    constexpr unsigned kFarEnough = 16;
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
