// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions that several blocks of a GPU share.
#include "passes/poly/configs/TeamConfigs.h"
#include "passes/poly/levels/SplitLoops.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/CostModel.h"

#include <cmath>

using namespace mlir;
using fusec::sched::Combine;
using fusec::sched::ConfigAttr;
using fusec::sched::Team;

namespace fusec::poly {

void TeamProposer::addSplitRows() {
  std::string reason;
  const int64_t columns = countColumns(reason);
  const int64_t usual = target.multiprocessor->usualThreads;
  const int64_t threads =
      columns > 0 ? usual : std::min(getMostRowThreads(), usual);
  // Those that share a row.
  const int64_t team = columns > 0 ? threads / columns : threads;
  auto refuse = [&](const std::string &why) {
    for (StringRef family : {"split_last_block", "split_atomic"})
      space.refuse(family, why);
  };
  auto loop = findSplitLoop(poly, schedule, reason);
  if (!loop)
    return refuse(reason);
  double rows = group.countPoints() / double(std::max<int64_t>(1, columns));
  const int64_t extent = getExtent(*loop, 0);
  double perBlock = double(threads / target.multiprocessor->warp);
  auto wanted = int64_t(std::ceil(countBusyWarps() / (rows * perBlock)));
  // A thread has some iterations, or there is more to combine than to reduce.
  int64_t most = extent / (4 * team), parts = std::min(wanted, most);
  if (parts < 2)
    return refuse(wanted < 2 ? "its rows give all cores work"
                             : "its loop of " + std::to_string(extent) +
                                   " iterations is too short");
  int64_t width = columns > 0 ? 1 : findSharedWidth(group),
          part = llvm::divideCeil(extent, parts);
  while (width > 1 && part < team * width)
    width /= 2;
  int64_t split = llvm::alignTo(part, team * width);
  parts = llvm::divideCeil(extent, split);
  double reduced = 0, rest = 0;
  isl::union_set here = getDomain(*loop);
  for (const PolyStmt &stmt : poly.getStmts())
    (here.intersect(stmt.domain).is_empty() ? rest : reduced) +=
        getScalarCost(scop, stmt.op) / double(target.lanes);
  // What parts of a row pass on lies in memory.
  double time = getTime(reduced, rows * double(parts) * perBlock) +
                getTime(rest, rows * perBlock) + getRowMoves();
  ConfigAttr config = columns > 0
                          ? make(getTile(findLanes(), columns), {}, threads,
                                 Team::column, width)
                          : make(getTile(), {}, threads, Team::block, width);
  auto add = [&](StringRef family, Combine combine, double steps) {
    insert(splitAmongBlocks(config, split, combine), family, {},
           std::max(time + steps * target.costs.simple, getLoadTime()), parts);
  };
  add("split_last_block", Combine::last_block, getTicketSteps());
  if (reason = explainNotAdded(poly, *loop); !reason.empty())
    return space.refuse("split_atomic", reason);
  add("split_atomic", Combine::atomic,
      double(parts * target.multiprocessor->atomicCycles));
}

} // namespace fusec::poly
