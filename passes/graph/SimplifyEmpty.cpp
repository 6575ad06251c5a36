// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors without elements: what has none is a constant, and what nothing is
// read for is known. No kernel loops over an empty domain then.
#include "passes/graph/Simplify.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static bool isEmpty(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getNumElements() == 0;
}

/// `number` in every element of a tensor of `type`, converted to its elements.
static Value createUniform(TypedAttr number, RankedTensorType type,
                           TensorBuilder &b) {
  auto scalarType = RankedTensorType::get({}, number.getType());
  Value scalar = b.make<ConstantOp>(
      scalarType, DenseElementsAttr::get(scalarType, Attribute(number)));
  return b.cast(b.broadcast(scalar, type.getShape(), {}),
                type.getElementType());
}

namespace {
/// Results without elements are constants without elements.
struct EmptyResults : public RewritePattern {
  explicit EmptyResults(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/10, context) {}

  LogicalResult matchAndRewrite(Operation *op,
                                PatternRewriter &rewriter) const override {
    if (isa<ConstantOp>(op) || op->getNumResults() == 0 || !isPure(op) ||
        !llvm::all_of(op->getResults(), isEmpty))
      return failure();
    SmallVector<Value> constants;
    for (Value result : op->getResults())
      constants.push_back(
          ConstantOp::create(rewriter, op->getLoc(), getTensorType(result),
                             DenseElementsAttr::get(getTensorType(result),
                                                    ArrayRef<Attribute>())));
    rewriter.replaceOp(op, constants);
    return success();
  }
};

/// A reduction over no elements is where it starts.
struct EmptyReduction : public OpInterfaceRewritePattern<PrimitiveOpInterface> {
  EmptyReduction(MLIRContext *context)
      : OpInterfaceRewritePattern(context, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(PrimitiveOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!op.hasReduction() || llvm::any_of(op->getResults(), isEmpty) ||
        !llvm::is_contained(op.getIterationExtents(), 0))
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    SmallVector<Value> values;
    for (OpResult result : op->getResults())
      values.push_back(createUniform(op.getInit(result.getResultNumber()),
                                     getTensorType(result), b));
    rewriter.replaceOp(op, values);
    return success();
  }
};

/// Around an empty operand there is only the fill.
struct FillOfEmpty : public OpInterfaceRewritePattern<PrimitiveOpInterface> {
  FillOfEmpty(MLIRContext *context)
      : OpInterfaceRewritePattern(context, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(PrimitiveOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
        !isEmpty(op->getOperand(0)) || !op.getPadding(0) ||
        op.getPlacement(0) || op.hasReduction())
      return failure();
    TensorBuilder b(rewriter, op.getLoc());
    rewriter.replaceOp(op, createUniform(op.getPadding(0),
                                         getTensorType(op->getResult(0)), b));
    return success();
  }
};

/// An operand without elements has no place in a concatenation.
struct ConcatOfEmpty : public OpRewritePattern<ConcatOp> {
  ConcatOfEmpty(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(ConcatOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<Value> rest;
    for (Value operand : op.getOperands())
      if (!isEmpty(operand))
        rest.push_back(operand);
    if (rest.empty() || rest.size() == op.getOperands().size())
      return failure();
    if (rest.size() == 1)
      rewriter.replaceOp(op, rest.front());
    else
      rewriter.replaceOpWithNewOp<ConcatOp>(op, op.getType(), rest,
                                            op.getAxis());
    return success();
  }
};
} // namespace

void fusec::fuse::populateSimplifyEmpty(RuleSet &rules) {
  rules.add<EmptyResults>({"empty.results", RuleArea::Compute, /*level=*/0,
                           Bits::Kept,
                           "Makes a constant of what has no elements."});
  rules.add<EmptyReduction>(
      {"empty.reduction", RuleArea::Compute, /*level=*/0, Bits::Kept,
       "Makes its initial value of a reduction over no elements."});
  rules.add<FillOfEmpty>(
      {"empty.fill", RuleArea::Compute, /*level=*/0, Bits::Kept,
       "Makes the fill of what surrounds a tensor without elements."});
  rules.add<ConcatOfEmpty>(
      {"empty.concat", RuleArea::Compute, /*level=*/0, Bits::Kept,
       "Leaves tensors without elements out of concatenations."});
}
