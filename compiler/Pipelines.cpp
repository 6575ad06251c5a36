// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines.h"

#include "compiler/Rules.h"
#include "compiler/StageOptions.h"
#include "compiler/rules/Passes.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/KernelOps.h"
#include "dialects/sched/SchedOps.h"
#include "passes/fusion/Passes.h"
#include "passes/graph/Passes.h"
#include "passes/kernel/Passes.h"
#include "passes/model/Passes.h"
#include "passes/poly/Passes.h"
#include "passes/schedule/Passes.h"
#include "passes/weigh/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace fusec {

/// Of the rules that `list` adds, the names of those that are left out.
static std::vector<std::string>
listLeftOut(void (*list)(llvm::SmallVectorImpl<Rule> &),
            const CompileOptions &options) {
  llvm::SmallVector<Rule> rules;
  list(rules);
  return listLeftOut(rules, options);
}

/// Gives `passOptions` the names of `leftOut`.
template <typename PassOptions>
static void disable(PassOptions &passOptions,
                    llvm::ArrayRef<std::string> leftOut) {
  passOptions.disabled.assign(leftOut.begin(), leftOut.end());
}

static void addNothing(OpPassManager &, const CompileOptions &) {}

static void addExpandComposites(OpPassManager &passes,
                                const CompileOptions &options) {
  fuse::ExpandCompositesOptions expand;
  expand.precision = getPrecision(options);
  disable(expand, listLeftOut(fuse::listExpansionRules, options));
  passes.addPass(fuse::createExpandComposites(expand));
}

static void addSimplify(OpPassManager &passes, const CompileOptions &options) {
  CompileOptions all = options; // The pass goes by the level itself.
  all.level = kHighestLevel;
  const auto leftOut = listLeftOut(fuse::listSimplifyRules, all);
  // Twice: what a last bit decided first may have been simplified away.
  for (bool last : {false, true}) {
    fuse::MarkPreciseOptions mark;
    mark.precision = getPrecision(options);
    mark.remarks = last && options.remarks == Remarks::All;
    passes.addPass(fuse::createMarkPrecise(mark));
    fuse::SimplifyOptions simplify;
    simplify.remarks = last && options.remarks == Remarks::All;
    simplify.applied = options.remarks == Remarks::All;
    simplify.level = options.level;
    disable(simplify, leftOut);
    passes.addPass(fuse::createSimplify(simplify));
  }
}

static void addFirstSimplify(OpPassManager &passes,
                             const CompileOptions &options) {
  if (!options.ruleLibraries.empty()) {
    rules::ApplyRulesOptions apply;
    apply.libraries.assign(options.ruleLibraries.begin(),
                           options.ruleLibraries.end());
    disable(apply, options.disabledRules);
    apply.level = options.level;
    apply.remarks = options.remarks == Remarks::All;
    passes.addPass(rules::createApplyRules(apply));
  }
  addSimplify(passes, options);
}

static void addAssignLayout(OpPassManager &passes,
                            const CompileOptions &options) {
  fuse::AssignLayoutOptions layout;
  layout.ordered = isBatchInvariant(options);
  disable(layout, listLeftOut(fuse::listLayoutRules, options));
  passes.addPass(fuse::createAssignLayout(layout));
}

static void addExpandAlgorithms(OpPassManager &passes,
                                const CompileOptions &options) {
  fuse::ExpandAlgorithmsOptions expand;
  expand.numerics = getNumerics(options);
  expand.remarks = options.remarks == Remarks::All;
  // One kernel per operation, as the operations are. Further algorithms add up
  // in other orders, and which is taken is a matter of all extents; but those
  // of operators are their users' to choose.
  if (options.noFuse || keepsBits(options) || isBatchInvariant(options)) {
    expand.operatorsOnly = true;
    passes.addPass(fuse::createExpandAlgorithms(expand));
    return;
  }
  if (!options.allowed.empty()) {
    // Again, for --fuse-simplify leaves no mark: these keep their precision.
    fuse::MarkPreciseOptions mark;
    mark.precision = getPrecision(options);
    passes.addPass(fuse::createMarkPrecise(mark));
  }
  expand.allowed.assign(options.allowed.begin(), options.allowed.end());
  expand.vendors.assign(options.vendors.begin(), options.vendors.end());
  disable(expand, listLeftOut(fuse::listAlgorithmRules, options));
  passes.addPass(fuse::createExpandAlgorithms(expand));
}

static void addAggregate(OpPassManager &passes, const CompileOptions &) {
  fuse::AggregateOptions aggregate;
  aggregate.remarks = true; // Kept for model.json; Diagnostics selects.
  passes.addPass(fuse::createAggregate(aggregate));
}

static void addSplit(OpPassManager &passes, const CompileOptions &options) {
  fuse::SplitOptions split;
  split.remarks = true;
  split.apart = options.noFuse || !isApplied(fuse::kGroupsRule, options);
  passes.addPass(fuse::createSplit(split));
  if (!split.apart)
    passes.addPass(weigh::createWeigh(getScheduling(options)));
}

static void addConvertFuseToSched(OpPassManager &passes,
                                  const CompileOptions &options) {
  // Again, for --fuse-simplify leaves no mark: products round by it.
  passes.addPass(fuse::createMarkPrecise(getMarks(options)));
  passes.addPass(sched::createConvertFuseToSched(getConversion(options)));
}

static void addCoalesceDims(OpPassManager &passes,
                            const CompileOptions &options) {
  sched::CoalesceDimsOptions coalesce;
  coalesce.remarks = options.remarks == Remarks::All;
  passes.addPass(sched::createCoalesceDims(coalesce));
}

static void addSkipMasked(OpPassManager &passes,
                          const CompileOptions &options) {
  if (skipsMasked(options))
    passes.addPass(sched::createSkipMasked());
}

static void addApplyChoices(OpPassManager &passes,
                            const CompileOptions &options) {
  model::ApplyChoicesOptions apply;
  apply.choices.assign(options.choices.begin(), options.choices.end());
  apply.lockFile = options.lock;
  apply.numerics = getNumerics(options);
  apply.lenient = options.import.offersKernels;
  apply.remarks = options.remarks == Remarks::All;
  apply.target = options.target;
  // Two variants are the chosen one and a naive one to compare with.
  apply.alternatives = std::max(1u, options.variants - 1);
  if (options.workspaceLimit)
    apply.workspaceLimit = *options.workspaceLimit;
  passes.addPass(model::createApplyChoices(apply, options.advisor.get()));
}

static void addInsertFills(OpPassManager &passes,
                           const CompileOptions &options) {
  model::InsertFillsOptions fills;
  fills.remarks = options.remarks == Remarks::All;
  passes.addPass(model::createInsertFills(fills));
}

static void addMergeKernels(OpPassManager &passes,
                            const CompileOptions &options) {
  model::MergeKernelsOptions merge;
  merge.remarks = options.remarks == Remarks::All;
  passes.addPass(model::createMergeKernels(merge));
}

static void addPackWeights(OpPassManager &passes,
                           const CompileOptions &options) {
  model::PackWeightsOptions pack;
  disable(pack, listLeftOut(model::listPackingRules, options));
  passes.addPass(model::createPackWeights(pack));
}

static void addDescribeVariants(OpPassManager &passes,
                                const CompileOptions &options) {
  model::DescribeVariantsOptions describe;
  describe.remarks = options.remarks == Remarks::All;
  passes.addPass(model::createDescribeVariants(describe));
}

static void addLaunchCalls(OpPassManager &passes,
                           const CompileOptions &options) {
  model::LaunchCallsOptions launch;
  launch.remarks = options.remarks == Remarks::All;
  passes.addPass(model::createLaunchCalls(launch));
}

static void addPartition(OpPassManager &passes, const CompileOptions &options) {
  model::PartitionOptions partition;
  partition.remarks = options.remarks == Remarks::All;
  passes.addPass(model::createPartition(partition));
}

static void addPlanMemory(OpPassManager &passes,
                          const CompileOptions &options) {
  model::PlanMemoryOptions plan;
  plan.remarks = options.remarks == Remarks::All;
  passes.addNestedPass<func::FuncOp>(model::createPlanMemory(plan));
}

/// The last stage with schedules that runs may prove them, whatever rewrote
/// them.
static void verifyIf(OpPassManager &passes, const CompileOptions &options,
                     llvm::StringRef stage) {
  if (!options.verifySchedules ||
      (stage != "sched-split-tails" && stage != options.until))
    return;
  poly::SchedVerifyOptions verify;
  verify.barriers = *findStage(stage) >= *findStage("sched-place-barriers");
  passes.addPass(poly::createSchedVerify(verify));
}

static void addCompute(OpPassManager &passes, const CompileOptions &options) {
  poly::SchedComputeOptions compute;
  compute.proposer = options.proposer;
  compute.lockFile = options.lock;
  compute.target = options.target;
  passes.addPass(poly::createSchedCompute(compute));
  verifyIf(passes, options, "sched-compute");
}

static void addSelectConfigs(OpPassManager &passes,
                             const CompileOptions &options) {
  poly::SchedSelectConfigsOptions select;
  select.lockFile = options.lock;
  select.target = options.target;
  select.variants = options.variants;
  select.numerics = getNumerics(options);
  select.comparesOrders =
      isBatchInvariant(options) && options.remarks == Remarks::All;
  select.anyVariants = options.anyVariants;
  passes.addPass(poly::createSchedSelectConfigs(select, options.advisor.get()));
  verifyIf(passes, options, "sched-select-configs");
}

static void addTile(OpPassManager &passes, const CompileOptions &options) {
  passes.addPass(poly::createSchedTile());
  verifyIf(passes, options, "sched-tile");
}

static void addMap(OpPassManager &passes, const CompileOptions &options) {
  passes.addPass(poly::createSchedMap());
  verifyIf(passes, options, "sched-map");
}

static void addPromoteArrays(OpPassManager &passes,
                             const CompileOptions &options) {
  passes.addPass(poly::createSchedPromoteArrays());
  verifyIf(passes, options, "sched-promote-arrays");
}

static void addPlaceBarriers(OpPassManager &passes,
                             const CompileOptions &options) {
  passes.addPass(poly::createSchedPlaceBarriers());
  verifyIf(passes, options, "sched-place-barriers");
}

static void addSplitTails(OpPassManager &passes,
                          const CompileOptions &options) {
  passes.addPass(poly::createSchedSplitTails());
  verifyIf(passes, options, "sched-split-tails");
}

static void addConvertSchedToKernel(OpPassManager &passes,
                                    const CompileOptions &) {
  passes.addPass(poly::createConvertSchedToKernel());
}

/// What kernels add to begins with zeros from here on.
static void addLowerReductions(OpPassManager &passes,
                               const CompileOptions &options) {
  kernel::KernelHoldRowsOptions hold;
  hold.remarks = options.remarks == Remarks::All;
  passes.addNestedPass<kernel::FuncOp>(kernel::createKernelHoldRows(hold));
  passes.addNestedPass<kernel::FuncOp>(kernel::createKernelLowerReductions());
  model::InsertFillsOptions fills;
  fills.sums = true;
  passes.addPass(model::createInsertFills(fills));
}

/// A pass without options on each kernel.
template <std::unique_ptr<Pass> (*create)()>
static void addKernelPass(OpPassManager &passes, const CompileOptions &) {
  passes.addNestedPass<kernel::FuncOp>(create());
}

static void addPipelineCopies(OpPassManager &passes, const CompileOptions &) {
  passes.addNestedPass<kernel::FuncOp>(kernel::createKernelPipelineCopies());
  passes.addNestedPass<kernel::FuncOp>(kernel::createKernelMultiplyMatrices());
}

static void addWidenAccesses(OpPassManager &passes,
                             const CompileOptions &options) {
  kernel::KernelWidenAccessesOptions widen;
  widen.remarks = options.remarks == Remarks::All;
  passes.addNestedPass<kernel::FuncOp>(
      kernel::createKernelWidenAccesses(widen));
}

static void addNarrowIndices(OpPassManager &passes,
                             const CompileOptions &options) {
  kernel::KernelNarrowIndicesOptions narrow;
  narrow.remarks = options.remarks == Remarks::All;
  passes.addNestedPass<kernel::FuncOp>(
      kernel::createKernelNarrowIndices(narrow));
}

static constexpr Stage kStages[] = {
    {"import", "the model as it was written", addNothing},
    {"fuse-simplify", "folded, without what cancels out", addFirstSimplify},
    {"fuse-expand-composites", "primitives only", addExpandComposites},
    {"fuse-simplify-primitives", "the same again, on primitives", addSimplify},
    {"fuse-assign-layout", "weights packed for lanes", addAssignLayout},
    {"fuse-expand-algorithms", "choices between algorithms",
     addExpandAlgorithms},
    {"fuse-aggregate", "maximal fusion groups", addAggregate},
    {"fuse-split", "groups that are worth a kernel", addSplit},
    {"convert-fuse-to-sched", "statements with affine accesses",
     addConvertFuseToSched},
    {"sched-coalesce-dims", "fewer, longer iterators", addCoalesceDims},
    {"sched-skip-masked", "without what masks hide", addSkipMasked},
    {"model-apply-choices", "one algorithm of each choice", addApplyChoices,
     /*checksChoices=*/true},
    {"model-insert-fills", "fills where no kernel has to write",
     addInsertFills},
    {"model-merge-kernels", "equal kernels once", addMergeKernels},
    {"sched-compute", "a legal schedule per group", addCompute},
    {"sched-select-configs", "one scop per variant", addSelectConfigs},
    {"sched-tile", "tiled bands", addTile},
    {"sched-map", "loops on threads, lanes and as copies", addMap},
    {"sched-promote-arrays", "temporaries as small local arrays",
     addPromoteArrays},
    {"sched-place-barriers", "where threads wait for each other",
     addPlaceBarriers},
    {"sched-split-tails", "full tiles apart from tails", addSplitTails},
    {"convert-sched-to-kernel", "loops", addConvertSchedToKernel},
    {"kernel-split-borders", "inner tiles without tests",
     addKernelPass<kernel::createKernelSplitBorders>},
    {"kernel-lower-reductions", "partial results, rows in registers",
     addLowerReductions},
    {"kernel-vectorize", "16 lanes",
     addKernelPass<kernel::createKernelVectorize>},
    {"model-pack-weights", "weights in the order of their loads",
     addPackWeights},
    {"kernel-prefetch-rows", "memory fetched during computation",
     addKernelPass<kernel::createKernelPrefetchRows>},
    {"kernel-pipeline-copies", "tiles loaded during computation",
     addPipelineCopies},
    {"kernel-legalize", "what the emitter can print",
     addKernelPass<kernel::createKernelLegalize>},
    {"kernel-widen-accesses", "threads' elements side by side",
     addWidenAccesses},
    {"kernel-narrow-indices", "indices of 32 bits where they fit",
     addNarrowIndices},
    {"model-describe-variants", "what each variant is known by",
     addDescribeVariants},
    {"model-launch-calls", "kernels of the library, of a GPU", addLaunchCalls},
    {"model-partition", "what runs on the host of a GPU", addPartition},
    {"model-plan-memory", "places in the arena", addPlanMemory},
};

llvm::ArrayRef<Stage> getStages() { return kStages; }

std::optional<size_t> findStage(llvm::StringRef name) {
  for (auto [number, stage] : llvm::enumerate(kStages))
    if (stage.name == name)
      return number;
  return std::nullopt;
}

std::string describePipeline(const CompileOptions &options, size_t last) {
  OpPassManager passes(ModuleOp::getOperationName());
  for (const Stage &stage : getStages().take_front(last + 1))
    stage.addPasses(passes, options);
  std::string text;
  llvm::raw_string_ostream os(text);
  passes.printAsTextualPipeline(os);
  return text;
}

void registerAllDialects(DialectRegistry &registry) {
  registry
      .insert<arith::ArithDialect, func::FuncDialect, math::MathDialect,
              fuse::FuseDialect, sched::SchedDialect, kernel::KernelDialect>();
}

void registerAllPasses() {
  mlir::registerTransformsPasses();
  fuse::registerGraphPasses();
  fuse::registerFusionPasses();
  weigh::registerWeighPasses();
  kernel::registerKernelPasses();
  model::registerModelPasses();
  poly::registerPolyPasses();
  rules::registerRulePasses();
  sched::registerSchedulePasses();
}

} // namespace fusec
