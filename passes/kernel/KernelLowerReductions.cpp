// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-lower-reductions: see passes/kernel/Passes.td.
#include "passes/kernel/BlockResults.h"
#include "passes/kernel/PartialResults.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Reductions.h"
#include "passes/kernel/SharedResults.h"
#include "passes/kernel/ThreadResults.h"

namespace fusec::kernel {
#define GEN_PASS_DEF_KERNELLOWERREDUCTIONS
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

namespace {

struct KernelLowerReductions
    : fusec::kernel::impl::KernelLowerReductionsBase<KernelLowerReductions> {
  void runOnOperation() override {
    SmallVector<ForOp> loops, ofThreads, ofBlocks;
    getOperation().walk([&](ForOp loop) {
      if (loop.getMapping() == Mapping::block)
        ofBlocks.push_back(loop);
    });
    for (ForOp loop : ofBlocks) {
      FailureOr<unsigned> count = combineBlocks(loop);
      if (failed(count))
        return signalPassFailure();
      numShared += *count;
    }
    getOperation().walk([&](ForOp loop) {
      if (loop.getMapping() == Mapping::vector)
        loops.push_back(loop);
      else if (loop.getMapping() == Mapping::parallel)
        numShared += shareAmongThreads(loop);
      else if (loop.getMapping() == Mapping::thread)
        ofThreads.push_back(loop);
    });
    for (ForOp loop : loops)
      lower(loop);
    for (ForOp loop : ofThreads)
      numShared += combineThreads(loop);
  }

  void lower(ForOp loop);
};

} // namespace

/// Why `accumulator`, with those before, can have no partial results; null if
/// it can.
static const char *explainInOrder(ForOp loop, Accumulator accumulator,
                                  Carry first) {
  bool isSelected = accumulator.carry == Carry::Select;
  if (accumulator.carry == Carry::Update)
    return "its iterations are not known to be associative";
  if (isSelected != (first == Carry::Select))
    return "it carries both what is combined and what is selected";
  if (isSelected && accumulator.load->getParentOp() != loop)
    return "a loop in it selects";
  if (llvm::any_of(placeOf(accumulator).operands, [&](Value value) {
        return loop.getBody().isAncestor(value.getParentRegion());
      }))
    return "a loop in it goes over several elements";
  if (loop.getStep() != 1)
    return "the loop's step is not 1";
  return nullptr;
}

void KernelLowerReductions::lower(ForOp loop) {
  SmallVector<Accumulator> accumulators = getAccumulators(loop);
  if (accumulators.empty())
    return;
  for (Accumulator accumulator : accumulators)
    if (const char *reason =
            explainInOrder(loop, accumulator, accumulators.front().carry)) {
      loop.emitRemark("reduction stays scalar: ")
              .append(reason)
              .attachNote(accumulator.store.getLoc())
          << "because of this";
      loop.setMapping(Mapping::sequential);
      return;
    }
  // Partial results of few lanes cost more than they save.
  std::optional<int64_t> trips = loop.getConstantTripCount();
  if (trips && *trips < kLanes / 2) {
    loop.emitRemark("reduction stays scalar: its ")
        << *trips << " iterations fill less than half of " << kLanes
        << " lanes";
    loop.setMapping(Mapping::unroll);
    return;
  }
  numSplit += accumulators.size();
  splitIntoPartials(loop, accumulators);
}
