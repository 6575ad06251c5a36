// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constant operands become constant results.
#include "passes/graph/Evaluate.h"
#include "passes/graph/Evaluator.h"
#include "passes/graph/Simplify.h"

#include "dialects/TargetInfo.h"
#include "dialects/coded/CodedFloats.h"
#include "passes/Expansion.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Results that are no larger than this are always folded; above, only those
/// that do not outgrow their operands.
static constexpr int64_t kSmall = 65536;

/// How many times larger than its operand a rearranged weight may be: padding
/// and dilating filters costs no more.
static constexpr int64_t kRearrangedGrowth = 4;

int64_t fusec::fuse::getComputedLimit(int64_t largest) {
  return std::max(largest, kSmall);
}

/// Whether a reader of `op` gains from a result that lies in memory as it is:
/// views cannot read through an access, and contractions pack whole weights.
static bool isReadAsWhole(Operation *op) {
  return llvm::any_of(op->getUsers(), [](Operation *user) {
    auto primitive = dyn_cast<PrimitiveOpInterface>(user);
    return isa<ReshapeOp>(user) || (primitive && primitive.hasReduction());
  });
}

/// Whether a contraction of floats multiplies each of the `elements` of one of
/// its operands, which are codes of a byte, so rarely that to compute what they
/// stand for each time takes less than to load that from memory.
static bool isReadRarely(ContractOp op, int64_t elements) {
  const TargetInfo &target = getTargetInfo(op);
  auto type = getTensorType(op->getResult(0));
  if (target.hasBlocks() || !isa<FloatType>(type.getElementType()))
    return false;
  double uses = 1 / double(elements);
  for (int64_t extent : op.getIterationExtents())
    uses *= double(extent);
  // To extend a vector of codes, to convert it, and two steps of arithmetic.
  // The rows of a tile share it. Floats have four times the bytes.
  const OperationCosts &costs = target.costs;
  const double loads = std::max(1.0, uses / double(target.getRows(4)));
  return loads * 4 * costs.simple < costs.memoryLoad * 3 / 4;
}

/// Whether contractions are all that reads `op`, point by point: where
/// `elements` is not 0, so rarely as above, or together with other codes.
static bool feedsContractions(Operation *op, int64_t elements,
                              unsigned steps = 12) {
  return steps > 0 && !op->use_empty() &&
         llvm::all_of(op->getUsers(), [&](Operation *user) {
           if (auto contract = dyn_cast<ContractOp>(user))
             return elements == 0 || isReadRarely(contract, elements) ||
                    multipliesCodedRows(contract);
           // Contractions iterate over what a reshape merges, not over what it
           // splits.
           auto reshape = dyn_cast<ReshapeOp>(user);
           bool merges =
               reshape && (elements == 0 ||
                           getTensorType(reshape).getRank() <
                               getTensorType(reshape.getOperand()).getRank());
           return (isPointByPoint(user) || isa<TransposeOp>(user) || merges) &&
                  feedsContractions(user, elements, steps - 1);
         });
}

/// Whether `op` widens a weight of few bits, which contractions do where they
/// read it: of less than a byte that always takes less time than to read what
/// it becomes, of a byte not where that is small.
static bool widensWeight(PrimitiveOpInterface op, const ConstantData &data) {
  if (!data.weight || !isa<CastOp>(op) || !isNarrowWeight(data.type))
    return false;
  auto result = getTensorType(op->getResult(0));
  if (isPartOfByte(data.type))
    return !isPartOfByte(result) && feedsContractions(op, 0);
  return result.getElementTypeBitWidth() > 8 &&
         feedsContractions(op, data.type.getNumElements());
}

/// Whether kernels give `op`, of a body, the bits that the compiler gives it:
/// it is exact, or rounded once. A maximum of two zeros has the sign of
/// either, functions are approximated, and what becomes of floats that no
/// integer has depends on the processor.
static bool roundsOnce(Operation &op) {
  if (isa<arith::MulFOp>(op)) // It may be one operation with a sum behind it.
    return llvm::none_of(op.getUsers(),
                         llvm::IsaPred<arith::AddFOp, arith::SubFOp>);
  if (isa<arith::MaximumFOp, arith::MinimumFOp, arith::RemFOp, arith::FPToSIOp,
          arith::FPToUIOp>(op))
    return false;
  return isa<arith::ArithDialect>(op.getDialect()) ||
         isa<YieldOp, math::AbsFOp, math::CeilOp, math::FloorOp,
             math::RoundEvenOp, math::SqrtOp, math::IPowIOp>(op);
}

/// The same of a primitive. Sums of floats are added in an order of the
/// kernel's own.
static bool isExact(PrimitiveOpInterface op) {
  auto isInteger = [](Value value) {
    return isa<IntegerType>(getTensorType(value).getElementType());
  };
  auto isCodedFloat = [](Value value) {
    return isCoded(getTensorType(value).getElementType());
  };
  if (op.hasReduction())
    return llvm::all_of(op->getOperands(), isInteger) &&
           llvm::all_of(op->getResults(), isInteger);
  if (llvm::any_of(op->getOperands(), isCodedFloat) ||
      llvm::any_of(op->getResults(), isCodedFloat))
    return false;
  Block body;
  buildBodyIn(body, op);
  return llvm::all_of(body, roundsOnce);
}

namespace {
/// Computes primitives whose operands are known: those that are exact, or all
/// others.
struct FoldConstant : public OpInterfaceRewritePattern<PrimitiveOpInterface> {
  FoldConstant(MLIRContext *context, bool exact, int64_t maxBytes)
      : OpInterfaceRewritePattern(context), exact(exact), maxBytes(maxBytes) {}

  LogicalResult matchAndRewrite(PrimitiveOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (isa<BroadcastOp>(op) ||
        !llvm::all_of(op->getOperands(), hasConstantData))
      return failure();
    auto type = getTensorType(op->getResult(0));
    int64_t largest = 0;
    WeightOp weight;
    // Of weights, which are looked for by name, each is looked for once.
    llvm::SmallDenseMap<Value, std::optional<ConstantData>, 4> known;
    for (Value operand : op->getOperands()) {
      const std::optional<ConstantData> &data =
          known.try_emplace(operand, getConstantData(operand)).first->second;
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
      limit = getComputedLimit(largest);
    else if (isReadAsWhole(op))
      limit = std::max(limit, largest * kRearrangedGrowth);
    if (type.getNumElements() > limit || isExact(op) != exact)
      return failure();
    if (countSteps(op) > EvaluationLimits().steps)
      return rewriter.notifyMatchFailure(
          op, "it would take more than " + Twine(EvaluationLimits().steps) +
                  " steps");
    int64_t bytes = countBytes(op);
    if (bytes > maxBytes)
      return rewriter.notifyMatchFailure(
          op, "the constant would have " + Twine(bytes) +
                  " bytes, more than the " + Twine(maxBytes) +
                  " of max-folded-bytes");
    auto results =
        evaluate(op, [&](Value operand) { return known.lookup(operand); });
    if (!results)
      return failure();
    std::string hint = weight ? weight.getSymName().str() : "constant";
    hint += "_" + op->getName().stripDialect().str();
    SmallVector<Value> constants;
    for (auto [result, bytes] : llvm::zip(op->getResults(), *results))
      constants.push_back(createConstant(
          rewriter, op->getLoc(), getTensorType(result), bytes, hint, weight));
    rewriter.replaceOp(op, constants);
    return success();
  }

private:
  static int64_t countBytes(PrimitiveOpInterface op) {
    int64_t bytes = 0;
    for (Value result : op->getResults()) {
      auto type = getTensorType(result);
      bytes += type.getNumElements() *
               getTypeInfo(type.getElementType())->storageBytes();
    }
    return bytes;
  }

  bool exact;
  int64_t maxBytes;
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

void fusec::fuse::populateFoldConstants(RuleSet &rules) {
  rules.add<FoldConstant>(
      {"constants.fold-exact", RuleArea::Compute, /*level=*/1, Bits::Kept,
       "Computes what follows from constants, where the kernels get the same "
       "bits: each result is rounded once, is an integer or is moved."},
      /*exact=*/true, rules.maxFoldedBytes);
  rules.add<FoldConstant>(
      {"constants.fold", RuleArea::Compute, /*level=*/2, Bits::Changed,
       "Computes the sums, functions and other results that follow from "
       "constants and that kernels round in ways of their own."},
      /*exact=*/false, rules.maxFoldedBytes);
  rules.add<SplitSplat>({"constants.split-splat", RuleArea::Compute,
                         /*level=*/0, Bits::Kept,
                         "Writes a constant whose elements are equal as one "
                         "number that is repeated."});
  rules.add<ReshapeConstant>(
      {"constants.reshape", RuleArea::Compute, /*level=*/1, Bits::Kept,
       "Gives a constant the shape that a reshape of it has."});
}
