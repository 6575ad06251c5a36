// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The configs of a GPU.
#include "passes/poly/Enumerator.h"

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::StmtOp;

namespace fusec::poly {

/// Blocks of at most `most` threads, each of which runs one point of the outer
/// band: along the loop whose neighbours in memory follow, and where that is
/// short, along others too.
void Enumerator::addThreads(int64_t most) {
  unsigned along = 0;
  for (unsigned m = 1; m < band.size(); ++m)
    // On a tie the innermost.
    if (band.getMemberCost(m) <= band.getMemberCost(along))
      along = m;
  SmallVector<unsigned> order;
  for (unsigned m = 0; m < band.size(); ++m)
    if (m != along)
      order.push_back(m);
  order.push_back(along);
  SmallVector<int64_t> tile = getTile();
  int64_t left = most, threads = 1, points = 1;
  double blocks = 1;
  for (unsigned m : llvm::reverse(order)) {
    int64_t extent = std::max<int64_t>(1, band.getExtent(m));
    // Tiles of one size, but for the last.
    tile[m] = llvm::divideCeil(extent, int64_t(countTiles(extent, left)));
    left /= tile[m];
    threads *= tile[m];
    points *= extent;
    blocks *= countTiles(extent, tile[m]);
  }
  threads = llvm::alignTo(threads, target.multiprocessor->warp);
  SmallVector<int64_t> members;
  if (!llvm::is_sorted(order))
    members.assign(order.begin(), order.end());
  auto config = ConfigAttr::get(
      scop.getContext(), "default", tile, members, threads, /*columns=*/0,
      /*unroll=*/1, /*accumulators=*/0, /*blocks=*/{}, /*depth=*/0,
      /*lanes=*/{}, /*prefetch=*/{}, /*stream=*/{}, /*split=*/0, /*grain=*/0);
  // Short loops have one tile, whatever a block may have.
  if (llvm::any_of(space.candidates, [&](const Candidate &known) {
        return known.config == config;
      }))
    return;
  // Threads without a point wait for the others; cores without a warp do, too.
  double idle = blocks * double(threads) / double(points);
  double warps = double(llvm::divideCeil(points, target.lanes));
  double cores = std::min(double(target.cores), warps);
  insert({config, "threads", along,
          band.getMemberCost(along) * idle / cores * target.costs.simple});
}

/// Where no loop is shared by all statements, one thread does all.
ConfigSpace Enumerator::runForGpu() {
  if (band.size() > 0) {
    const int64_t usual = target.multiprocessor->usualThreads;
    for (int64_t most : {usual, usual / 2, 2 * usual})
      addThreads(most);
    return std::move(space);
  }
  space.refused.push_back({"threads", "no loop is shared by all statements"});
  auto config = ConfigAttr::get(
      scop.getContext(), "default", /*tile=*/{}, /*order=*/{}, /*vector=*/1,
      /*columns=*/0, /*unroll=*/1, /*accumulators=*/0, /*blocks=*/{},
      /*depth=*/0, /*lanes=*/{}, /*prefetch=*/{}, /*stream=*/{}, /*split=*/0,
      /*grain=*/0);
  insert({config, "one_thread", {}, band.getInnerCost() * target.costs.simple});
  return std::move(space);
}

} // namespace fusec::poly
