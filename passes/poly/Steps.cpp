// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/Steps.h"

#include "passes/poly/schedules/Proposers.h"

#include "mlir/IR/Threading.h"
#include "llvm/ADT/MapVector.h"
#include <atomic>

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;

LogicalResult fusec::poly::refuseConfig(ScopOp scop, StringRef reason) {
  return scop.emitOpError()
         << "has a config that does not fit group @" << scop.getSymName()
         << ": " << reason
         << "; change it, or remove it and run --sched-select-configs for the "
            "default";
}

std::optional<LogicalResult>
fusec::poly::runStep(PolyContext &context, ScopOp scop, const IslLimit &limit,
                     const Twine &what, Step step) {
  LogicalResult result = success();
  if (context.runWithin(limit, [&] { result = step(context, scop); }))
    return result;
  context.renew();
  reportStopped(scop, what);
  return std::nullopt;
}

/// The order of the program is the last resort: lanes would have to be proven.
static LogicalResult selectAgain(PolyContext &context, ScopOp scop) {
  if (scop.getProposer() != StringRef(kProgramOrder))
    return selectConfig(context, scop);
  StringRef name =
      scop.getConfigAttr() ? scop.getConfigAttr().getName() : "default";
  scop.setConfigAttr(sched::ConfigAttr::get(scop.getContext(), name, {}));
  return success();
}

static LogicalResult promote(PolyContext &context, ScopOp scop) {
  return promoteArrays(context, scop);
}

static LogicalResult synchronise(PolyContext &context, ScopOp scop) {
  return placeBarriers(context, scop);
}

LogicalResult fusec::poly::fallBack(PolyContext &context, ScopOp scop,
                                    const IslLimit &limit, const Twine &what,
                                    StepsBefore before, Step step) {
  const Step steps[] = {selectAgain, tile,        mapLoops,
                        promote,     synchronise, splitTails};
  for (;;) {
    if (failed(takeNextProposal(scop, limit)))
      return failure();
    scop.emitRemark() << "takes the schedule of the next proposer, "
                      << *scop.getProposer();
    std::optional<LogicalResult> result = success();
    for (Step earlier : ArrayRef(steps).take_front(unsigned(before)))
      if (result && succeeded(*result))
        result =
            runStep(context, scop, limit, "what comes before " + what, earlier);
    if (result && succeeded(*result))
      result = runStep(context, scop, limit, what, step);
    if (result)
      return *result;
  }
}

LogicalResult fusec::poly::runOrFallBack(PolyContext &context, ScopOp scop,
                                         const IslLimit &limit,
                                         const Twine &what, StepsBefore before,
                                         Step step) {
  if (std::optional<LogicalResult> result =
          runStep(context, scop, limit, what, step))
    return *result;
  return fallBack(context, scop, limit, what, before, step);
}

LogicalResult fusec::poly::forEachScop(
    ModuleOp module, PolyContexts &contexts,
    llvm::function_ref<LogicalResult(PolyContext &, ScopOp)> work) {
  llvm::MapVector<PolyContext *, SmallVector<ScopOp>> groups;
  for (ScopOp scop : module.getOps<ScopOp>())
    groups[&contexts.get(scop)].push_back(scop);
  // All of them are tried: which one is refused first is no matter of time.
  std::atomic<bool> allSucceed = true;
  parallelForEach(module.getContext(), groups, [&](const auto &group) {
    for (ScopOp scop : group.second)
      if (failed(guarded(scop, [&] { return work(*group.first, scop); }))) {
        allSucceed = false;
        return;
      }
  });
  return success(allSucceed);
}
