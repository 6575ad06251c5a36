// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: a proposed tree, tiled or not, without marks but "split".
// Out: every band has one member; those of the outer band stand below marks
// "parallel", innermost ones below "vector", and point loops inside of a
// reduction below "unroll".
#include "passes/poly/Passes.h"
#include "passes/poly/Steps.h"
#include "passes/poly/levels/Mapping.h"

namespace fusec::poly {
#define GEN_PASS_DEF_SCHEDMAP
#include "passes/poly/Passes.h.inc"
} // namespace fusec::poly

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;

LogicalResult fusec::poly::mapLoops(PolyContext &context, ScopOp scop) {
  sched::ConfigAttr config = scop.getConfigAttr();
  PolyScop poly(context, scop);
  if (config.needsLanes())
    return refuseConfig(scop, "it does not say what runs on lanes");
  isl::schedule schedule = getSchedule(context.get(), scop);
  for (const std::string &misfit :
       {findTiledMisfit(poly, schedule, config), findLaneMisfit(scop, config)})
    if (!misfit.empty())
      return refuseConfig(scop, misfit);
  Rewritten mapped = applyLoops(poly, schedule, config);
  if (!mapped.schedule)
    return refuseConfig(scop, mapped.refusal);
  setSchedule(scop, *mapped.schedule);
  return success();
}

namespace {

struct SchedMapPass : fusec::poly::impl::SchedMapBase<SchedMapPass> {
  using SchedMapBase::SchedMapBase;

  void runOnOperation() override {
    auto work = [&](PolyContext &context, ScopOp scop) -> LogicalResult {
      if (!scop.getScheduleAttr() || !scop.getConfigAttr())
        return success();
      return runOrFallBack(context, scop, IslLimit::of(operations, limit),
                           "mapping loops", StepsBefore::map, mapLoops);
    };
    if (failed(forEachScop(getOperation(), getAnalysis<PolyContexts>(), work)))
      signalPassFailure();
  }
};

} // namespace
