// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where factors stand: one place for each, so that products and quotients of
// one value are written alike. A product of constants or a reciprocal rounds
// once more or once less, but for what is marked as precise.
#include "dialects/NarrowFloats.h"
#include "passes/graph/Precision.h"
#include "passes/graph/Simplify.h"
#include "passes/graph/Work.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

bool fusec::fuse::isNormalF32(double factor) {
  return std::isnormal(static_cast<float>(factor));
}

bool fusec::fuse::isF32(Value value) {
  return getTensorType(value).getElementType().isF32();
}

bool fusec::fuse::isPowerOfTwo(double factor) {
  int exponent;
  return std::fabs(std::frexp(factor, &exponent)) == 0.5;
}

/// Whether `a` is computed before `b`: an argument, or earlier in the block.
static bool isBefore(Value a, Value b) {
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y)
    return !x && y;
  return x != y && x->getBlock() == y->getBlock() && x->isBeforeInBlock(y);
}

namespace {
/// x / c = x (1 / c).
struct DivideByConstant : public OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<double> divisor = getUniformFloat(op.getRhs());
    // A quotient of constants is folded, and rounds once.
    if (!divisor || !isF32(op) || !isNormalF32(*divisor) ||
        !isNormalF32(1 / *divisor) || hasConstantData(op.getLhs()) ||
        (!isPowerOfTwo(*divisor) && isPrecise(op)))
      return failure();
    return replaceByLessWork(rewriter, op, [&](TensorBuilder &b) {
      return b.mul(op.getLhs(), 1 / *divisor);
    });
  }
};

/// (x c) d = x (c d).
struct CombineFactors : public OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getLhs().getDefiningOp<MulOp>();
    if (!inner || !isF32(op))
      return failure();
    std::optional<double> c = getUniformFloat(inner.getRhs());
    std::optional<double> d = getUniformFloat(op.getRhs());
    if (!c || !d || !isNormalF32(*c) || !isNormalF32(*d) ||
        !isNormalF32(*c * *d) ||
        (!isPowerOfTwo(*c) && !isPowerOfTwo(*d) && isPrecise(op)))
      return failure();
    return replaceByLessWork(rewriter, op, [&](TensorBuilder &b) {
      return b.mul(inner.getLhs(), *c * *d);
    });
  }
};

/// (x t) c = (t c) x = (x c) t for a power of two c below 1, where x has fewer
/// distinct elements than t, or as many and is computed before it: one place
/// for the 1/2 of a GELU. Not in 16 bits, where x t soon overflows and small
/// numbers have few.
struct MoveFactorInwards : public OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    if (getNarrowFloat(op.getType()))
      return failure();
    if (std::optional<double> c = getUniformFloat(op.getRhs())) {
      auto inner = op.getLhs().getDefiningOp<MulOp>();
      if (!inner || !inner->hasOneUse() || !isShare(*c) ||
          inner.getLhs() == inner.getRhs())
        return failure();
      Value first = inner.getLhs(), second = inner.getRhs();
      if (comesFirst(second, first))
        std::swap(first, second);
      return replace(op, first, *c, second, inner, rewriter);
    }
    for (auto [scaled, x] : {std::pair(op.getLhs(), op.getRhs()),
                             std::pair(op.getRhs(), op.getLhs())}) {
      auto inner = scaled.getDefiningOp<MulOp>();
      std::optional<double> c =
          inner ? getUniformFloat(inner.getRhs()) : std::nullopt;
      if (c && inner->hasOneUse() && isShare(*c) &&
          comesFirst(x, inner.getLhs()))
        return replace(op, x, *c, inner.getLhs(), op, rewriter);
    }
    return failure();
  }

private:
  static bool isShare(double factor) {
    return std::fabs(factor) <= 1 && isPowerOfTwo(factor);
  }

  /// Whether a factor of `a` and `b` goes to `a`.
  static bool comesFirst(Value a, Value b) {
    int64_t left = countDistinct(a), right = countDistinct(b);
    return left < right || (left == right && isBefore(a, b));
  }

  /// Replaces `op` by (first c) second; what is scaled stands before `place`.
  static LogicalResult replace(MulOp op, Value first, double c, Value second,
                               Operation *place, PatternRewriter &rewriter) {
    rewriter.setInsertionPoint(place);
    TensorBuilder b(rewriter, op.getLoc());
    Value scaled = b.mul(first, c);
    rewriter.setInsertionPoint(op);
    rewriter.replaceOp(op, b.mul(scaled, second));
    return success();
  }
};

/// The operand of `reduce` if it reduces one tensor by a single `Scalar`.
template <typename Scalar> Value matchReduction(Value value) {
  auto reduce = value.getDefiningOp<ReduceOp>();
  if (!reduce || reduce.getInputs().size() != 1 || reduce.getNumResults() != 1)
    return {};
  Block &block = reduce.getCombiner().front();
  if (!llvm::hasSingleElement(block.without_terminator()) ||
      !isa<Scalar>(block.front()))
    return {};
  return reduce.getInputs().front();
}

/// `value`, or what it is the greater one of beside the number `bound`: softmax
/// of rows that may be masked as a whole.
static Value withoutBound(Value value, double bound) {
  auto atLeast = value.getDefiningOp<MaximumOp>();
  return atLeast && getUniformFloat(atLeast.getRhs()) == bound
             ? atLeast.getLhs()
             : value;
}

/// Whether 1 / `value` is a normal number wherever x / value is not NaN, 0 or
/// infinite anyway: a square root has half of the exponents, and the sum of a
/// softmax is at least 1.
bool hasSafeReciprocal(Value value) {
  if (value.getDefiningOp<SqrtOp>())
    return true;
  Value summed = matchReduction<arith::AddFOp>(withoutBound(value, 1));
  auto exp = summed ? summed.getDefiningOp<ExpOp>() : ExpOp();
  auto shifted = exp ? exp.getOperand().getDefiningOp<SubOp>() : SubOp();
  auto repeated =
      shifted ? shifted.getRhs().getDefiningOp<BroadcastOp>() : BroadcastOp();
  Value greatest =
      repeated ? matchReduction<arith::MaximumFOp>(withoutBound(
                     repeated.getOperand(), -std::numeric_limits<float>::max()))
               : Value();
  return greatest && holds(shifted.getLhs(), greatest);
}

/// x / broadcast s = x broadcast(1 / s): a division per row, not per element.
struct DivideOncePerRow : public OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    auto repeated = op.getRhs().getDefiningOp<BroadcastOp>();
    if (!repeated || !isF32(op) || !hasSafeReciprocal(repeated.getOperand()) ||
        isPrecise(op))
      return failure();
    return replaceByLessWork(rewriter, op, [&](TensorBuilder &b) {
      Value reciprocal = b.div(1.0, repeated.getOperand());
      return b.mul(op.getLhs(),
                   b.broadcast(reciprocal, getTensorType(op).getShape(),
                               repeated.getDims()));
    });
  }
};

/// sum over k of (e / s) v = (sum over k of e v) / s, of a softmax whose rows
/// are longer than those of what it is multiplied by. e is at most 1, and s at
/// least 1: where e / s is rounded to a narrower type, e may be.
struct DivideSums : public OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    for (unsigned number : {0u, 1u}) {
      auto narrowed = op->getOperand(number).getDefiningOp<CastOp>();
      if (narrowed && (!narrowed->hasOneUse() ||
                       !getNarrowFloat(narrowed.getResult().getType())))
        continue;
      auto mul = (narrowed ? narrowed.getOperand() : op->getOperand(number))
                     .getDefiningOp<MulOp>();
      if (!mul || !mul->hasOneUse() || !isF32(op) || !isF32(mul) ||
          isPrecise(op))
        continue;
      for (auto [e, factor] : {std::pair(mul.getLhs(), mul.getRhs()),
                               std::pair(mul.getRhs(), mul.getLhs())}) {
        auto repeated = factor.getDefiningOp<BroadcastOp>();
        if (repeated && isReciprocalSum(repeated.getOperand(), e) &&
            succeeded(move(op, number, e, repeated, rewriter)))
          return success();
      }
    }
    return failure();
  }

private:
  /// Whether `value` is 1 / s of the softmax that has the exponentials `e`.
  static bool isReciprocalSum(Value value, Value e) {
    auto quotient = value.getDefiningOp<DivOp>();
    return quotient && getUniformFloat(quotient.getLhs()) == 1.0 &&
           hasSafeReciprocal(quotient.getRhs()) &&
           matchReduction<arith::AddFOp>(withoutBound(quotient.getRhs(), 1)) ==
               e;
  }

  static LogicalResult move(ContractOp op, unsigned number, Value e,
                            BroadcastOp repeated, PatternRewriter &rewriter) {
    AffineMap map = op.getOperandMap(number), result = op.getResultMap(0);
    // Of the factor's dimensions: their places in the result, and their order.
    SmallVector<std::pair<int64_t, int64_t>> places;
    for (int64_t dim : repeated.getDims()) {
      std::optional<unsigned> at = result.getResultPosition(map.getResult(dim));
      if (!at)
        return failure();
      places.push_back({*at, int64_t(places.size())});
    }
    llvm::sort(places);
    auto dims = llvm::to_vector(llvm::make_first_range(places));
    auto order = llvm::to_vector(llvm::make_second_range(places));
    return replaceByLessWork(rewriter, op, [&](TensorBuilder &b) {
      Value operands[] = {op.getLhs(), op.getRhs()};
      operands[number] =
          b.cast(e, getTensorType(operands[number]).getElementType());
      Value sum = b.make<ContractOp>(op.getType(), operands[0], operands[1],
                                     op.getMaps());
      Value factor = b.transpose(repeated.getOperand(), order);
      return b.mul(sum, b.broadcast(factor, op.getType().getShape(), dims));
    });
  }
};

/// x (1 / y) = x / y, where no other reads the reciprocal: x sigmoid(x) is
/// x / (1 + exp(-x)).
struct MultiplyByReciprocal : public OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    for (auto [x, factor] : {std::pair(op.getLhs(), op.getRhs()),
                             std::pair(op.getRhs(), op.getLhs())}) {
      auto reciprocal = factor.getDefiningOp<DivOp>();
      if (!reciprocal || !reciprocal->hasOneUse() || !isF32(op) ||
          getUniformFloat(reciprocal.getLhs()) != 1.0 || getUniformFloat(x) ||
          isPrecise(op))
        continue;
      return replaceByLessWork(
          rewriter, op,
          [value = x, divisor = reciprocal.getRhs()](TensorBuilder &b) {
            return b.div(value, divisor);
          });
    }
    return failure();
  }
};

/// x (-1) = -x and -(x c) = x (-c): a sign is one, or part of a factor.
struct MultiplyByMinusOne : public OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    if (getUniformFloat(op.getRhs()) != -1.0)
      return failure();
    rewriter.replaceOpWithNewOp<NegOp>(op, op.getLhs());
    return success();
  }
};
struct NegateFactor : public OpRewritePattern<NegOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(NegOp op,
                                PatternRewriter &rewriter) const override {
    auto mul = op.getOperand().getDefiningOp<MulOp>();
    std::optional<double> factor =
        mul ? getUniformFloat(mul.getRhs()) : std::nullopt;
    if (!factor || !mul->hasOneUse())
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, b.mul(mul.getLhs(), -*factor));
    return success();
  }
};

/// min(max(x + shift, low), high), which nothing else reads on the way.
struct ShiftedClamp {
  AddOp add;
  double shift, low, high;

  static std::optional<ShiftedClamp> match(Value value) {
    auto min = value.getDefiningOp<MinimumOp>();
    auto max = min ? min.getLhs().getDefiningOp<MaximumOp>() : MaximumOp();
    auto add = max ? max.getLhs().getDefiningOp<AddOp>() : AddOp();
    if (!add || !min->hasOneUse() || !max->hasOneUse() || !add->hasOneUse())
      return std::nullopt;
    std::optional<double> shift = getUniformFloat(add.getRhs()),
                          low = getUniformFloat(max.getRhs()),
                          high = getUniformFloat(min.getRhs());
    if (!shift || !low || !high)
      return std::nullopt;
    return ShiftedClamp{add, *shift, *low, *high};
  }

  /// Whether `factor` may go in: it keeps the order, and x * factor + shift *
  /// factor rounds by no more than what the bounds are rounded by.
  bool takes(double factor) const {
    return factor > 0 && std::fabs(shift) <= std::max(std::fabs(low), high) &&
           llvm::all_of(ArrayRef<double>{1, shift, low, high},
                        [&](double value) {
                          return value == 0 || isNormalF32(value * factor);
                        });
  }

  Value scaled(double factor, TensorBuilder &b) {
    Value x = b.mul(add.getLhs(), factor);
    x = b.add(x, shift * factor);
    x = b.max(x, low * factor);
    return b.min(x, high * factor);
  }
};

/// clip(x + s, l, h) c = clip(x c + s c, l c, h c), also where another factor
/// stands between the two: one operation less, and how HardSigmoid is defined.
struct ScaleClamp : public OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    if (!isF32(op))
      return failure();
    if (std::optional<double> factor = getUniformFloat(op.getRhs()))
      return scaleFactor(op, *factor, rewriter);
    // (x c) clip(...)
    for (auto [clamped, other] : {std::pair(op.getLhs(), op.getRhs()),
                                  std::pair(op.getRhs(), op.getLhs())}) {
      auto mul = other.getDefiningOp<MulOp>();
      std::optional<double> factor = mul && mul->hasOneUse()
                                         ? getUniformFloat(mul.getRhs())
                                         : std::nullopt;
      if (factor && tryScale(op, clamped, *factor, mul.getLhs(), rewriter))
        return success();
    }
    return failure();
  }

private:
  static LogicalResult scaleFactor(MulOp op, double factor,
                                   PatternRewriter &rewriter) {
    if (tryScale(op, op.getLhs(), factor, {}, rewriter))
      return success();
    auto inner = op.getLhs().getDefiningOp<MulOp>();
    if (!inner || !inner->hasOneUse())
      return failure();
    return success(
        tryScale(op, inner.getRhs(), factor, inner.getLhs(), rewriter) ||
        tryScale(op, inner.getLhs(), factor, inner.getRhs(), rewriter));
  }

  /// Replaces `op` by `clamped` with the factor in it, times `other` if there
  /// is one.
  static bool tryScale(MulOp op, Value clamped, double factor, Value other,
                       PatternRewriter &rewriter) {
    std::optional<ShiftedClamp> clamp = ShiftedClamp::match(clamped);
    if (!clamp || !clamp->takes(factor) || isPrecise(op))
      return false;
    return succeeded(replaceByLessWork(rewriter, op, [&](TensorBuilder &b) {
      Value result = clamp->scaled(factor, b);
      return other ? b.mul(other, result) : result;
    }));
  }
};

/// max(min(x, h), l) = min(max(x, l), h) for l <= h, as Clip is defined.
struct OrderBounds : public OpRewritePattern<MaximumOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MaximumOp op,
                                PatternRewriter &rewriter) const override {
    auto min = op.getLhs().getDefiningOp<MinimumOp>();
    if (!min || !min->hasOneUse())
      return failure();
    std::optional<double> low = getUniformFloat(op.getRhs()),
                          high = getUniformFloat(min.getRhs());
    if (!low || !high || !(*low <= *high))
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    Value atLeast = b.max(min.getLhs(), op.getRhs());
    rewriter.replaceOp(op, b.min(atLeast, min.getRhs()));
    return success();
  }
};
} // namespace

void fusec::fuse::populateSimplifyFactors(RuleSet &rules) {
  rules.add<ScaleClamp>(
      {"factors.scale-clamp", RuleArea::Compute, /*level=*/2, Bits::Changed,
       "Moves a factor behind a clamp into it, as HardSwish has it."},
      /*benefit=*/2);
  rules.add<DivideByConstant>({"factors.divide-by-constant", RuleArea::Compute,
                               /*level=*/2, Bits::Changed,
                               "Multiplies by the reciprocal of a constant."});
  rules.add<CombineFactors>({"factors.combine", RuleArea::Compute, /*level=*/2,
                             Bits::Changed,
                             "Multiplies two constant factors."});
  rules.add<MoveFactorInwards>({"factors.move-inwards", RuleArea::Compute,
                                /*level=*/2, Bits::Changed,
                                "Moves a power of two to the operand of fewer "
                                "elements, or that is computed first."});
  rules.add<DivideOncePerRow>(
      {"factors.divide-once", RuleArea::Compute, /*level=*/2, Bits::Changed,
       "Divides once for each row, and multiplies its elements."});
  rules.add<DivideSums>(
      {"factors.divide-sums", RuleArea::Compute, /*level=*/2, Bits::Changed,
       "Divides what a softmax is multiplied to, where that is less."});
  rules.add<MultiplyByReciprocal>(
      {"factors.multiply-by-reciprocal", RuleArea::Compute, /*level=*/2,
       Bits::Changed, "Divides instead of multiplying by a reciprocal."});
  rules.add<MultiplyByMinusOne>({"factors.minus-one", RuleArea::Compute,
                                 /*level=*/1, Bits::Kept,
                                 "Makes a sign of a product with -1."});
  rules.add<NegateFactor>({"factors.negate", RuleArea::Compute, /*level=*/1,
                           Bits::Kept, "Takes a sign into a constant factor."});
  rules.add<OrderBounds>({"factors.order-bounds", RuleArea::Compute,
                          /*level=*/2, Bits::Changed,
                          "Applies a lower bound before an upper one."});
}
