// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/IndexRanges.h"
#include "passes/kernel/Simplify.h"

using namespace mlir;

namespace fusec::kernel {

/// Whether `loop` surely runs at least once.
static bool runs(ForOp loop) {
  AffineForm lower(loop.getLowerMap(), loop.getLowerOperands());
  AffineForm upper(loop.getUpperMap(), loop.getUpperOperands());
  for (AffineExpr low : lower.exprs)
    for (AffineExpr high : upper.exprs) {
      AffineForm from = lower, to = upper;
      from.exprs = {low};
      to.exprs = {high};
      AffineForm extent = subtract(to, from);
      SmallVector<IndexRange> dims = rangesOf(extent.operands);
      IndexRange range =
          rangeOf(simplifyInRange(extent.exprs.front(), dims), dims);
      if (!range.low || *range.low < 1)
        return false;
    }
  return true;
}

static bool isStoredIn(Value memref, ForOp loop) {
  return llvm::any_of(memref.getUsers(), [&](Operation *user) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    return effects && effects.getEffectOnValue<MemoryEffects::Write>(memref) &&
           loop->isAncestor(user);
  });
}

static bool canMove(Operation *op, ForOp loop, bool loopRuns) {
  if (op->getNumRegions() != 0 || isa<LocalOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return false;
  bool outside = llvm::all_of(op->getOperands(), [&](Value operand) {
    return !loop.getBody().isAncestor(operand.getParentRegion());
  });
  if (!outside)
    return false;
  // A load of a loop that does not run might lie outside of the array.
  if (auto load = dyn_cast<LoadOp>(op))
    return loopRuns && !isStoredIn(load.getMemref(), loop);
  if (auto gather = dyn_cast<GatherOp>(op))
    return loopRuns && !isStoredIn(gather.getMemref(), loop);
  return isMemoryEffectFree(op);
}

void hoistInvariants(FuncOp func) {
  // Inner loops come first, so that what leaves one may leave the next.
  func.walk([&](ForOp loop) {
    if (loop.getMapping() != Mapping::sequential &&
        loop.getMapping() != Mapping::unroll)
      return;
    bool loopRuns = runs(loop);
    for (Operation &op : llvm::make_early_inc_range(loop.getBody().front()))
      if (canMove(&op, loop, loopRuns))
        op.moveBefore(loop);
  });
}

bool eraseIdleStores(FuncOp func) {
  bool changed = false;
  func.walk([&](StoreOp store) {
    auto load = store.getValue().getDefiningOp<LoadOp>();
    if (!load || load->getBlock() != store->getBlock() ||
        load.getMemref() != store.getMemref() ||
        load.getMap() != store.getMap() ||
        load.getIndices() != store.getIndices() ||
        load.getStride() != store.getStride() ||
        (load.getMask() && load.getMask() != store.getMask()))
      return;
    for (Operation *op = load->getNextNode(); op != store;
         op = op->getNextNode())
      if (!isa<LoadOp>(op) && !isMemoryEffectFree(op))
        return;
    store.erase();
    changed = true;
  });
  return changed;
}

void dropIdleCarries(FuncOp func) {
  func.walk([](ForOp loop) {
    for (Value array : llvm::to_vector(loop.getCarried()))
      if (!isStoredIn(array, loop))
        loop.dropCarry(array);
  });
}

bool eraseDeadLocals(FuncOp func) {
  bool changed = false;
  SmallVector<LocalOp> locals;
  func.walk([&](LocalOp local) { locals.push_back(local); });
  for (LocalOp local : locals) {
    bool isRead = llvm::any_of(local->getUsers(), [](Operation *user) {
      return !isa<StoreOp, ForOp>(user);
    });
    if (isRead)
      continue;
    for (Operation *user : llvm::to_vector(local->getUsers()))
      if (auto loop = dyn_cast<ForOp>(user))
        loop.dropCarry(local);
      else
        user->erase();
    local.erase();
    changed = true;
  }
  return changed;
}

} // namespace fusec::kernel
