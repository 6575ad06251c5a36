// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The configs of a GPU.
#include "passes/poly/Carries.h"
#include "passes/poly/CostModel.h"
#include "passes/poly/Enumerator.h"
#include "passes/poly/ThreadRows.h"

#include <cmath>

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::StmtOp;
using fusec::sched::Team;
using fusec::sched::TeamLevelAttr;

namespace fusec::poly {

/// So many times as many blocks as a GPU has room for are enough for all of it
/// to have work until the end.
static constexpr int64_t kEnoughRounds = 8;

/// A config of `threads` threads a block. Those of a team share loops, which are
/// settled later; without one they have points of their own.
ConfigAttr Enumerator::makeForGpu(ArrayRef<int64_t> tile,
                                  ArrayRef<int64_t> order, int64_t threads,
                                  std::optional<Team> team,
                                  int64_t width) const {
  MLIRContext *context = scop.getContext();
  TeamLevelAttr shared;
  if (team)
    shared = TeamLevelAttr::get(context, *team, /*loops=*/{}, width);
  return ConfigAttr::of(context, "default",
                        {sched::BlockLevelAttr::get(context, threads, tile,
                                                    order, /*depth=*/0,
                                                    /*stages=*/1),
                         shared});
}

ConfigAttr splitAmongBlocks(ConfigAttr config, int64_t split,
                            sched::Combine combine) {
  return config.with(
      sched::GridLevelAttr::get(config.getContext(), split, combine));
}

/// Warps that give all cores work: half of those that can be on one, so that it
/// has one that need not wait for memory.
double Enumerator::countBusyWarps() const {
  const Multiprocessor &mp = *target.multiprocessor;
  return double(target.cores) * double(mp.threads / mp.warp / mp.schedulers) /
         2;
}

/// Nanoseconds of `steps` that so many warps share.
double Enumerator::getBusyTime(double steps, double warps) const {
  double busy = std::min(1.0, warps / countBusyWarps()) * double(target.cores);
  return steps / busy * target.costs.simple;
}

/// The same, but what does not show beside a launch is all the same.
double Enumerator::getTime(double steps, double warps) const {
  return std::max(getBusyTime(steps, warps),
                  double(target.launchSteps) / 8 * target.costs.simple);
}

/// A config whose longest reduction `parts` blocks share. A large kernel on few
/// threads takes as much longer as threads are missing, and thrice as long at
/// least: nothing hides what they wait for.
void Enumerator::insertForGpu(ConfigAttr config, StringRef family,
                              std::optional<unsigned> along, double predicted,
                              int64_t parts) {
  const Multiprocessor &mp = *target.multiprocessor;
  auto blocks = double(parts);
  for (auto [m, size] : llvm::enumerate(config.getTile()))
    blocks *= countTiles(band.getExtent(m), size);
  if (blocks > double(INT32_MAX))
    return space.refused.push_back(
        {family.str(), "it takes more blocks than a grid has: " +
                           std::to_string(int64_t(blocks))});
  double threads = blocks * double(std::max(config.getThreads(), mp.warp));
  double points = getInstances(findHeaviest());
  double wanted =
      std::min(double(mp.enoughThreads), points / double(mp.threadPoints));
  if (points >= double(mp.enoughThreads) && threads < wanted)
    predicted *= std::max(3.0, wanted / threads);
  insert({config, family, along, predicted});
}

/// The member of the least cost, on a tie the innermost.
static unsigned findLeast(const OuterBand &band,
                          double (OuterBand::*getCost)(unsigned) const) {
  unsigned along = 0;
  for (unsigned m = 1; m < band.size(); ++m)
    if ((band.*getCost)(m) <= (band.*getCost)(along))
      along = m;
  return along;
}

unsigned Enumerator::findLanes() const {
  return findLeast(band, &OuterBand::getMemberCost);
}

unsigned Enumerator::findNeighbours() const {
  return findLeast(band, &OuterBand::getThreadsCost);
}

/// What is on its way of `width` elements at a time is as much as of more
/// warps, as long as all schedulers have one: not of `width` times as many, by
/// what rows of an H100 took.
double Enumerator::getWarpsWorth(double warps, int64_t width) const {
  return std::min(warps * std::sqrt(double(width)),
                  warps * countBusyWarps() / double(target.cores));
}

/// `tile` for blocks that run several of them each, loop by loop from the end
/// of `order`: so many that as many blocks are left as are enough.
SmallVector<int64_t> Enumerator::joinTiles(SmallVector<int64_t> tile,
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
void Enumerator::addThreads(int64_t most, int64_t width) {
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
  ConfigAttr config = makeForGpu(tile, members, threads);
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
    insertForGpu(
        config, family, along,
        std::max({getTime(cost * more, warps), getLoadTime(), getLoadWaits()}));
  };
  SmallVector<int64_t> joined = tile;
  if (!band.hasLoopsBelow())
    joined = joinTiles(tile, order, threads);
  if (joined != tile)
    add(makeForGpu(joined, members, threads), "strided_threads",
        countCovered(joined) / countCovered(tile));
  add(config, width > 1 ? "wide_threads" : "threads", 1);
}

Enumerator::Row Enumerator::measureRow() const {
  Row row;
  for (const PolyStmt &stmt : poly.getStmts()) {
    SmallVector<StatementCarry> carries = getCarries(stmt.op);
    bool selects = llvm::any_of(carries, [](const StatementCarry &each) {
      return each.carry == kernel::Carry::Select;
    });
    row.combined += selects ? 0 : carries.size();
    row.selected += selects;
    for (auto [dim, extent] : llvm::enumerate(stmt.op.getExtents()))
      if (!band.contains(stmt.op, dim))
        row.length = std::max(row.length, extent);
  }
  return row;
}

double Enumerator::countResultSteps(const Row &row, int64_t team,
                                    double steps) {
  // Of each thread: a load of what it has found, a comparison, two choices.
  return double(row.combined) * steps + double(row.selected * team * 4);
}

/// Nanoseconds that it takes to store what rows have of arrays, and to load it
/// again.
double Enumerator::getRowMoves() const {
  return 2 * countPoints() * double(band.getBytesPerRow()) /
         double(target.multiprocessor->memoryBytes);
}

/// The same where shared memory has no room for those of `together` rows.
double Enumerator::getRowMoves(int64_t together, bool hasColumns) const {
  bool isShared =
      band.getBytesPerRow() * together <= getMostRowBytes(target, hasColumns);
  return isShared ? 0 : getRowMoves();
}

/// Threads that the longest row has an iteration for.
int64_t Enumerator::getMostRowThreads() const {
  const Multiprocessor &mp = *target.multiprocessor;
  int64_t length = std::max(measureRow().length, mp.warp);
  return std::min<int64_t>(mp.blockThreads, llvm::PowerOf2Ceil(length));
}

/// Blocks of `threads`, which share the loops of one point of the outer band,
/// or of several, a warp each: along the band's longest loop. They have `width`
/// iterations side by side. Says what it takes beyond a launch, too.
Candidate Enumerator::makeSharedRows(int64_t threads, bool ofWarps,
                                     int64_t width) const {
  const Row row = measureRow();
  const int64_t warp = target.multiprocessor->warp;
  const int64_t team = ofWarps ? warp : threads;
  SmallVector<int64_t> tile = getTile();
  double points = countPoints(), rows = 1, blocks = 1;
  unsigned along = 0;
  for (unsigned m = 0; m < band.size(); ++m)
    if (band.getExtent(m) >= band.getExtent(along))
      along = m;
  if (ofWarps)
    tile[along] = threads / warp;
  for (unsigned m = 0; m < band.size(); ++m) {
    double tiles = countTiles(band.getExtent(m), tile[m]);
    blocks *= tiles;
    rows *= tiles * double(tile[m]);
  }
  double idle = double(llvm::alignTo(row.length, team * width)) /
                double(row.length) * rows / points;
  double warps = rows * double(team / warp);
  // Halves of a warp, and what a block waits for.
  double steps = 2 * std::log2(double(warp)) +
                 double(ofWarps ? 0 : target.multiprocessor->combineLatency);
  double cost = band.getInnerCost() * idle * getRowShare(width) +
                warps * countResultSteps(row, team, steps);
  // A block has the schedulers of one multiprocessor.
  double most = blocks * countBusyWarps() / double(target.cores) *
                double(target.multiprocessor->schedulers);
  return {makeForGpu(tile, {}, threads, ofWarps ? Team::warp : Team::block,
                     width),
          ofWarps ? "warps" : "rows",
          {},
          getBusyTime(cost, std::min(getWarpsWorth(warps, width), most)) +
              getRowMoves(threads / team, /*hasColumns=*/false)};
}

double Enumerator::getLostTime(ConfigAttr settled) const {
  double lost = 0;
  for (auto [stmt, lane] : llvm::zip(poly.getStmts(), settled.getLanes())) {
    double scalar = getScalarCost(scop, stmt.op), expected = scalar;
    for (unsigned dim = 0; dim < stmt.op.getNumIterators(); ++dim)
      if (!band.contains(stmt.op, dim))
        expected = std::min(expected, getVectorCost(scop, stmt.op, dim));
    lost += (lane < 0 ? scalar : getVectorCost(scop, stmt.op, lane)) - expected;
  }
  // What no threads share takes one warp of a row; a warp has several columns.
  int64_t together =
      settled.hasColumns()
          ? std::min(settled.countTilePoints(), target.multiprocessor->warp)
          : 1;
  return getBusyTime(lost / double(together), countPoints() / double(together));
}

/// The same of all numbers of threads. They have as many iterations side by
/// side as leave none of them without, or one.
void Enumerator::addSharedRows() {
  const Multiprocessor &mp = *target.multiprocessor;
  const int64_t length = measureRow().length;
  const int64_t usual = mp.usualThreads, widest = findSharedWidth();
  std::vector<Candidate> rows;
  for (int64_t width = widest; width >= 1; width /= 2) {
    auto fits = [&](int64_t team) {
      return width == 1 || (length >= team * width &&
                            (width == widest || length < 2 * team * width));
    };
    for (int64_t threads = getMostRowThreads(); threads >= 2 * mp.warp;
         threads /= 2)
      if (fits(threads))
        rows.push_back(makeSharedRows(threads, /*ofWarps=*/false, width));
    if (band.size() > 0 && fits(mp.warp))
      rows.push_back(makeSharedRows(usual, /*ofWarps=*/true, width));
  }
  listColumns(rows);
  // Of those that do not show beside a launch the first is taken.
  auto key = [](const Candidate &each) {
    return std::tuple(each.predicted, -each.config.getThreads(), each.family);
  };
  llvm::sort(rows, [&](const Candidate &a, const Candidate &b) {
    return key(a) < key(b);
  });
  for (const Candidate &each : rows)
    insertForGpu(each.config, each.family, {},
                 std::max({each.predicted, getTime(0, 1), getLoadTime()}));
}

/// Where no loop is shared by all statements, a block does all.
ConfigSpace Enumerator::runForGpu() {
  const Multiprocessor &mp = *target.multiprocessor;
  const int64_t usual = mp.usualThreads;
  if (band.size() > 0) {
    // Of equals the first is taken: accesses are wide where that leaves all
    // schedulers a warp.
    int64_t width = findRowWidth(findNeighbours());
    bool isLarge = countPoints() / double(width * mp.warp) >= target.cores;
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
    addThreadTiles(findLanes());
    addTransposedTiles(findLanes());
  }
  if (band.hasLoopsBelow()) {
    addSharedRows();
    addSplitRows();
  }
  if (band.size() == 0) {
    space.refused.push_back({"threads", "no loop is shared by all statements"});
    double cost = 0;
    for (const PolyStmt &stmt : poly.getStmts())
      cost += getScalarCost(scop, stmt.op);
    insertForGpu(makeForGpu({}, {}, 1), "one_thread", {},
                 getTime(cost, 1));
  }
  return std::move(space);
}

} // namespace fusec::poly
