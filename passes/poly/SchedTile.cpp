// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: the outer band of a proposed tree, no marks.
// Out: tile loops (the outer band), then, if anything loops inside, the old
// subtree with the point loops at its leaves; otherwise the point loops.
#include "passes/poly/Bands.h"
#include "passes/poly/Legality.h"
#include "passes/poly/Passes.h"

#include <isl/options.h>
#include <isl/schedule_node.h>

namespace fusec::poly {
#define GEN_PASS_DEF_SCHEDTILE
#include "passes/poly/Passes.h.inc"
} // namespace fusec::poly

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;

namespace {

/// { [t_0 .. t_n] } sizes in the space of the band.
isl::multi_val makeSizes(const isl::schedule_node_band &band,
                         ArrayRef<int64_t> tile) {
  isl::multi_val sizes = isl::manage(
      isl_multi_val_zero(isl_schedule_node_band_get_space(band.get())));
  for (auto [index, size] : llvm::enumerate(tile))
    sizes = sizes.set_at(index, isl::val(band.ctx(), long(size)));
  return sizes;
}

struct SchedTilePass : fusec::poly::impl::SchedTileBase<SchedTilePass> {
  using SchedTileBase::SchedTileBase;

  void runOnOperation() override {
    for (ScopOp scop : getOperation().getOps<ScopOp>()) {
      if (!scop.getScheduleAttr() || !scop.getConfigAttr())
        continue;
      if (scop.getConfigAttr().getTile().empty()) {
        if (scop.getConfigAttr().getVector() > 1)
          scop.emitRemark("not tiled: no loop is shared by all statements");
        continue;
      }
      if (failed(guarded(scop, [&] { return tile(scop); })))
        return signalPassFailure();
    }
  }

  LogicalResult tile(ScopOp scop) {
    IslContext context;
    // Tile loops count tiles, so that a parallel loop counts iterations.
    isl_options_set_tile_scale_tile_loops(context.get().get(), 0);
    isl_options_set_tile_shift_point_loops(context.get().get(), 1);
    PolyScop poly(context.get(), scop);
    isl::schedule schedule = getSchedule(context.get(), scop);
    isl::schedule_node node = getOuterBand(schedule);
    ArrayRef<int64_t> sizes = scop.getConfigAttr().getTile();
    if (node.is_null() ||
        unsigned(node.as<isl::schedule_node_band>().n_member()) != sizes.size())
      return scop.emitOpError()
             << "has a config with " << sizes.size()
             << " tile sizes, which does not fit its outer band; run "
                "--sched-select-configs on this schedule";
    if (llvm::all_of(sizes, [](int64_t size) { return size == 1; }))
      return success();
    auto band = node.as<isl::schedule_node_band>();
    bool isLeaf = band.child(0).isa<isl::schedule_node_leaf>();
    isl::schedule_node tiled = band.tile(makeSizes(band, sizes));
    isl::schedule result = tiled.schedule();
    if (!isLeaf)
      result =
          isl::manage(isl_schedule_node_band_sink(tiled.child(0).release()))
              .schedule();
    if (auto violation = findViolation(poly, result, poly.getDependences()))
      return scop.emitOpError() << "cannot be tiled: " << violation->reason
                                << ", for example " << violation->example;
    setSchedule(scop, result);
    return success();
  }
};

} // namespace
