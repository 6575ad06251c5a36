// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of a GPU that reduce columns which lie side by side: neighbouring
// threads have neighbouring columns, and several of them each.
#include "passes/poly/configs/TeamConfigs.h"
#include "passes/poly/tree/CostModel.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;

namespace fusec::poly {

int64_t TeamProposer::countColumns(std::string &refusal) const {
  auto refuse = [&](const std::string &reason) {
    refusal = reason;
    return 0;
  };
  const Row row = measureRow();
  if (band.size() == 0)
    return refuse("no loop is shared by all statements");
  if (row.combined + row.selected == 0)
    return refuse("it reduces nothing");
  unsigned along = findLanes();
  if (!(band.getMemberCost(along) < band.getInnerCost()))
    return refuse("rows of what it reduces lie side by side");
  if (std::optional<unsigned> iterator = band.getIterator(heaviest, along);
      iterator && !band.findReuses(heaviest, *iterator).empty())
    return refuse("several points read one operand, and tiles load it once");
  int64_t extent = band.getExtent(along);
  int64_t columns = target.multiprocessor->countColumns(extent);
  if (columns == 0)
    return refuse(fmt::format("a loop of {} is not made of whole groups of 8 "
                              "columns or more",
                              extent));
  if (!band.isUniform(schedule, along))
    return refuse("its statements do not all have the same columns");
  return columns;
}

Candidate TeamProposer::makeColumns(int64_t threads, int64_t columns) const {
  const Multiprocessor &mp = *target.multiprocessor;
  const Row shape = measureRow();
  unsigned along = findLanes();
  const double blocks = group.countPoints() / double(columns);
  const double warps = blocks * double(threads / mp.warp);
  const int64_t team = threads / columns;
  double idle =
      double(llvm::alignTo(shape.length, team)) / double(shape.length);
  // Halves of a warp, then a value of each of what is left.
  const int64_t row = std::max(columns, mp.warp);
  double steps = 2 * std::log2(double(row / columns)) +
                 2 * double(threads / row) + double(mp.combineLatency);
  double cost = band.getMemberCost(along) * idle +
                warps * countResultSteps(shape, team, steps);
  // A block has the schedulers of one multiprocessor.
  double most =
      blocks * countBusyWarps() / double(target.cores) * double(mp.schedulers);
  return {make(getTile(along, columns), {}, threads, sched::Team::column),
          "columns",
          {},
          getBusyTime(cost, std::min(warps, most)) +
              getRowMoves(columns, /*hasColumns=*/true)};
}

/// Of as many columns as may be, and of fewer where that leaves
/// multiprocessors without a block.
void TeamProposer::listColumns(std::vector<Candidate> &rows) {
  const Multiprocessor &mp = *target.multiprocessor;
  std::string refusal;
  int64_t columns = countColumns(refusal);
  if (columns == 0)
    return space.refuse("columns", refusal);
  const int64_t length = measureRow().length;
  for (; mp.countColumns(columns) == columns; columns /= 2) {
    for (int64_t threads = mp.usualThreads; threads <= mp.blockThreads;
         threads *= 2)
      if (threads == mp.usualThreads || threads / columns <= length)
        rows.push_back(makeColumns(threads, columns));
    if (group.countPoints() / double(columns) >=
        double(target.cores / mp.schedulers))
      return;
  }
}

} // namespace fusec::poly
