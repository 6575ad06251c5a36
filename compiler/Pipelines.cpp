// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Pipelines.h"

#include "dialects/fuse/FuseOps.h"
#include "dialects/kernel/KernelOps.h"
#include "dialects/sched/SchedOps.h"
#include "passes/fusion/Passes.h"
#include "passes/graph/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace fusec {

static void addNothing(OpPassManager &, const CompileOptions &) {}

static void addExpandComposites(OpPassManager &passes, const CompileOptions &) {
  passes.addPass(fuse::createExpandComposites());
}

static void addSimplify(OpPassManager &passes, const CompileOptions &options) {
  fuse::SimplifyOptions simplify;
  simplify.remarks = options.remarks;
  passes.addPass(fuse::createSimplify(simplify));
}

static void addAggregate(OpPassManager &passes, const CompileOptions &options) {
  fuse::AggregateOptions aggregate;
  aggregate.remarks = options.remarks;
  passes.addPass(fuse::createAggregate(aggregate));
}

static void addSplit(OpPassManager &passes, const CompileOptions &options) {
  fuse::SplitOptions split;
  split.remarks = options.remarks;
  if (options.noFuse)
    split.maxOps = 1;
  passes.addPass(fuse::createSplit(split));
}

static constexpr Stage kStages[] = {
    {"import", "the model as it was written", addNothing},
    {"fuse-expand-composites", "primitives only", addExpandComposites},
    {"fuse-simplify", "one form of each computation", addSimplify},
    {"fuse-aggregate", "maximal fusion groups", addAggregate},
    {"fuse-split", "groups that are worth a kernel", addSplit},
};

llvm::ArrayRef<Stage> getStages() { return kStages; }

std::optional<size_t> findStage(llvm::StringRef name) {
  for (auto [number, stage] : llvm::enumerate(kStages))
    if (stage.name == name)
      return number;
  return std::nullopt;
}

void registerAllDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                  fuse::FuseDialect, sched::SchedDialect,
                  kernel::KernelDialect>();
}

void registerAllPasses() {
  mlir::registerTransformsPasses();
  fuse::registerGraphPasses();
  fuse::registerFusionPasses();
}

} // namespace fusec
