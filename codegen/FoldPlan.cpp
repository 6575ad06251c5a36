// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/FoldPlan.h"

#include "dialects/kernel/KernelOps.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace fusec::codegen {

bool mayWrite(Operation *op, Value memref) {
  // Memrefs of a kernel never overlap, so only what names it counts.
  return op
      ->walk([&](Operation *inner) {
        auto effects = dyn_cast<MemoryEffectOpInterface>(inner);
        return effects && effects.getEffectOnValue<MemoryEffects::Write>(memref)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The memory that `op` reads, or null.
static Value memoryOf(Operation *op) {
  if (auto load = dyn_cast<kernel::LoadOp>(op))
    return load.getMemref();
  if (auto gather = dyn_cast<kernel::GatherOp>(op))
    return gather.getMemref();
  return {};
}

FoldPlan::FoldPlan(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    if (op.getNumResults() != 1 || op.getNumRegions() != 0 ||
        !op.getResult(0).hasOneUse())
      continue;
    Operation *user = *op.getResult(0).user_begin();
    if (user->getBlock() != &block || isa<kernel::LocalOp>(op))
      continue;
    Operation *statement = user;
    if (auto found = statementOf.find(user); found != statementOf.end())
      statement = found->second;
    Value memory = memoryOf(&op);
    if (!memory && !isMemoryEffectFree(&op))
      continue;
    bool changed = false;
    for (Operation *between = op.getNextNode();
         memory && between != statement && !changed;
         between = between->getNextNode())
      changed = mayWrite(between, memory);
    // Loops print their bounds once per iteration.
    if (!changed && !(memory && statement->getNumRegions() != 0))
      statementOf[&op] = statement;
  }
}

} // namespace fusec::codegen
