// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/BetweenBarriers.h"

using namespace mlir;

namespace fusec::kernel {

static bool isBlockBarrier(Operation *op) {
  auto barrier = dyn_cast<BarrierOp>(op);
  return barrier && barrier.getScope() == Scope::block;
}

/// Whether `op`, or what is in it, accesses `memref`.
static bool accesses(Operation *op, Value memref) {
  return llvm::any_of(memref.getUsers(),
                      [&](Operation *user) { return op->isAncestor(user); });
}

/// From `op` on, in the direction of `next`, in its block: whether a barrier
/// comes before an access to `memref`, where one of them comes.
static std::optional<bool> isBarrierFirst(Operation *op, Value memref,
                                          Operation *(*next)(Operation *)) {
  for (; op; op = next(op)) {
    if (isBlockBarrier(op))
      return true;
    if (accesses(op, memref))
      return false;
  }
  return std::nullopt;
}

static Operation *getPrevious(Operation *op) { return op->getPrevNode(); }
static Operation *getNext(Operation *op) { return op->getNextNode(); }

/// Whether all threads wait between any access to `memref`, which a block has
/// once, and the one in `op` that runs before it. Of a loop around, the
/// iteration before does so, too.
static bool waitsBefore(Operation *op, Value memref) {
  for (;;) {
    if (auto waits = isBarrierFirst(op->getPrevNode(), memref, getPrevious))
      return *waits;
    auto loop = dyn_cast<ForOp>(op->getParentOp());
    if (!loop)
      return isa<FuncOp>(op->getParentOp());
    if (loop.getMapping() == Mapping::sequential &&
        isBarrierFirst(op->getBlock()->getTerminator(), memref, getPrevious) !=
            true)
      return false;
    if (loop.getMapping() != Mapping::sequential &&
        loop.getMapping() != Mapping::block)
      return false;
    op = loop;
  }
}

/// Whether something in the kernel writes to `memref`.
static bool isWritten(Value memref) {
  return !llvm::all_of(memref.getUsers(), [](Operation *user) {
    return isa<LoadOp, GatherOp, LoadRowOp>(user);
  });
}

bool isBetweenBarriers(ForOp loop) {
  Operation *nest = loop;
  for (auto around = loop; around && around.getMapping() == Mapping::thread;
       around = dyn_cast<ForOp>(around->getParentOp()))
    nest = around;
  auto isFree = [&](Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return !isWritten(load.getMemref());
    if (auto store = dyn_cast<StoreOp>(op))
      return store.getMemref().getDefiningOp<LocalOp>() &&
             !isOfThread(store.getMemref().getType()) &&
             waitsBefore(nest, store.getMemref()) &&
             isBarrierFirst(nest->getNextNode(), store.getMemref(), getNext) ==
                 true;
    return isa<ForOp, IfOp, YieldOp>(op) || isMemoryEffectFree(op);
  };
  WalkResult result = nest->walk([&](Operation *op) {
    return isFree(op) ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

} // namespace fusec::kernel
