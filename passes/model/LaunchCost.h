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

/// What is assumed of contractions of f32 besides what stands in the module.
struct Assumption {
  /// Algorithms of lower precision that choices may take; not given: all.
  std::optional<llvm::ArrayRef<llvm::StringRef>> lowered;
  /// Bits that an element of f32 weights has in memory.
  unsigned weightBits = 32;
  /// Bits by which a cache of a core holds them or not; 0: those that they
  /// have.
  unsigned residentBits = 0;
  /// Whether a cache that cores share keeps weights from run to run.
  bool keepsWeights = false;
  /// Whether those of weights add up by the unit for numbers of 8 bits.
  bool isCoded = false;
};

/// Costs of kernels as sched.scops. Each statement counts its points times the
/// operations of its body, over the cores that its parallel loops keep busy. On
/// a CPU, to load buffers between launches from a cache which cores share, or
/// from memory, counts too.
class LaunchCosts {
public:
  /// With `anyOrder`, a kernel may add up in whichever order threads run.
  LaunchCosts(const mlir::SymbolTable &symbols, const TargetInfo &target,
              bool anyOrder, Assumption assumed = {})
      : symbols(symbols), target(target), anyOrder(anyOrder), assumed(assumed) {
  }

  /// Checks that every launch in a choice is one of a scop.
  mlir::LogicalResult check(mlir::ModuleOp module) const;
  /// The launches of a block and its calls of the library, in steps of one
  /// core. A choice in it counts as the cheapest of its alternatives, a loop
  /// once.
  double ofBlock(mlir::Block &block, Detail detail) const;
  /// The same of an operation of it.
  double ofOperation(mlir::Operation &op, Detail detail) const;
  /// The alternative of `choice` that costs least of those that may be taken;
  /// null where none may.
  mlir::Block *findCheapest(kernel::ChoiceOp choice, Detail detail) const;

private:
  double ofScop(sched::ScopOp scop, Detail detail) const;
  double ofWeights(sched::ScopOp scop) const;
  double ofBuffers(kernel::LaunchOp launch, sched::ScopOp scop,
                   mlir::Block &block) const;
  double ofLoads(double bytes, double load) const;
  double ofStatement(sched::StmtOp stmt, Detail detail) const;
  double ofPoint(sched::StmtOp stmt, Detail detail) const;
  const Unit *findUnit(sched::StmtOp stmt) const;
  bool mayShare(sched::StmtOp stmt, double points) const;

  const mlir::SymbolTable &symbols;
  const TargetInfo &target;
  bool anyOrder;
  Assumption assumed;
};

} // namespace fusec::model

#endif // FUSEC_PASSES_MODEL_LAUNCHCOST_H
