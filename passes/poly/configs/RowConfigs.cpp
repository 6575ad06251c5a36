// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of the outer band that share a loop below it, whose columns run on
// lanes.
#include "passes/poly/configs/CpuConfigs.h"

using namespace mlir;
using fusec::sched::StmtOp;

namespace fusec::poly {

namespace {

class RowProposer : ConfigProposer {
public:
  using ConfigProposer::ConfigProposer;

  void run(const ColumnLoop &columns);
};

} // namespace

/// Rows that share the loads of the products with them; as many as stay in the
/// first-level cache.
void RowProposer::run(const ColumnLoop &columns) {
  double cost = band.getInnerCost();
  StmtOp stmt = columns.stmt;
  int64_t lane = stmt.getLaneBytes(), mostRows = target.getRows(lane);
  auto addBlock = [&](ArrayRef<int64_t> tile, int64_t rows, double factor) {
    int64_t wide =
        std::max<int64_t>(1, target.getVectorsInFlight(lane) / rows) *
        target.lanes;
    CpuDecision decision = {llvm::to_vector(tile)};
    decision.columns = wide;
    addForCpu(group, space, "rows", decision, cost * factor);
  };
  SmallVector<unsigned> reuses =
      band.findReuses(columns.stmt, columns.iterator);
  if (reuses.empty())
    return addBlock(getTile(), 1, 1);
  unsigned reuse = reuses.front();
  int64_t extent = band.getExtent(reuse);
  int64_t fits =
      target.getBlockBytes() / std::max<int64_t>(1, band.getBytesPerRow());
  int64_t most = std::clamp<int64_t>(fits, 1, mostRows);
  auto getSteps = [&](int64_t rows) {
    return double(extent) +
           target.costs.getSharedWeight() * countTiles(extent, rows);
  };
  for (int64_t rows : getRowCounts(extent, most))
    addBlock(getTile(reuse, rows), rows, getSteps(rows) / getSteps(most));
  if (most < mostRows)
    space.refuse("rows_" + Twine(mostRows),
                 "more than " + Twine(most) +
                     " rows do not stay in the first-level cache");
}

void proposeRows(const ScheduledScop &group, ConfigSpace &space) {
  if (group.columns)
    RowProposer(group, space).run(*group.columns);
}

} // namespace fusec::poly
