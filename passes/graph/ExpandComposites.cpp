// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/ExpandComposites.h"

#include "dialects/coded/CodedFloats.h"
#include "passes/OptionWords.h"
#include "passes/graph/CompositeExpander.h"
#include "passes/graph/Passes.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

#include <cmath>

namespace fusec::fuse {
#define GEN_PASS_DEF_EXPANDCOMPOSITES
#include "passes/graph/Passes.h.inc"
} // namespace fusec::fuse

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static bool isIntegral(double value) {
  return std::fabs(value) < 0x1p63 && value == std::trunc(value);
}

/// Whether the composite's formula makes sense over integers and booleans.
static bool coversIntegers(Operation *op) {
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ReluOp, ClipOp, PReluOp, MatmulOp, ConvOp, ConvTransposeOp,
            CumulateOp, MaxPoolIndicesOp, ResizeOp, QuantizeOp, DequantizeOp,
            MatmulIntegerOp, ConvIntegerOp, QLinearMatmulOp, QLinearConvOp>(
          [](auto) { return true; })
      .Case<ArgMaxOp, ArgMinOp>([](auto) { return true; })
      .Case([](GemmOp gemm) {
        return isIntegral(gemm.getAlpha().convertToDouble()) &&
               isIntegral(gemm.getBeta().convertToDouble());
      })
      .Case([](PoolOp pool) { return pool.getKind() == PoolKind::max; })
      .Case([](ReductionOp reduction) {
        switch (reduction.getKind()) {
        case ReductionKind::l2:
        case ReductionKind::log_sum:
        case ReductionKind::log_sum_exp:
          return false;
        default:
          return true;
        }
      })
      .Default([](Operation *) { return false; });
}

/// Reports what would compute on codes of f8, f6 or f4, which are moved and
/// cast.
static LogicalResult checkNumbers(Operation *op) {
  bool computes = isa<PrimitiveOpInterface>(op) || op->hasTrait<Composite>();
  if (!computes || op->hasTrait<TakesCodes>())
    return success();
  for (Type type : op->getOperandTypes())
    if (isCoded(type))
      return op->emitOpError()
             << "cannot compute on " << getElementTypeOrSelf(type)
             << "; cast the operand to f32 first";
  return success();
}

bool CompositeExpander::coversElements(Operation *op) {
  Type type = getTensorType(op->getOperand(0)).getElementType();
  return isa<FloatType>(type) || coversIntegers(op);
}

/// Reports a composite whose element type its formula does not cover.
static LogicalResult checkElementType(Operation *op) {
  if (CompositeExpander::coversElements(op))
    return success();
  Type type = getTensorType(op->getOperand(0)).getElementType();
  return op->emitOpError() << "cannot be expanded over " << type
                           << ": its formula needs floating point; cast the "
                              "operand to f32 first";
}

/// An average that divides by another count at each border cannot be turned
/// into a multiplication; beyond the size of a constant it is computed in
/// place.
static void remarkOnFormulas(PoolOp op) {
  ArrayRef<int64_t> extents = getTensorType(op.getResult()).getShape();
  for (auto [dim, extent] :
       llvm::enumerate(extents.take_back(op.getSizes().size())))
    if (op.getKind() == PoolKind::average && !countsAlike(op, dim) &&
        extent > ConstantOp::kMaxElements)
      op.emitRemark() << "divisor stays a formula of the index: windows along "
                         "dimension "
                      << extents.size() - op.getSizes().size() + dim
                      << " count differently and its extent " << extent
                      << " exceeds a constant's " << ConstantOp::kMaxElements
                      << " elements";
}

static bool containsComposite(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return op->hasTrait<Composite>() ? WalkResult::interrupt()
                                         : WalkResult::advance();
      })
      .wasInterrupted();
}

template <typename... Populate>
static FrozenRewritePatternSet freeze(MLIRContext *context,
                                      Populate... populate) {
  RewritePatternSet patterns(context);
  (populate(patterns), ...);
  return FrozenRewritePatternSet(std::move(patterns));
}

CompositeExpander::CompositeExpander(MLIRContext *context)
    : layers(freeze(context, populateExpandRecurrent)),
      patterns(freeze(context, populateExpandActivations,
                      populateExpandAttention, populateExpandContractions,
                      populateExpandConvTranspose, populateExpandLosses,
                      populateExpandNorms, populateExpandPooling,
                      populateExpandQuantized, populateExpandReductions,
                      populateExpandResize, populateExpandSampling)) {}

void CompositeExpander::expand(Operation *root) const {
  // Layers first: their steps hold activations.
  walkAndApplyPatterns(root, layers);
  // A walk does not see what it creates: composites of composites take more.
  constexpr unsigned kMaxDepth = 4;
  for (unsigned depth = 0; depth < kMaxDepth && containsComposite(root);
       ++depth)
    walkAndApplyPatterns(root, patterns);
}

void CompositeExpander::expandOne(Operation *composite) const {
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingOps)
      .enableFolding(false);
  bool isChanged = false;
  // Layers have patterns of their own.
  for (const FrozenRewritePatternSet *set : {&layers, &patterns})
    if (!isChanged)
      (void)applyOpPatternsGreedily(composite, *set, config, &isChanged);
}

void fuse::listExpansionRules(SmallVectorImpl<Rule> &rules) {
  rules.append({kQuantisedCodesRule, kQuantisedProductsRule});
}

namespace {
struct ExpandCompositesPass
    : public fusec::fuse::impl::ExpandCompositesBase<ExpandCompositesPass> {
  using ExpandCompositesBase::ExpandCompositesBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkWord(context, getArgument(), "precision", precision,
                     {"auto", "strict", "relaxed"});
  }

  void runOnOperation() override {
    bool failed = false;
    unsigned count = 0;
    getOperation()->walk([&](Operation *op) {
      failed |= mlir::failed(checkNumbers(op));
      if (!op->hasTrait<Composite>())
        return;
      ++count;
      failed |= mlir::failed(checkElementType(op));
    });
    if (failed)
      return signalPassFailure();
    if (remarks)
      getOperation()->walk(remarkOnFormulas);
    const bool keepsCodes = !isDisabled(kQuantisedCodesRule.name, disabled);
    if (keepsCodes)
      walkAndApplyPatterns(getOperation(),
                           freeze(&getContext(), populateKeepCodes));
    if (precision != "strict" &&
        !isDisabled(kQuantisedProductsRule.name, disabled))
      walkAndApplyPatterns(getOperation(),
                           freeze(&getContext(), populateFoldQuantized));
    if (keepsCodes)
      walkAndApplyPatterns(getOperation(),
                           freeze(&getContext(), populateDecodeFirst));
    CompositeExpander(&getContext()).expand(getOperation());
    numExpanded += count;
  }
};
} // namespace
