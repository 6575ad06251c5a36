// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant operands become constant results.
#include "passes/graph/Evaluate.h"
#include "passes/graph/Evaluator.h"
#include "passes/graph/Simplify.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Results that are no larger than this are always folded; above, only those
/// that do not outgrow their operands.
static constexpr int64_t kSmall = 65536;

/// How many times larger than its operand a rearranged weight may be: padding
/// and dilating filters costs no more.
static constexpr int64_t kRearrangedGrowth = 4;

/// Whether a reader of `op` gains from a result that lies in memory as it is:
/// views cannot read through an access, and contractions pack whole weights.
static bool isReadAsWhole(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(user);
    return isa<ReshapeOp>(user) || (primitive && primitive.hasReduction());
  });
}

/// Whether contractions are all that reads `op`, point by point.
static bool feedsContractions(Operation *op, unsigned steps = 12) {
  return steps > 0 && !op->use_empty() &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           bool passes =
               isPointByPoint(user) || isa<TransposeOp, ReshapeOp>(user);
           return isa<ContractOp>(user) ||
                  (passes && feedsContractions(user, steps - 1));
         });
}

/// Whether `op` widens a weight of less than a byte, which contractions do
/// where they read it: that takes less time than to read what it becomes.
static bool widensWeight(PrimitiveOpInterface op, const ConstantData &data) {
  return data.weight && isa<CastOp>(op) && isPartOfByte(data.type) &&
         !isPartOfByte(getTensorType(op->getResult(0))) &&
         feedsContractions(op);
}

namespace {
/// Computes primitives whose operands are known.
struct FoldConstant : public OpInterfaceRewritePattern<PrimitiveOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(PrimitiveOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (isa<BroadcastOp>(op) ||
        !llvm::all_of(op->getOperands(), hasConstantData))
      return failure();
    auto type = getTensorType(op->getResult(0));
    int64_t largest = 0;
    WeightOp weight;
    for (Value operand : op->getOperands()) {
      std::optional<ConstantData> data = getConstantData(operand);
      if (!data || widensWeight(op, *data))
        return failure();
      largest = std::max(largest, data->type.getNumElements());
      if (data->weight)
        weight = data->weight;
    }
    // What only moves elements, or only counts, stays an access of its reader,
    // unless that reader wants it whole.
    int64_t limit = ConstantOp::kMaxElements;
    if (isPointByPoint(op) || op.hasReduction())
      limit = std::max(largest, kSmall);
    else if (isReadAsWhole(op))
      limit = std::max(limit, largest * kRearrangedGrowth);
    if (type.getNumElements() > limit ||
        countSteps(op) > EvaluationLimits().steps)
      return failure();
    auto results = evaluate(op);
    if (!results)
      return failure();
    std::string hint = weight ? weight.getSymName().str() : "constant";
    hint += "_" + op->getName().stripDialect().str();
    SmallVector<Value> constants;
    for (auto [result, bytes] : llvm::zip(op->getResults(), *results))
      constants.push_back(createConstant(rewriter, op->getLoc(),
                                         getTensorType(result), bytes, hint));
    rewriter.replaceOp(op, constants);
    return success();
  }
};

/// A splat becomes a scalar and a broadcast.
struct SplitSplat : public OpRewritePattern<ConstantOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ConstantOp op,
                                PatternRewriter &rewriter) const override {
    auto type = getTensorType(op);
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!splat || type.getRank() == 0 || type.getNumElements() == 0)
      return failure();
    auto scalarType = type.clone(ArrayRef<int64_t>());
    Value scalar = ConstantOp::create(
        rewriter, op.getLoc(), scalarType,
        DenseElementsAttr::get(scalarType, splat.getSplatValue<Attribute>()));
    rewriter.replaceOpWithNewOp<BroadcastOp>(op, type, scalar,
                                             ArrayRef<int64_t>());
    return success();
  }
};

/// A reshape of a constant is a constant.
struct ReshapeConstant : public OpRewritePattern<ReshapeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ReshapeOp op,
                                PatternRewriter &rewriter) const override {
    auto constant = op.getOperand().getDefiningOp<ConstantOp>();
    auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue())
                             : DenseElementsAttr();
    if (!elements)
      return failure();
    rewriter.replaceOpWithNewOp<ConstantOp>(op, op.getType(),
                                            elements.reshape(op.getType()));
    return success();
  }
};
} // namespace

void fusec::fuse::populateFoldConstants(RewritePatternSet &patterns) {
  patterns.add<FoldConstant, SplitSplat, ReshapeConstant>(
      patterns.getContext());
}
