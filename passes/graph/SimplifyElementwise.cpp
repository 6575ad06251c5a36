// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algebra of elementwise operations. Every rule holds for NaN and infinities;
// the sign of a zero may change (x + 0).
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

bool fusec::fuse::isUniform(Value value) {
  return getUniformFloat(value) || getUniformInteger(value);
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
/// by point, what is kept within bounds (x before its HardSigmoid), what a view
/// shows of something smaller or elsewhere, constants that differ from point to
/// point, constants that do not.
static unsigned getRankAsOperand(Value value) {
  if (isUniform(value))
    return 4;
  if (hasConstantData(value))
    return 3;
  auto primitive = value.getDefiningOp<PrimitiveOpInterface>();
  bool isSeenThrough = primitive && primitive->getNumOperands() == 1 &&
                       !primitive.hasReduction() && !primitive.isElementwise();
  if (isSeenThrough)
    return 2;
  auto min = value.getDefiningOp<MinimumOp>();
  return min && isUniform(min.getRhs()) &&
                 min.getLhs().getDefiningOp<MaximumOp>()
             ? 1
             : 0;
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

/// x == x for integers; of floats, NaN differs from itself.
struct CompareEqual : public OpRewritePattern<CmpOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CmpOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getLhs() != op.getRhs() ||
        !isa<IntegerType>(getTensorType(op.getLhs()).getElementType()))
      return failure();
    using P = CmpPredicate;
    bool holds = llvm::is_contained({P::eq, P::le, P::ge}, op.getPredicate());
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, b.splat(holds, getTensorType(op)));
    return success();
  }
};

/// select(c, x, x) = x.
struct SelectEqual : public OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    if (op->getOperand(1) != op->getOperand(2))
      return failure();
    rewriter.replaceOp(op, op->getOperand(1));
    return success();
  }
};

/// select(not c, x, y) = select(c, y, x), also where the condition is repeated.
struct SelectNot : public OpRewritePattern<SelectOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(SelectOp op,
                                PatternRewriter &rewriter) const override {
    Value condition = op->getOperand(0);
    auto repeated = condition.getDefiningOp<BroadcastOp>();
    auto negated =
        (repeated ? repeated.getOperand() : condition).getDefiningOp<NotOp>();
    if (!negated)
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    Value holds = negated.getOperand();
    if (repeated)
      holds = b.broadcast(holds, getTensorType(condition).getShape(),
                          repeated.getDims());
    rewriter.replaceOp(op, b.select(holds, op.getRhs(), op.getLhs()));
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

} // namespace

bool fusec::fuse::holds(Value value, Value source) {
  if (value == source)
    return true;
  auto cast = value.getDefiningOp<CastOp>();
  return cast && cast.getOperand() == source &&
         isExactCast(getTensorType(source).getElementType(),
                     getTensorType(value).getElementType());
}

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

void fusec::fuse::populateSimplifyElementwise(RuleSet &rules) {
  rules.add<HoistAboveBroadcast>(
      {"elementwise.hoist", RuleArea::Compute, /*level=*/1, Bits::Kept,
       "Computes before a repetition, once for each element that is repeated."},
      /*benefit=*/2);
  rules.add<OrderOperands>(
      {"elementwise.order-operands", RuleArea::Compute, /*level=*/2,
       Bits::Changed, "Puts operands of commutative operations in one order."});
  rules.add<CombineCasts>(
      {"elementwise.combine-casts", RuleArea::QDQ, /*level=*/1, Bits::Kept,
       "Drops a cast that keeps every value before another one."});
  rules.add<CompareEqual>(
      {"elementwise.compare-equal", RuleArea::Compute, /*level=*/1, Bits::Kept,
       "Answers the comparison of an integer with itself."});
  rules.add<SelectEqual>({"elementwise.select-equal", RuleArea::Compute,
                          /*level=*/1, Bits::Kept,
                          "Drops a choice between equals."});
  rules.add<SelectNot>({"elementwise.select-not", RuleArea::Compute,
                        /*level=*/1, Bits::Kept,
                        "Chooses by a condition, not by its negation."});
  rules.add<Involution<NegOp>>({"elementwise.neg-neg", RuleArea::Compute,
                                /*level=*/1, Bits::Kept, "Drops two signs."});
  rules.add<Involution<NotOp>>({"elementwise.not-not", RuleArea::Compute,
                                /*level=*/1, Bits::Kept,
                                "Drops two negations."});
  rules.add<RightNeutral<AddOp>, RightNeutral<SubOp>>(
      {"elementwise.add-zero", RuleArea::Compute, /*level=*/2, Bits::Changed,
       "Drops a sum with 0, which would make 0 of -0."},
      0.0);
  rules.add<RightNeutral<MulOp>, RightNeutral<DivOp>>(
      {"elementwise.multiply-by-one", RuleArea::Compute, /*level=*/1,
       Bits::Kept, "Drops a product with 1, or a quotient."},
      1.0);
  rules.add<RightNeutral<MaximumOp>>(
      {"elementwise.no-lower-bound", RuleArea::Compute, /*level=*/1, Bits::Kept,
       "Drops the maximum with minus infinity."},
      -INFINITY);
  rules.add<RightNeutral<MinimumOp>>(
      {"elementwise.no-upper-bound", RuleArea::Compute, /*level=*/1, Bits::Kept,
       "Drops the minimum with infinity."},
      INFINITY);
}
