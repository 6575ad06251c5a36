// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --fuse-simplify: see Passes.td.
#include "passes/graph/Simplify.h"

#include "passes/graph/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/StringSet.h"

namespace fusec::fuse {
#define GEN_PASS_DEF_SIMPLIFY
#include "passes/graph/Passes.h.inc"
} // namespace fusec::fuse

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Folding reads weights, so that they must be there.
static LogicalResult checkWeights(ModuleOp module) {
  bool failed = false;
  for (auto weight : module.getOps<WeightOp>())
    if (weight.getBytes().empty() && weight.getTensorType().getNumElements()) {
      failed = true;
      weight.emitOpError("has no data: the resource that it names is missing "
                         "from the file");
    }
  return failure(failed);
}

static void removeUnusedWeights(ModuleOp module) {
  llvm::StringSet<> used;
  module.walk([&](GetWeightOp get) { used.insert(get.getWeight()); });
  for (WeightOp weight : llvm::make_early_inc_range(module.getOps<WeightOp>()))
    if (!used.contains(weight.getSymName()))
      weight.erase();
}

/// Reports factors that a batch norm or a scale leaves behind.
static void reportUnfoldedFactors(MulOp mul) {
  std::optional<ScaledContraction> scaled = matchScaledContraction(mul);
  if (!scaled)
    return;
  ContractOp contraction = scaled->contraction;
  bool constant = getConstantData(contraction.getLhs()) ||
                  getConstantData(contraction.getRhs());
  emitRemark(mul.getLoc())
      << "factors not folded into the contraction: "
      << (constant ? "its weights lack the factors' dimensions or their type"
                   : "none of its operands is a constant");
}

namespace {
struct SimplifyPass : public fusec::fuse::impl::SimplifyBase<SimplifyPass> {
  using SimplifyBase::SimplifyBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkWeights(module)))
      return signalPassFailure();
    RewritePatternSet set(&getContext());
    populateFoldConstants(set);
    populateSimplifyAccesses(set);
    populateSimplifyAlike(set);
    populateSimplifyContractions(set);
    populateSimplifyControl(set);
    populateSimplifyElementwise(set);
    populateSimplifyEmpty(set);
    populateSimplifyFactors(set);
    populateSimplifyIterators(set);
    populateSimplifyParts(set);
    populateSimplifyPowers(set);
    populateSimplifyReshapes(set);
    populateSimplifyTables(set);
    populateSimplifyUnits(set);
    FrozenRewritePatternSet patterns(std::move(set));
    // Sharing enables rewrites (one use), and rewrites make things equal.
    bool changed = true;
    for (unsigned round = 0; changed && round < kMaxRounds; ++round) {
      changed = false;
      for (auto function : module.getOps<func::FuncOp>()) {
        (void)applyPatternsGreedily(function, patterns);
        IRRewriter rewriter(&getContext());
        DominanceInfo dominance(function);
        bool shared = false;
        eliminateCommonSubExpressions(rewriter, dominance, function, &shared);
        changed |= shared;
      }
    }
    removeUnusedWeights(module);
    if (remarks)
      module.walk(reportUnfoldedFactors);
  }

  static constexpr unsigned kMaxRounds = 8;
};
} // namespace
