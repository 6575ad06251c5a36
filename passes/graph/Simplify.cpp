// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --fuse-simplify: see Passes.td.
#include "passes/graph/Simplify.h"

#include "passes/graph/Passes.h"
#include "passes/graph/Precision.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/MapVector.h"
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
  bool constant = hasConstantData(contraction.getLhs()) ||
                  hasConstantData(contraction.getRhs());
  emitRemark(mul.getLoc())
      << "factors not folded into the contraction: "
      << (constant ? "its weights lack the factors' dimensions or their type"
                   : "none of its operands is a constant");
}

namespace {
/// A part of the form, which Passes.td describes under its name.
struct Piece {
  StringLiteral name;
  void (*populate)(RewritePatternSet &);
};
constexpr Piece kPieces[] = {
    {"constants", populateFoldConstants},
    {"accesses", populateSimplifyAccesses},
    {"alike", populateSimplifyAlike},
    {"contractions", populateSimplifyContractions},
    {"control", populateSimplifyControl},
    {"elementwise", populateSimplifyElementwise},
    {"empty", populateSimplifyEmpty},
    {"factors", populateSimplifyFactors},
    {"iterators", populateSimplifyIterators},
    {"parts", populateSimplifyParts},
    {"powers", populateSimplifyPowers},
    {"reshapes", populateSimplifyReshapes},
    {"tables", populateSimplifyTables},
    {"units", populateSimplifyUnits},
};

/// Keeps precision, and counts rewrites by the piece that the pattern is
/// labelled with.
struct RewriteCounts : PrecisionKeeper {
  void notifyPatternEnd(const Pattern &pattern, LogicalResult status) override {
    PrecisionKeeper::notifyPatternEnd(pattern, status);
    if (succeeded(status))
      ++counts[pattern.getDebugLabels().front()];
  }
  int64_t total() const {
    int64_t sum = 0;
    for (int64_t count : llvm::make_second_range(counts))
      sum += count;
    return sum;
  }

  llvm::MapVector<StringRef, int64_t> counts;
};

struct SimplifyPass : public fusec::fuse::impl::SimplifyBase<SimplifyPass> {
  using SimplifyBase::SimplifyBase;

  LogicalResult initialize(MLIRContext *context) override {
    auto isPiece = [](StringRef name) {
      return llvm::any_of(
          kPieces, [&](const Piece &piece) { return piece.name == name; });
    };
    for (const std::string &name : pieces)
      if (!isPiece(name))
        return emitError(UnknownLoc::get(context))
               << "--fuse-simplify has no piece '" << name
               << "'; its documentation lists them";
    if (maxRewrites < 0)
      return emitError(UnknownLoc::get(context))
             << "--fuse-simplify needs max-rewrites of 0 or more, has "
             << maxRewrites.getValue();
    RewritePatternSet all(context);
    for (const Piece &piece : kPieces) {
      if (!pieces.empty() && !llvm::is_contained(pieces, piece.name))
        continue;
      RewritePatternSet set(context);
      piece.populate(set);
      for (std::unique_ptr<RewritePattern> &pattern : set.getNativePatterns()) {
        pattern->addDebugLabels(piece.name);
        all.add(std::move(pattern));
      }
    }
    patterns = std::move(all);
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(checkWeights(module)))
      return signalPassFailure();
    for (auto function : module.getOps<func::FuncOp>())
      simplify(function);
    module.walk([](Operation *op) { op->removeAttr(kPreciseAttr); });
    removeUnusedWeights(module);
    if (remarks)
      module.walk(reportUnfoldedFactors);
  }

private:
  /// Rewrites until nothing changes. Sharing enables rewrites (one use), and
  /// rewrites make things equal.
  void simplify(func::FuncOp function) {
    int64_t size = 1;
    function.walk([&](Operation *) { ++size; });
    int64_t left = maxRewrites ? maxRewrites : kMaxRewritesPerOp * size;
    for (bool changed = true; changed;) {
      RewriteCounts done;
      GreedyRewriteConfig config; // One more than are left shows that some are.
      config.setListener(&done).setMaxIterations(1).setMaxNumRewrites(left + 1);
      changed = failed(applyPatternsGreedily(function, patterns, config));
      left -= done.total();
      if (left < 0)
        return reportLimit(function, done);
      if (changed)
        continue;
      IRRewriter rewriter(&getContext());
      DominanceInfo dominance(function);
      eliminateCommonSubExpressions(rewriter, dominance, function, &changed);
    }
  }

  void reportLimit(func::FuncOp function, const RewriteCounts &last) {
    std::string pieces;
    for (const auto &[piece, count] : last.counts)
      pieces += (pieces.empty() ? "" : ", ") + piece.str() + " (" +
                std::to_string(count) + ")";
    emitRemark(function.getLoc())
        << "simplified no further: there is no fixed point within the limit of "
           "rewrites (max-rewrites); the last ones were of "
        << pieces;
  }

  /// Graphs come to rest after a few for each operation.
  static constexpr int64_t kMaxRewritesPerOp = 1000;
  FrozenRewritePatternSet patterns;
};
} // namespace
