// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/AffineForms.h"
#include "passes/kernel/Simplify.h"

#include "dialects/TargetInfo.h"
#include "dialects/kernel/UnrolledText.h"

using namespace mlir;
using namespace fusec::kernel;

/// Whether iterations of `loop` have registers of their own: with a number that
/// is computed they are memory.
static bool numbersRegisters(ForOp loop) {
  auto isNumbered = [&](auto access) {
    if (!isa<VectorType>(access.getMemRefType().getElementType()))
      return false;
    AffineForm place(access.getMap(), access.getIndices());
    place.compose();
    return llvm::is_contained(place.operands, loop.getIndex());
  };
  return loop
      ->walk([&](Operation *op) {
        auto load = dyn_cast<LoadOp>(op);
        auto store = dyn_cast<StoreOp>(op);
        return (load && isNumbered(load)) || (store && isNumbered(store))
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The unrolled loop that is best a loop: the one that spares most text, but
/// one that numbers registers only where it spares four times as much. Null if
/// none is left.
static ForOp findBest(FuncOp func) {
  ForOp best;
  int64_t most = 0;
  func.walk<WalkOrder::PreOrder>([&](ForOp loop) {
    int64_t trips = loop.getConstantTripCount().value_or(1);
    if (loop.getMapping() != Mapping::unroll || trips < 2)
      return;
    int64_t spared = countText(loop) / trips * (trips - 1);
    for (auto around = loop->getParentOfType<ForOp>(); around;
         around = around->getParentOfType<ForOp>())
      if (around.getMapping() == Mapping::unroll)
        spared *= around.getConstantTripCount().value_or(1);
    if (!numbersRegisters(loop))
      spared *= 4;
    if (spared > most) {
      best = loop;
      most = spared;
    }
  });
  return best;
}

void fusec::kernel::limitUnrolling(FuncOp func) {
  const std::optional<int64_t> most =
      getTargetInfo(func).platform->mostUnrolled;
  while (most && countUnrolled(func) > *most) {
    ForOp loop = findBest(func);
    if (!loop)
      return;
    loop.emitRemark("not unrolled: the unrolled loops of its kernel would be ")
        << countUnrolled(func) << " operations, more than " << *most;
    loop.setMapping(Mapping::sequential);
  }
}
