// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: the outer band of a proposed tree, no marks.
// Out: tile loops (the outer band), then, if anything loops inside, the old
// subtree with the point loops at its leaves; otherwise the point loops. Blocks
// of rows have a form of their own (RowBlocks).
#include "passes/poly/Bands.h"
#include "passes/poly/Legality.h"
#include "passes/poly/Passes.h"
#include "passes/poly/RowBlocks.h"
#include "passes/poly/Steps.h"

namespace fusec::poly {
#define GEN_PASS_DEF_SCHEDTILE
#include "passes/poly/Passes.h.inc"
} // namespace fusec::poly

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;

LogicalResult fusec::poly::tile(IslContext &context, ScopOp scop) {
  ArrayRef<int64_t> sizes = scop.getConfigAttr().getTile();
  if (sizes.empty()) {
    if (scop.getConfigAttr().getVector() > 1)
      scop.emitRemark("not tiled: no loop is shared by all statements");
    return success();
  }
  isl::schedule schedule = getSchedule(context.get(), scop);
  isl::schedule_node node = getOuterBand(schedule);
  if (node.is_null() ||
      unsigned(node.as<isl::schedule_node_band>().n_member()) != sizes.size())
    return scop.emitOpError()
           << "has a config with " << sizes.size()
           << " tile sizes, which does not fit its outer band; run "
              "--sched-select-configs on this schedule";
  PolyScop poly(context.get(), scop);
  if (scop.getConfigAttr().getVector() > 1) {
    isl::schedule blocks = tileRowBlocks(poly, schedule, sizes);
    if (!blocks.is_null()) {
      setSchedule(scop, blocks);
      return success();
    }
  }
  if (llvm::all_of(sizes, [](int64_t size) { return size == 1; }))
    return success();
  isl::schedule result = tileOuterBand(schedule, sizes);
  if (auto violation = findViolation(poly, result, poly.getDependences()))
    return scop.emitOpError() << "cannot be tiled: " << violation->reason
                              << ", for example " << violation->example;
  setSchedule(scop, result);
  return success();
}

namespace {

struct SchedTilePass : fusec::poly::impl::SchedTileBase<SchedTilePass> {
  using SchedTileBase::SchedTileBase;

  void runOnOperation() override {
    for (ScopOp scop : getOperation().getOps<ScopOp>()) {
      if (!scop.getScheduleAttr() || !scop.getConfigAttr())
        continue;
      LogicalResult result = guarded(scop, [&] {
        return runOrFallBack(scop, IslLimit::of(operations, limit), "tiling",
                             StepsBefore::tile, tile);
      });
      if (failed(result))
        return signalPassFailure();
    }
  }
};

} // namespace
