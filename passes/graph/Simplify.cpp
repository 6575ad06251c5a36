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

/// The pieces, which Passes.td describes, in the order in which their rules are
/// tried.
static constexpr void (*kPieces[])(RuleSet &) = {
    populateFoldConstants,     populateSimplifyAccesses,
    populateSimplifyAlike,     populateSimplifyBlocks,
    populateSimplifyCodes,     populateSimplifyContractions,
    populateSimplifyControl,   populateSimplifyElementwise,
    populateSimplifyEmpty,     populateSimplifyFactors,
    populateSimplifyIterators, populateSimplifyMasks,
    populateSimplifyParts,     populateSimplifyPowers,
    populateSimplifyProducts,  populateSimplifyReshapes,
    populateSimplifyTables,    populateSimplifyUnits,
};

void fuse::listSimplifyRules(SmallVectorImpl<Rule> &rules) {
  RuleSet listed;
  for (auto populate : kPieces)
    populate(listed);
  llvm::append_range(rules, listed.getRules());
}

namespace {
/// Keeps precision, counts rewrites by rule, and keeps why rules did not apply.
struct RewriteLog : PrecisionKeeper {
  explicit RewriteLog(bool keepsReasons) : keepsReasons(keepsReasons) {}

  void notifyPatternBegin(const Pattern &pattern, Operation *op) override {
    PrecisionKeeper::notifyPatternBegin(pattern, op);
    rule = RuleSet::nameOf(pattern);
  }
  void notifyPatternEnd(const Pattern &pattern, LogicalResult status) override {
    PrecisionKeeper::notifyPatternEnd(pattern, status);
    if (succeeded(status))
      ++counts[RuleSet::nameOf(pattern)];
  }
  void
  notifyMatchFailure(Location loc,
                     llvm::function_ref<void(Diagnostic &)> explain) override {
    if (!keepsReasons)
      return;
    Diagnostic reason(loc, DiagnosticSeverity::Remark);
    explain(reason);
    reasons.insert({{rule, loc}, reason.str()});
  }
  int64_t total() const {
    int64_t sum = 0;
    for (int64_t count : llvm::make_second_range(counts))
      sum += count;
    return sum;
  }

  llvm::MapVector<StringRef, int64_t> counts;
  llvm::MapVector<std::pair<StringRef, Location>, std::string> reasons;

private:
  bool keepsReasons;
  StringRef rule;
};

struct SimplifyPass : public fusec::fuse::impl::SimplifyBase<SimplifyPass> {
  using SimplifyBase::SimplifyBase;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    RuleSet rules(&all, maxFoldedBytes);
    for (auto populate : kPieces)
      populate(rules);
    auto isPiece = [&](StringRef name) {
      return llvm::any_of(rules.getRules(), [&](const Rule &rule) {
        return rule.getPiece() == name;
      });
    };
    for (const std::string &name : pieces)
      if (!isPiece(name))
        return emitError(UnknownLoc::get(context))
               << "--fuse-simplify has no piece '" << name
               << "'; its documentation lists them";
    for (const std::string &name : disabled)
      if (!isPiece(name) &&
          llvm::none_of(rules.getRules(),
                        [&](const Rule &rule) { return rule.name == name; }))
        return emitError(UnknownLoc::get(context))
               << "--fuse-simplify has no rule or piece '" << name
               << "'; fusec compile --list-rules lists them";
    if (maxRewrites < 0)
      return emitError(UnknownLoc::get(context))
             << "--fuse-simplify needs max-rewrites of 0 or more, has "
             << maxRewrites.getValue();
    SmallVector<std::string> left(disabled.begin(), disabled.end());
    for (unsigned above = level + 1; above <= kHighestLevel; ++above)
      left.push_back(RuleSet::label(above).str());
    patterns = FrozenRewritePatternSet(std::move(all), left, pieces);
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
  }

private:
  /// Rewrites until nothing changes. Sharing enables rewrites (one use), and
  /// rewrites make things equal.
  void simplify(func::FuncOp function) {
    int64_t size = 1;
    function.walk([&](Operation *) { ++size; });
    int64_t left = maxRewrites ? maxRewrites : kMaxRewritesPerOp * size;
    llvm::MapVector<StringRef, int64_t> counts;
    for (bool changed = true; changed;) {
      RewriteLog done(remarks);
      GreedyRewriteConfig config; // One more than are left shows that some are.
      config.setListener(&done).setMaxIterations(1).setMaxNumRewrites(left + 1);
      // It puts constants behind other operands: of a maximum of zeros, the one
      // that comes first has the sign.
      config.enableFolding(level > 1);
      changed = failed(applyPatternsGreedily(function, patterns, config));
      left -= done.total();
      for (const auto &[rule, count] : done.counts)
        counts[rule] += count;
      if (left < 0)
        return reportLimit(function, done);
      if (changed)
        continue;
      // All were tried on what is left now.
      changed = level > 0 && share(function);
      if (!changed)
        reportRules(function, counts, done);
    }
  }

  /// Shares equal operations; returns whether there were some.
  bool share(func::FuncOp function) {
    bool changed = false;
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(function);
    eliminateCommonSubExpressions(rewriter, dominance, function, &changed);
    return changed;
  }

  void reportRules(func::FuncOp function,
                   const llvm::MapVector<StringRef, int64_t> &counts,
                   const RewriteLog &last) {
    if (applied && !counts.empty())
      emitRemark(function.getLoc()) << "rules applied: " << join(counts);
    for (const auto &[place, reason] : last.reasons)
      emitRemark(place.second)
          << "rule " << place.first << " did not apply: " << reason;
  }

  static std::string join(const llvm::MapVector<StringRef, int64_t> &counts) {
    std::string text;
    for (const auto &[rule, count] : counts)
      text += (text.empty() ? "" : ", ") + rule.str() + " (" +
              std::to_string(count) + ")";
    return text;
  }

  void reportLimit(func::FuncOp function, const RewriteLog &last) {
    emitRemark(function.getLoc())
        << "simplified no further: there is no fixed point within the limit of "
           "rewrites (max-rewrites); the last ones were of "
        << join(last.counts);
  }

  /// Graphs come to rest after a few for each operation.
  static constexpr int64_t kMaxRewritesPerOp = 1000;
  FrozenRewritePatternSet patterns;
};
} // namespace
