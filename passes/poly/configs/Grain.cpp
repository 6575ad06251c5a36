// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/Grain.h"

#include "dialects/OperationCost.h"
#include "dialects/TargetInfo.h"
#include "passes/poly/levels/SplitLoops.h"
#include "passes/poly/tree/OuterBand.h"
#include "passes/poly/tree/Strides.h"

#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

/// What an operation of a statement's body takes, of a scalar or on lanes.
static double getBodyCost(Operation *op, const OperationCosts &costs,
                          bool lanes) {
  if (isa<sched::GatherOp>(op))
    return lanes ? costs.vectorGather : costs.gather;
  return isa<sched::IndexOp>(op) ? 0 : getOperationCost(op, costs, lanes);
}

namespace {

/// What one statement takes in the loops that a config makes.
class StmtCost {
public:
  StmtCost(ScopOp scop, const OuterBand &band, ConfigAttr config, StmtOp stmt,
           int64_t lanes)
      : scop(scop), band(band), config(config), stmt(stmt),
        target(getTargetInfo(scop)) {
    if (lanes >= 0)
      this->lanes = unsigned(lanes);
  }

  double getTotal() const;

private:
  double getSteps(std::optional<unsigned> without = {}) const;
  double getAccessCost(const Access &access) const;
  double getShared(const Access &access) const;
  bool isAccumulator(const Access &access) const;

  mutable ScopOp scop;
  const OuterBand &band;
  ConfigAttr config;
  mutable StmtOp stmt;
  const TargetInfo &target;
  /// The iterator on lanes.
  std::optional<unsigned> lanes;
};

} // namespace

/// How often the body runs, on a vector where it has lanes.
double StmtCost::getSteps(std::optional<unsigned> without) const {
  double steps = 1;
  for (auto [dim, extent] : llvm::enumerate(stmt.getExtents()))
    if (without != dim)
      steps *= lanes == dim ? double(llvm::divideCeil(extent, target.lanes))
                            : double(extent);
  return steps;
}

/// Whether the access is to the register that a reduction adds up in.
bool StmtCost::isAccumulator(const Access &access) const {
  return stmt.isReduction() &&
         llvm::is_contained(stmt.getWrites(), access.memref) &&
         llvm::is_contained(scop.getArrays(), access.memref);
}

/// How many steps one load serves: those of the tile's point loops, and of the
/// loop on lanes, that it does not move in.
double StmtCost::getShared(const Access &access) const {
  double shared = 1;
  for (unsigned m = 0; m < config.getTile().size(); ++m) {
    std::optional<unsigned> iterator = band.getIterator(stmt, m);
    if (!iterator || iterator == lanes || getStride(access, *iterator) != 0)
      continue;
    shared *=
        double(std::clamp<int64_t>(band.getExtent(m), 1, config.getTile()[m]));
  }
  if (lanes && getStride(access, *lanes) == 0) {
    int64_t extent = stmt.getExtents()[*lanes];
    for (unsigned m = 0; m < config.getTile().size(); ++m)
      if (band.getIterator(stmt, m) == lanes)
        extent = std::min(extent, config.getTile()[m]);
    if (!band.contains(stmt, *lanes) && config.getColumns() > 0)
      extent = std::min(extent, config.getColumns());
    shared *=
        double(llvm::divideCeil(std::max<int64_t>(1, extent), target.lanes));
  }
  return shared;
}

double StmtCost::getAccessCost(const Access &access) const {
  if (isAccumulator(access))
    return 0;
  const OperationCosts &costs = target.costs;
  std::optional<int64_t> stride;
  if (lanes)
    stride = getStride(access, *lanes);
  // Arrays of the scop are local: laid out for lanes, and in the cache.
  bool local = llvm::is_contained(scop.getArrays(), access.memref);
  return !lanes || stride == 0 || local ? costs.simple
         : stride == 1                  ? costs.vectorAccess
                                        : costs.stridedAccess;
}

double StmtCost::getTotal() const {
  double perStep = 0;
  for (Operation &op : stmt.getBody().front().without_terminator())
    perStep += getBodyCost(&op, target.costs, lanes.has_value());
  for (const Access &access : getAccesses(stmt))
    perStep += getAccessCost(access) / getShared(access);
  double total = perStep * getSteps();
  // Lanes of a reduction combine once for each of its sums.
  if (lanes && llvm::is_contained(stmt.getReduced(), int64_t(*lanes)))
    total += target.costs.reduce * getSteps(lanes);
  return total;
}

double predictNanoseconds(ScopOp scop, const isl::schedule &schedule,
                          ConfigAttr config) {
  OuterBand band(scop, schedule);
  double total = 0;
  for (auto [number, stmt] : llvm::enumerate(scop.getBody().getOps<StmtOp>())) {
    int64_t lanes = config.getLanes().empty() ? -1 : config.getLanes()[number];
    total += StmtCost(scop, band, config, stmt, lanes).getTotal();
  }
  return total;
}

double countIterations(const PolyScop &poly, const isl::schedule &schedule,
                       ConfigAttr config) {
  OuterBand band(poly.getOp(), schedule);
  int64_t parts = countParts(poly, schedule, config);
  if (config.getTile().empty() && parts == 0)
    return 0;
  double iterations = double(std::max<int64_t>(1, parts));
  for (auto [m, size] : llvm::enumerate(config.getTile())) {
    int64_t tiles =
        llvm::divideCeil(std::max<int64_t>(1, band.getExtent(m)), size);
    // A block is one iteration.
    if (!config.getBlocks().empty() && config.getBlocks()[m] > 0)
      tiles = llvm::divideCeil(tiles, config.getBlocks()[m]);
    iterations *= double(tiles);
  }
  return iterations;
}

int64_t findGrain(const PolyScop &poly, const isl::schedule &schedule,
                  ConfigAttr config) {
  double iterations = countIterations(poly, schedule, config);
  if (iterations == 0)
    return 0;
  ScopOp scop = poly.getOp();
  const TargetInfo &target = getTargetInfo(scop);
  double each = predictNanoseconds(scop, schedule, config) / iterations;
  double grain = std::ceil(target.forkNanoseconds / std::max(each, 0.1));
  return std::max<int64_t>(1, int64_t(grain));
}

ConfigAttr withGrain(ConfigAttr config, int64_t grain) {
  return config.with(sched::CoresLevelAttr::get(config.getContext(), grain,
                                                config.getSplit()));
}

std::optional<double> predictSingleTile(const PolyScop &poly,
                                        const isl::schedule &schedule,
                                        ConfigAttr config) {
  if (getTargetInfo(poly.getOp()).kind != TargetKind::cpu ||
      countIterations(poly, schedule, config) != 1)
    return std::nullopt;
  return predictNanoseconds(poly.getOp(), schedule, config);
}

} // namespace fusec::poly
