// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread of a GPU for each point of the outer band.
#include "passes/poly/configs/GpuConfigs.h"
#include "passes/poly/tree/CostModel.h"

using namespace mlir;
using fusec::sched::ConfigAttr;

namespace fusec::poly {

/// So many times as many blocks as a GPU has room for are enough for all of it
/// to have work until the end.
static constexpr int64_t kEnoughRounds = 8;

namespace {

class ThreadProposer : GpuProposer {
public:
  using GpuProposer::GpuProposer;

  void run();
  void addOneThread();

private:
  void addThreads(int64_t most, int64_t width = 1);
  SmallVector<int64_t> joinTiles(SmallVector<int64_t> tile,
                                 ArrayRef<unsigned> order,
                                 int64_t threads) const;
};

} // namespace

/// `tile` for blocks that run several of them each, loop by loop from the end
/// of `order`: so many that as many blocks are left as are enough.
SmallVector<int64_t> ThreadProposer::joinTiles(SmallVector<int64_t> tile,
                                               ArrayRef<unsigned> order,
                                               int64_t threads) const {
  const Multiprocessor &mp = *target.multiprocessor;
  double blocks = 1;
  for (unsigned m : order)
    blocks *= countTiles(band.getExtent(m), tile[m]);
  double enough = double(kEnoughRounds * (target.cores / mp.schedulers) *
                         (mp.threads / threads));
  for (unsigned m : llvm::reverse(order)) {
    double tiles = countTiles(band.getExtent(m), tile[m]);
    auto joined = int64_t(std::min(tiles, blocks / enough));
    if (joined < 2)
      continue;
    tile[m] = std::min(tile[m] * joined, band.getExtent(m));
    blocks *= countTiles(band.getExtent(m), tile[m]) / tiles;
  }
  return tile;
}

/// Blocks of at most `most` threads, each of which runs one point of the outer
/// band, or `width` side by side: along the loop whose neighbours in memory
/// follow, and where that is short, along others too. Where there are many more
/// blocks than a GPU has room for at a time, its threads go on to the points so
/// many further instead: what a block computes once, it does for all of them.
void ThreadProposer::addThreads(int64_t most, int64_t width) {
  unsigned along = findNeighbours();
  SmallVector<unsigned> order = band.getThreadOrder(along);
  SmallVector<int64_t> tile = getTile();
  int64_t left = most, threads = 1, points = 1;
  double blocks = 1;
  for (unsigned m : llvm::reverse(order)) {
    int64_t extent = std::max<int64_t>(1, band.getExtent(m));
    extent /= m == along ? width : 1;
    // Tiles of one size, but for the last.
    tile[m] = llvm::divideCeil(extent, int64_t(countTiles(extent, left)));
    left /= tile[m];
    threads *= tile[m];
    points *= extent;
    blocks *= countTiles(extent, tile[m]);
  }
  tile[along] *= width;
  threads = llvm::alignTo(threads, target.multiprocessor->warp);
  const SmallVector<int64_t> members = getOrder(along);
  auto countCovered = [&](ArrayRef<int64_t> tile) {
    double covered = 1;
    for (unsigned m : order)
      covered *= countTiles(band.getExtent(m), tile[m]) * double(tile[m]);
    return covered;
  };
  ConfigAttr config = make(tile, members, threads);
  // Short loops have one tile, whatever a block may have.
  if (llvm::any_of(space.candidates, [&](const Candidate &known) {
        return known.config == config;
      }))
    return;
  // Threads without a point wait for the others.
  double idle = blocks * double(threads) / double(points);
  double warps =
      getWarpsWorth(double(llvm::divideCeil(points, target.lanes)), width);
  double cost = band.getThreadsCost(along) * idle * getRowShare(width);
  auto add = [&](ConfigAttr config, StringRef family, double more) {
    insert(
        config, family, along,
        std::max({getTime(cost * more, warps), getLoadTime(), getLoadWaits()}));
  };
  SmallVector<int64_t> joined = tile;
  if (!band.hasLoopsBelow())
    joined = joinTiles(tile, order, threads);
  if (joined != tile)
    add(make(joined, members, threads), "strided_threads",
        countCovered(joined) / countCovered(tile));
  add(config, width > 1 ? "wide_threads" : "threads", 1);
}

void ThreadProposer::run() {
  const Multiprocessor &mp = *target.multiprocessor;
  const int64_t usual = mp.usualThreads;
  // Of equals the first is taken: accesses are wide where that leaves all
  // schedulers a warp.
  int64_t width = findRowWidth(group, findNeighbours());
  bool isLarge =
      group.countPoints() / double(width * mp.warp) >= double(target.cores);
  auto addWide = [&] {
    for (int64_t most : {usual, usual / 2})
      addThreads(most, width);
  };
  if (width > 1 && isLarge)
    addWide();
  for (int64_t most : {usual, usual / 2, 2 * usual})
    addThreads(most);
  if (width > 1 && !isLarge)
    addWide();
}

void ThreadProposer::addOneThread() {
  space.refuse("threads", "no loop is shared by all statements");
  double cost = 0;
  for (const PolyStmt &stmt : poly.getStmts())
    cost += getScalarCost(scop, stmt.op);
  insert(make({}, {}, 1), "one_thread", {}, getTime(cost, 1));
}

void proposeThreads(const ScheduledScop &group, ConfigSpace &space) {
  if (group.band.size() > 0)
    ThreadProposer(group, space).run();
}

void proposeOneThread(const ScheduledScop &group, ConfigSpace &space) {
  if (group.band.size() == 0)
    ThreadProposer(group, space).addOneThread();
}

} // namespace fusec::poly
