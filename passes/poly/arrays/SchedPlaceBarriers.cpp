// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree: adds marks "barrier" above parts of rows that threads share.
#include "dialects/TargetInfo.h"
#include "passes/poly/Passes.h"
#include "passes/poly/Steps.h"
#include "passes/poly/arrays/ThreadRows.h"

namespace fusec::poly {
#define GEN_PASS_DEF_SCHEDPLACEBARRIERS
#include "passes/poly/Passes.h.inc"
} // namespace fusec::poly

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;

LogicalResult fusec::poly::placeBarriers(PolyContext &context, ScopOp scop) {
  if (getTargetInfo(scop).kind != TargetKind::gpu)
    return success();
  PolyScop poly(context, scop);
  isl::schedule schedule = getSchedule(context.get(), scop);
  if (hasSharedLoops(poly, schedule))
    setSchedule(scop, placeBarriers(poly, schedule, getLocals(poly, schedule)));
  else
    scop.emitRemark("gets no barriers here: its threads share no rows");
  return success();
}

namespace {

struct SchedPlaceBarriersPass
    : fusec::poly::impl::SchedPlaceBarriersBase<SchedPlaceBarriersPass> {
  using SchedPlaceBarriersBase::SchedPlaceBarriersBase;

  void runOnOperation() override {
    auto work = [&](PolyContext &context, ScopOp scop) -> LogicalResult {
      if (!scop.getScheduleAttr() || !scop.getConfigAttr())
        return success();
      LogicalResult (*step)(PolyContext &, ScopOp) = placeBarriers;
      return runOrFallBack(context, scop, IslLimit::of(operations, limit),
                           "placing barriers", StepsBefore::barriers, step);
    };
    if (failed(forEachScop(getOperation(), getAnalysis<PolyContexts>(), work)))
      signalPassFailure();
  }
};

} // namespace
