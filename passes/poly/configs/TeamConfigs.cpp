// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/TeamConfigs.h"

#include "passes/poly/arrays/ThreadRows.h"
#include "passes/poly/tree/Carries.h"
#include "passes/poly/tree/CostModel.h"

#include <cmath>

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::Team;

namespace fusec::poly {

TeamProposer::Row TeamProposer::measureRow() const {
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

double TeamProposer::countResultSteps(const Row &row, int64_t team,
                                      double steps) {
  // Of each thread: a load of what it has found, a comparison, two choices.
  return double(row.combined) * steps + double(row.selected * team * 4);
}

double TeamProposer::getRowMoves() const {
  return 2 * group.countPoints() * double(band.getBytesPerRow()) /
         double(target.multiprocessor->memoryBytes);
}

double TeamProposer::getRowMoves(int64_t together, bool hasColumns) const {
  bool isShared =
      band.getBytesPerRow() * together <= getMostRowBytes(target, hasColumns);
  return isShared ? 0 : getRowMoves();
}

int64_t TeamProposer::getMostRowThreads() const {
  const Multiprocessor &mp = *target.multiprocessor;
  int64_t length = std::max(measureRow().length, mp.warp);
  return std::min<int64_t>(mp.blockThreads, llvm::PowerOf2Ceil(length));
}

/// Blocks of `threads`, which share the loops of one point of the outer band,
/// or of several, a warp each: along the band's longest loop. They have `width`
/// iterations side by side. Says what it takes beyond a launch, too.
Candidate TeamProposer::makeSharedRows(int64_t threads, bool ofWarps,
                                       int64_t width) const {
  const Row row = measureRow();
  const int64_t warp = target.multiprocessor->warp;
  const int64_t team = ofWarps ? warp : threads;
  SmallVector<int64_t> tile = getTile();
  double points = group.countPoints(), rows = 1, blocks = 1;
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
  return {make(tile, {}, threads, ofWarps ? Team::warp : Team::block, width),
          ofWarps ? "warps" : "rows",
          {},
          getBusyTime(cost, std::min(getWarpsWorth(warps, width), most)) +
              getRowMoves(threads / team, /*hasColumns=*/false)};
}

double TeamProposer::getLostTime(ConfigAttr settled) const {
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
  return getBusyTime(lost / double(together),
                     group.countPoints() / double(together));
}

void TeamProposer::addTeams() {
  const Multiprocessor &mp = *target.multiprocessor;
  const int64_t length = measureRow().length;
  const int64_t usual = mp.usualThreads, widest = findSharedWidth(group);
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
    insert(each.config, each.family, {},
           std::max({each.predicted, getTime(0, 1), getLoadTime()}));
}

double getLostTime(const ScheduledScop &group, ConfigAttr settled) {
  ConfigSpace none;
  return TeamProposer(group, none).getLostTime(settled);
}

void proposeTeams(const ScheduledScop &group, ConfigSpace &space) {
  if (group.band.hasLoopsBelow())
    TeamProposer(group, space).addTeams();
}

void proposeSplitTeams(const ScheduledScop &group, ConfigSpace &space) {
  if (group.band.hasLoopsBelow())
    TeamProposer(group, space).addSplitRows();
}

} // namespace fusec::poly
