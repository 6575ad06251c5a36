// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The loops as they are, with lanes along the innermost ones.
#include "passes/poly/configs/CpuConfigs.h"
#include "passes/poly/levels/Accumulators.h"
#include "passes/poly/levels/Prefetch.h"
#include "passes/poly/levels/SplitLoops.h"
#include "passes/poly/tree/Bands.h"

using namespace mlir;
using fusec::sched::StmtOp;

namespace fusec::poly {

/// The most vectors of partial results that reductions of the loops below the
/// band add to along lanes; 0 if there are none.
static int64_t getMostAccumulators(const ScheduledScop &group) {
  int64_t most = 0;
  for (const PolyStmt &stmt : group.poly.getStmts())
    for (int64_t dim : StmtOp(stmt.op).getReduced())
      if (!group.band.contains(stmt.op, unsigned(dim)))
        most = std::max(most, countAccumulators(stmt.op, dim));
  return most;
}

/// With and without rows that are fetched ahead, and with fewer accumulators
/// than hide what it takes to add to one.
void proposeInner(const ScheduledScop &group, ConfigSpace &space) {
  // Without blocks the rows share no loads.
  if (!group.band.hasLoopsBelow() && !space.candidates.empty())
    return;
  const OperationCosts &costs = group.target.costs;
  double cost = group.band.getInnerCost() *
                (!group.columns.empty() ? 1 + costs.getSharedWeight() : 1);
  SmallVector<int64_t> prefetch =
      findPrefetches(group.poly, group.schedule, [&](const std::string &why) {
        space.refuse("inner_prefetch", why);
      });
  CpuDecision decision = {SmallVector<int64_t>(group.band.size(), 1)};
  auto add = [&](double cost) {
    addForCpu(group, space, "inner", decision, cost);
  };
  if (!prefetch.empty()) {
    decision.prefetch = prefetch;
    add(cost);
    decision.prefetch = {};
  }
  // Each line that comes late is waited for.
  add(cost +
      countLines(group.scop, prefetch) * costs.secondCacheLoad / costs.simple);
  int64_t most = getMostAccumulators(group);
  for (int64_t fewer = most / 2; fewer >= 1; fewer /= 2) {
    decision.accumulators = fewer;
    add(cost * double(most) / double(fewer));
  }
}

/// Enough parts that a slower thread leaves some to others, in whole vectors of
/// all accumulators.
void proposeSplit(const ScheduledScop &group, ConfigSpace &space) {
  int64_t accumulators = getMostAccumulators(group);
  if (group.band.size() > 0) {
    if (accumulators > 0)
      space.refuse("split", "threads share the loops around what is reduced");
    return;
  }
  std::string reason;
  auto loop = findSplitLoop(group.poly, group.schedule, reason);
  if (!loop)
    return space.refuse("split", reason);
  const TargetInfo &target = group.target;
  int64_t extent = getExtent(*loop, 0), parts = target.getEnoughIterations();
  int64_t whole = target.lanes * std::max<int64_t>(1, accumulators);
  int64_t split = llvm::alignTo(llvm::divideCeil(extent, parts), whole);
  if (extent < 2 * split)
    return space.refuse("split", "its loop has " + Twine(extent) +
                                     " iterations, no two parts of " +
                                     Twine(split));
  Candidate candidate = space.candidates.front();
  candidate.config = candidate.config.with(
      sched::CoresLevelAttr::get(group.scop.getContext(), /*grain=*/0, split));
  candidate.family = "split";
  candidate.predicted =
      candidate.predicted / double(target.cores) + target.forkNanoseconds;
  space.insert(candidate);
}

} // namespace fusec::poly
