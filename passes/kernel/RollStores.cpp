// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/RollStores.h"
#include "passes/kernel/AffineForms.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace fusec::kernel {

/// Of fewer iterations there is little text.
static constexpr int64_t kFewest = 4;

/// Whether `memref` is a local array of vectors.
static bool isInRegisters(Value memref) {
  return isa<VectorType>(cast<MemRefType>(memref.getType()).getElementType());
}

/// Whether lanes of `access` lie apart.
template <class Access> static bool isApart(Access access) {
  return access.isVector() && access.getStride() != 1;
}

/// Whether `memref` is an array in memory by design.
static bool isTransposed(Value memref) {
  return llvm::any_of(memref.getUsers(), llvm::IsaPred<StoreTransposedOp>);
}

/// Whether iterations of `loop`, the outermost of those that are unrolled
/// there, may follow each other in a loop, and access what lies apart.
static bool isWorthRolling(ForOp loop) {
  auto around = dyn_cast<ForOp>(loop->getParentOp());
  std::optional<int64_t> trips = loop.getConstantTripCount();
  if (loop.getMapping() != Mapping::unroll ||
      (around && around.getMapping() == Mapping::unroll) || !trips ||
      *trips < kFewest)
    return false;
  bool apart = false, wanted = false;
  loop.walk([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op)) {
      apart |= isApart(store);
      wanted |=
          isInRegisters(store.getMemref()) && !isTransposed(store.getMemref());
    } else if (auto load = dyn_cast<LoadOp>(op)) {
      apart |= isApart(load);
    } else if (auto inner = dyn_cast<ForOp>(op)) {
      wanted |= !inner.getCarried().empty();
    }
  });
  return apart && !wanted;
}

/// Puts before `loop` a copy of it that does nothing but store what it loads of
/// `registers` in `copy`.
static void fillCopy(ForOp loop, Value registers, Value copy) {
  OpBuilder builder(loop);
  auto filling = cast<ForOp>(builder.clone(*loop));
  SmallVector<Operation *> ops;
  filling.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
  for (Operation *op : ops) {
    auto load = dyn_cast<LoadOp>(op);
    if (!load || load.getMemref() != registers)
      continue;
    builder.setInsertionPointAfter(load);
    StoreOp::create(builder, load.getLoc(), load.getResult(), copy,
                    load.getMap(), load.getIndices());
  }
  // Users come after what they use, and go first.
  for (Operation *op : llvm::reverse(ops))
    if (isa<StoreOp, StoreTransposedOp>(op) || isOpTriviallyDead(op) ||
        (isa<LocalOp>(op) && op->use_empty()))
      op->erase();
}

void rollStores(FuncOp func) {
  SmallVector<ForOp> loops;
  func.walk<WalkOrder::PreOrder>([&](ForOp loop) {
    if (!isWorthRolling(loop))
      return WalkResult::advance();
    loops.push_back(loop);
    return WalkResult::skip(); // What it holds is text of one iteration.
  });
  for (ForOp loop : loops) {
    llvm::MapVector<Value, SmallVector<LoadOp>> loads;
    loop.walk([&](LoadOp load) {
      AffineForm place(load.getMap(), load.getIndices());
      place.compose();
      if (isInRegisters(load.getMemref()) &&
          llvm::is_contained(place.operands, loop.getIndex()))
        loads[load.getMemref()].push_back(load);
    });
    OpBuilder builder(loop);
    for (auto &[registers, users] : loads) {
      auto name = NameLoc::get(builder.getStringAttr("tile"));
      Value copy =
          LocalOp::create(builder, name, cast<MemRefType>(registers.getType()));
      fillCopy(loop, registers, copy);
      for (LoadOp load : users)
        load.getMemrefMutable().assign(copy);
    }
    loop.setMapping(Mapping::sequential);
  }
}

} // namespace fusec::kernel
