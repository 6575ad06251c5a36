// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What launches cost before their kernels are scheduled: a count of steps.
#ifndef FUSEC_PASSES_MODEL_LAUNCHCOST_H
#define FUSEC_PASSES_MODEL_LAUNCHCOST_H

#include "dialects/TargetInfo.h"
#include "dialects/kernel/KernelOps.h"
#include "dialects/sched/SchedOps.h"

#include "mlir/IR/BuiltinOps.h"

namespace fusec::model {

/// What a cost tells apart.
enum class Detail {
  /// Each operation of a statement is a step.
  operations,
  /// What kernels of different precision differ in, too: a unit that adds
  /// several products to a sum takes one step for all, and weights that no
  /// cache of a core holds come from memory, while the kernel computes.
  precision,
};

/// Costs of kernels as sched.scops. Each statement counts its points times the
/// operations of its body, over the cores that its parallel loops keep busy. On
/// a CPU, to load buffers between launches from a cache which cores share, or
/// from memory, counts too.
class LaunchCosts {
public:
  /// With `anyOrder`, a kernel may add up in whichever order threads run.
  LaunchCosts(const mlir::SymbolTable &symbols, const TargetInfo &target,
              bool anyOrder)
      : symbols(symbols), target(target), anyOrder(anyOrder) {}

  /// Checks that every launch in a choice is one of a scop.
  mlir::LogicalResult check(mlir::ModuleOp module) const;
  /// The launches of a block and its calls of the library, in steps of one
  /// core. A choice in it counts as the cheapest of its alternatives, a loop
  /// once.
  double ofBlock(mlir::Block &block, Detail detail) const;

private:
  double ofScop(sched::ScopOp scop, Detail detail) const;
  double ofWeights(sched::ScopOp scop) const;
  double ofBuffers(kernel::LaunchOp launch, sched::ScopOp scop,
                   mlir::Block &block) const;
  double ofLoads(double bytes, double load) const;
  double ofStatement(sched::StmtOp stmt, Detail detail) const;
  double ofPoint(sched::StmtOp stmt, Detail detail) const;
  bool mayShare(sched::StmtOp stmt, double points) const;

  const mlir::SymbolTable &symbols;
  const TargetInfo &target;
  bool anyOrder;
};

} // namespace fusec::model

#endif // FUSEC_PASSES_MODEL_LAUNCHCOST_H
