// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algebra of elementwise operations. Every rule holds for NaN and infinities;
// the sign of a zero may change (x + 0), and a product of constants or a
// reciprocal rounds once more or once less, where no decision hangs on a last
// bit.
#include "passes/graph/Simplify.h"

#include "dialects/coded/CodedFloats.h"

#include <cmath>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

bool fusec::fuse::isPointByPoint(Operation *op) {
  auto primitive = dyn_cast<PrimitiveOpInterface>(op);
  return primitive && op->getNumOperands() != 0 && op->getNumResults() == 1 &&
         op->getNumRegions() == 0 && !op->hasTrait<MovesElements>() &&
         primitive.isElementwise();
}

Value fusec::fuse::cloneElementwise(OpBuilder &builder, Operation *op,
                                    ValueRange operands,
                                    ArrayRef<int64_t> shape) {
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addAttributes(op->getAttrs());
  state.addTypes(getTensorType(op->getResult(0)).clone(shape));
  return builder.create(state)->getResult(0);
}

static bool isUniform(Value value) {
  return getUniformFloat(value) || getUniformInteger(value);
}

/// Whether multiplying by `factor` neither overflows nor loses precision by
/// itself.
static bool isNormal(double factor) {
  return std::isnormal(static_cast<float>(factor));
}

static bool isF32(Value value) {
  return getTensorType(value).getElementType().isF32();
}

namespace {
/// op(broadcast a, broadcast b) = broadcast op(a, b) where both repeat along
/// the same dimensions, or one is a scalar.
struct HoistAboveBroadcast
    : public OpInterfaceRewritePattern<PrimitiveOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(PrimitiveOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isPointByPoint(op))
      return failure();
    BroadcastOp shaped;
    for (Value operand : op->getOperands()) {
      auto broadcast = operand.getDefiningOp<BroadcastOp>();
      if (!broadcast)
        return failure();
      if (getTensorType(broadcast.getOperand()).getRank() == 0)
        continue;
      if (shaped && (shaped.getDims() != broadcast.getDims() ||
                     getTensorType(shaped.getOperand()).getShape() !=
                         getTensorType(broadcast.getOperand()).getShape()))
        return failure();
      shaped = broadcast;
    }
    ArrayRef<int64_t> shape, dims;
    if (shaped) {
      shape = getTensorType(shaped.getOperand()).getShape();
      dims = shaped.getDims();
    }
    TensorBuilder b(rewriter, op.getLoc());
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      Value source = operand.getDefiningOp<BroadcastOp>().getOperand();
      operands.push_back(getTensorType(source).getRank() == 0
                             ? b.broadcast(source, shape, {})
                             : source);
    }
    Value result = cloneElementwise(rewriter, op, operands, shape);
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, op->getResult(0).getType(),
                                             result, dims);
    return success();
  }
};

/// Where an operand of a commutative operation stands: what is computed point
/// by point, what a view shows of something smaller or elsewhere, constants
/// that differ from point to point, constants that do not.
static unsigned getRankAsOperand(Value value) {
  if (isUniform(value))
    return 3;
  if (getConstantData(value))
    return 2;
  auto primitive = value.getDefiningOp<PrimitiveOpInterface>();
  bool isSeenThrough = primitive && primitive->getNumOperands() == 1 &&
                       !primitive.hasReduction() && !primitive.isElementwise();
  return isSeenThrough ? 1 : 0;
}

/// Operands of commutative operations stand in the order of their ranks, and
/// equals as they are.
struct OrderOperands : public OpTraitRewritePattern<OpTrait::IsCommutative> {
  using OpTraitRewritePattern::OpTraitRewritePattern;

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    // MLIR's folding puts a constant on the right, and would do so again.
    if (!isPointByPoint(op) || op->getNumOperands() != 2 ||
        op->getOperand(1).getDefiningOp<ConstantOp>() ||
        getRankAsOperand(op->getOperand(0)) <=
            getRankAsOperand(op->getOperand(1)))
      return failure();
    rewriter.modifyOpInPlace(
        op, [&] { op->setOperands({op->getOperand(1), op->getOperand(0)}); });
    return success();
  }
};

/// x op c = x for the right-neutral c of an operation: x + 0, x * 1, max(x,
/// -inf).
template <typename Op> struct RightNeutral : public OpRewritePattern<Op> {
  RightNeutral(MLIRContext *context, double neutral)
      : OpRewritePattern<Op>(context), neutral(neutral) {}

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    bool isNeutral = getUniformFloat(op.getRhs()) == neutral ||
                     (std::isfinite(neutral) &&
                      getUniformInteger(op.getRhs()) == int64_t(neutral));
    if (!isNeutral)
      return failure();
    rewriter.replaceOp(op, op.getLhs());
    return success();
  }
  double neutral;
};

/// Whether a last bit of `value` may decide about more than last bits: it is
/// rounded, compared or made an integer, at once or further on. Operations that
/// are not primitives yet may do so inside.
static bool isDecisive(Value value) {
  constexpr size_t kFarEnough =
      1000; // operations; then it is taken for granted
  SmallVector<Value> open{value};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!open.empty()) {
    for (Operation *user : open.pop_back_val().getUsers()) {
      if (isa<func::ReturnOp>(user) || !seen.insert(user).second)
        continue;
      if (!isa<PrimitiveOpInterface>(user) || seen.size() > kFarEnough ||
          isa<RoundOp, FloorOp, CeilOp, SignOp, ModOp, FmodOp>(user))
        return true;
      for (Value result : user->getResults()) {
        if (isa<IntegerType>(getTensorType(result).getElementType()))
          return true;
        open.push_back(result);
      }
    }
  }
  return false;
}

/// Multiplying by it and dividing by it only change the exponent.
static bool isPowerOfTwo(double factor) {
  int exponent;
  return std::fabs(std::frexp(factor, &exponent)) == 0.5;
}

/// x / c = x (1 / c).
struct DivideByConstant : public OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<double> divisor = getUniformFloat(op.getRhs());
    // A quotient of constants is folded, and rounds once.
    if (!divisor || !isF32(op) || !isNormal(*divisor) ||
        !isNormal(1 / *divisor) || getConstantData(op.getLhs()) ||
        (!isPowerOfTwo(*divisor) && isDecisive(op)))
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, b.binary<MulOp>(op.getLhs(), 1 / *divisor));
    return success();
  }
};

/// x to the power 0.5: minus infinity has one, but no root.
static Value buildSquareRoot(Value x, TensorBuilder &b) {
  Value isLowest = b.compare(CmpPredicate::eq, x, b.splatLike(-INFINITY, x));
  Value infinity = b.splatLike(INFINITY, x);
  return b.select(isLowest, infinity, b.unary<SqrtOp>(x));
}

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
      result = b.mul(b.mul(x, x), x);
    else if (exponent == 0.5)
      result = buildSquareRoot(x, b);
    else if (exponent == -1.0 && isF32(x))
      result = b.binary<DivOp>(1.0, x);
    else
      return failure();
    rewriter.replaceOp(op, result);
    return success();
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
    if (!c || !d || !isNormal(*c) || !isNormal(*d) || !isNormal(*c * *d) ||
        (!isPowerOfTwo(*c) && !isPowerOfTwo(*d) && isDecisive(op)))
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, b.binary<MulOp>(inner.getLhs(), *c * *d));
    return success();
  }
};

/// Whether `a` is computed before `b`: an argument, or earlier in the block.
bool isBefore(Value a, Value b) {
  Operation *x = a.getDefiningOp(), *y = b.getDefiningOp();
  if (!x || !y)
    return !x && y;
  return x != y && x->getBlock() == y->getBlock() && x->isBeforeInBlock(y);
}

/// (x t) c = (x c) t for a power of two c below 1, where x is computed before
/// t: one place for the 1/2 of a GELU, wherever it was written.
struct MoveFactorInwards : public OpRewritePattern<MulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MulOp op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getLhs().getDefiningOp<MulOp>();
    std::optional<double> c = getUniformFloat(op.getRhs());
    if (!inner || !c || !inner->hasOneUse() || std::fabs(*c) > 1 ||
        !isPowerOfTwo(*c))
      return failure();
    Value first = inner.getLhs(), second = inner.getRhs();
    if (first == second)
      return failure();
    if (isBefore(second, first))
      std::swap(first, second);
    rewriter.setInsertionPoint(inner);
    TensorBuilder b(rewriter, op.getLoc());
    Value scaled = b.binary<MulOp>(first, *c);
    rewriter.setInsertionPoint(op);
    rewriter.replaceOp(op, b.mul(scaled, second));
    return success();
  }
};

/// cast(cast x) = cast x if the first one keeps every value.
struct CombineCasts : public OpRewritePattern<CastOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CastOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getOperand().getType() == op.getType()) {
      rewriter.replaceOp(op, op.getOperand());
      return success();
    }
    auto inner = op.getOperand().getDefiningOp<CastOp>();
    if (!inner ||
        !isExactCast(getTensorType(inner.getOperand()).getElementType(),
                     getTensorType(inner).getElementType()))
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(
        op, b.cast(inner.getOperand(), getTensorType(op).getElementType()));
    return success();
  }
};

/// f(f(x)) = x.
template <typename Op> struct Involution : public OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto inner = op.getOperand().template getDefiningOp<Op>();
    if (!inner)
      return failure();
    rewriter.replaceOp(op, inner.getOperand());
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

/// Whether 1 / `value` is a normal number wherever x / value is not NaN, 0 or
/// infinite anyway: a square root has half of the exponents, and the sum of a
/// softmax is at least 1.
bool hasSafeReciprocal(Value value) {
  if (value.getDefiningOp<SqrtOp>())
    return true;
  Value summed = matchReduction<arith::AddFOp>(value);
  auto exp = summed ? summed.getDefiningOp<ExpOp>() : ExpOp();
  auto shifted = exp ? exp.getOperand().getDefiningOp<SubOp>() : SubOp();
  auto repeated =
      shifted ? shifted.getRhs().getDefiningOp<BroadcastOp>() : BroadcastOp();
  return repeated && matchReduction<arith::MaximumFOp>(repeated.getOperand()) ==
                         shifted.getLhs();
}

/// x / broadcast s = x broadcast(1 / s): a division per row, not per element.
struct DivideOncePerRow : public OpRewritePattern<DivOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DivOp op,
                                PatternRewriter &rewriter) const override {
    auto repeated = op.getRhs().getDefiningOp<BroadcastOp>();
    if (!repeated || !isF32(op) || !hasSafeReciprocal(repeated.getOperand()) ||
        getTensorType(repeated.getOperand()).getNumElements() ==
            getTensorType(op).getNumElements() ||
        isDecisive(op))
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    Value reciprocal = b.binary<DivOp>(1.0, repeated.getOperand());
    Value factor = b.broadcast(reciprocal, getTensorType(op).getShape(),
                               repeated.getDims());
    rewriter.replaceOp(op, b.mul(op.getLhs(), factor));
    return success();
  }
};
} // namespace

bool fusec::fuse::isExactCast(Type from, Type to) {
  if (from == to)
    return true;
  if (from.isInteger(1)) // Powers of two lack 0.
    return !isExponent(to);
  unsigned width = from.getIntOrFloatBitWidth();
  auto source = dyn_cast<FloatType>(from), target = dyn_cast<FloatType>(to);
  if (source) // Codes may lack a sign, a zero or an infinity.
    return target && !isCoded(to) &&
           APFloat::isRepresentableBy(source.getFloatSemantics(),
                                      target.getFloatSemantics());
  if (target)
    return target.getFPMantissaWidth() > width;
  // An unsigned integer fits into a wider signed one.
  return to.getIntOrFloatBitWidth() > width && !to.isUnsignedInteger();
}

void fusec::fuse::populateSimplifyElementwise(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<HoistAboveBroadcast>(context, /*benefit=*/2);
  patterns.add<OrderOperands, DivideByConstant, ExpandPower, CombineFactors,
               MoveFactorInwards, CombineCasts, Involution<NegOp>,
               Involution<NotOp>, DivideOncePerRow>(context);
  patterns.add<RightNeutral<AddOp>, RightNeutral<SubOp>>(context, 0.0);
  patterns.add<RightNeutral<MulOp>, RightNeutral<DivOp>>(context, 1.0);
  patterns.add<RightNeutral<MaximumOp>>(context, -INFINITY);
  patterns.add<RightNeutral<MinimumOp>>(context, INFINITY);
}
