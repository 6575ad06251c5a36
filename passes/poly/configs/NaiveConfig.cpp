// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TargetInfo.h"
#include "passes/poly/Steps.h"
#include "passes/poly/schedules/Propose.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/Legality.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <isl/schedule_node.h>

using namespace mlir;
using fusec::sched::ConfigAttr;

namespace fusec::poly {

/// The longest loop of `band` that carries none of `dependences`, of equals the
/// innermost; -1 if there is none.
static int64_t findFreeLoop(const isl::schedule_node_band &band,
                            const isl::union_map &dependences) {
  int64_t found = -1;
  for (unsigned m = 0; m < unsigned(band.n_member()); ++m)
    if ((found < 0 || getExtent(band, m) >= getExtent(band, found)) &&
        carriedBy(band, m, dependences).is_empty())
      found = m;
  return found;
}

ConfigAttr makeNaiveConfig(const PolyScop &poly, const isl::schedule &inOrder) {
  sched::ScopOp scop = poly.getOp();
  const TargetInfo &target = getTargetInfo(scop);
  MLIRContext *context = scop.getContext();
  if (target.kind != TargetKind::gpu)
    return ConfigAttr::get(context, "naive", {});
  // One thread of a GPU takes minutes where a core takes seconds.
  const Multiprocessor &mp = *target.multiprocessor;
  SmallVector<int64_t> lanes(poly.getStmts().size(), -1);
  int64_t longest = 1;
  isl::union_map dependences = poly.getDependences().all();
  inOrder.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    if (!node.isa<isl::schedule_node_band>())
      return true;
    auto band = node.as<isl::schedule_node_band>();
    int64_t loop = findFreeLoop(band, dependences);
    if (loop < 0)
      return false;
    longest = std::max(longest, getExtent(band, loop));
    for (auto [lane, stmt] : llvm::zip_equal(lanes, poly.getStmts()))
      if (!getDomain(band).intersect(stmt.domain).is_empty())
        lane = loop; // its loops are its iterators
    return false;
  });
  if (longest == 1)
    return ConfigAttr::get(context, "naive", {});
  int64_t threads = std::min<int64_t>(
      mp.blockThreads,
      std::max<int64_t>(mp.warp, llvm::PowerOf2Ceil(uint64_t(longest))));
  return ConfigAttr::of(
      context, "naive",
      {sched::BlockLevelAttr::get(context, threads, /*tile=*/{}, /*order=*/{},
                                  /*depth=*/0, /*stages=*/1),
       sched::TeamLevelAttr::get(context, sched::Team::block, lanes,
                                 /*width=*/1)});
}

} // namespace fusec::poly
