// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/GpuConfigs.h"

#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/Strides.h"

#include <cmath>

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::StmtOp;
using fusec::sched::Team;
using fusec::sched::TeamLevelAttr;

namespace fusec::poly {

ConfigAttr GpuProposer::make(ArrayRef<int64_t> tile, ArrayRef<int64_t> order,
                             int64_t threads, std::optional<Team> team,
                             int64_t width) const {
  MLIRContext *context = scop.getContext();
  TeamLevelAttr shared;
  if (team)
    shared = TeamLevelAttr::get(context, *team, /*loops=*/{}, width);
  return ConfigAttr::of(
      context, "default",
      {sched::BlockLevelAttr::get(context, threads, tile, order, /*depth=*/0,
                                  /*stages=*/1),
       shared});
}

ConfigAttr splitAmongBlocks(ConfigAttr config, int64_t split,
                            sched::Combine combine) {
  return config.with(
      sched::GridLevelAttr::get(config.getContext(), split, combine));
}

double GpuProposer::countBusyWarps() const {
  const Multiprocessor &mp = *target.multiprocessor;
  return double(target.cores) * double(mp.threads / mp.warp / mp.schedulers) /
         2;
}

double GpuProposer::getBusyTime(double steps, double warps) const {
  double busy = std::min(1.0, warps / countBusyWarps()) * double(target.cores);
  return steps / busy * target.costs.simple;
}

double GpuProposer::getTime(double steps, double warps) const {
  return std::max(getBusyTime(steps, warps),
                  double(target.launchSteps) / 8 * target.costs.simple);
}

void GpuProposer::insert(ConfigAttr config, StringRef family,
                         std::optional<unsigned> along, double predicted,
                         int64_t parts) {
  const Multiprocessor &mp = *target.multiprocessor;
  auto blocks = double(parts);
  for (auto [m, size] : llvm::enumerate(config.getTile()))
    blocks *= countTiles(band.getExtent(m), size);
  if (blocks > double(INT32_MAX))
    return space.refuse(family, "it takes more blocks than a grid has: " +
                                    Twine(int64_t(blocks)));
  double threads = blocks * double(std::max(config.getThreads(), mp.warp));
  double points = getInstances(heaviest);
  double wanted =
      std::min(double(mp.enoughThreads), points / double(mp.threadPoints));
  if (points >= double(mp.enoughThreads) && threads < wanted)
    predicted *= std::max(3.0, wanted / threads);
  space.insert({config, family, along, predicted});
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

unsigned GpuProposer::findLanes() const {
  return findLeast(band, &OuterBand::getMemberCost);
}

unsigned GpuProposer::findNeighbours() const {
  return findLeast(band, &OuterBand::getThreadsCost);
}

SmallVector<int64_t> GpuProposer::getOrder(unsigned along) const {
  SmallVector<unsigned> order = band.getThreadOrder(along);
  if (llvm::is_sorted(order))
    return {};
  return SmallVector<int64_t>(order.begin(), order.end());
}

double GpuProposer::getWarpsWorth(double warps, int64_t width) const {
  return std::min(warps * std::sqrt(double(width)),
                  warps * countBusyWarps() / double(target.cores));
}

double GpuProposer::getRowShare(int64_t width) const {
  double all = 0, inRows = 0;
  for (const PolyStmt &stmt : poly.getStmts()) {
    double instances = double(getInstances(stmt.op));
    all += getScalarCost(scop, stmt.op);
    double accesses = getScalarCost(scop, stmt.op) - instances;
    inRows += instances + accesses / double(width);
  }
  return all > 0 ? inRows / all : 1;
}

/// What the heaviest statement loads for each of its products; 0 where it
/// contracts nothing.
double GpuProposer::countProductLoads() const {
  double loads = 0;
  if (!StmtOp(heaviest).getContraction())
    return 0;
  for (const Access &access : getAccesses(heaviest))
    loads +=
        !access.write && !llvm::is_contained(scop.getArrays(), access.memref);
  return loads;
}

double GpuProposer::getLoadTime() const {
  return getInstances(heaviest) * countProductLoads() *
         target.costs.vectorAccess / double(target.lanes * target.cores);
}

double GpuProposer::getLoadWaits() const {
  if (countProductLoads() == 0)
    return 0;
  double steps = 1;
  for (int64_t dim : heaviest.getReduced())
    steps *= double(std::max<int64_t>(1, heaviest.getExtents()[dim]));
  const Multiprocessor &mp = *target.multiprocessor;
  return steps * double(mp.memoryLatency) / double(mp.loadsInFlight) *
         target.costs.simple;
}

} // namespace fusec::poly
