// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: the outer band of a proposed tree, no marks.
// Out: tile loops (the outer band), then, if anything loops inside, the old
// subtree with the point loops at its leaves; otherwise the point loops. Blocks
// of rows have a form of their own (RowBlocks).
#include "passes/poly/Passes.h"
#include "passes/poly/Steps.h"
#include "passes/poly/levels/Mapping.h"
#include "passes/poly/levels/NeededBlocks.h"
#include "passes/poly/levels/Prefetch.h"

namespace fusec::poly {
#define GEN_PASS_DEF_SCHEDTILE
#include "passes/poly/Passes.h.inc"
} // namespace fusec::poly

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;

LogicalResult fusec::poly::tile(PolyContext &context, ScopOp scop) {
  for (auto stmt : scop.getBody().getOps<sched::StmtOp>())
    stmt.removeRunsAttr();
  if (scop.getConfigAttr().getTile().empty() &&
      scop.getConfigAttr().getSplit() == 0) {
    if (!scop.getConfigAttr().getLanes().empty())
      scop.emitRemark("not tiled: no loop is shared by all statements");
    return success();
  }
  PolyScop poly(context, scop);
  isl::schedule schedule = getSchedule(context.get(), scop);
  sched::ConfigAttr config = scop.getConfigAttr();
  for (const std::string &misfit : {findMisfit(poly, schedule, config),
                                    findPrefetchMisfit(poly, schedule, config)})
    if (!misfit.empty())
      return refuseConfig(scop, misfit);
  Rewritten tiled = applyTiles(poly, schedule, config);
  if (!tiled.schedule)
    return refuseConfig(scop, tiled.refusal);
  leaveOutBlocks(poly, schedule, config);
  setSchedule(scop, *tiled.schedule);
  return success();
}

namespace {

struct SchedTilePass : fusec::poly::impl::SchedTileBase<SchedTilePass> {
  using SchedTileBase::SchedTileBase;

  void runOnOperation() override {
    auto work = [&](PolyContext &context, ScopOp scop) -> LogicalResult {
      if (!scop.getScheduleAttr() || !scop.getConfigAttr())
        return success();
      return runOrFallBack(context, scop, IslLimit::of(operations, limit),
                           "tiling", StepsBefore::tile, tile);
    };
    if (failed(forEachScop(getOperation(), getAnalysis<PolyContexts>(), work)))
      signalPassFailure();
  }
};

} // namespace
