// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/Configs.h"

#include "passes/poly/configs/ConfigProposers.h"
#include "passes/poly/configs/TeamConfigs.h"
#include "passes/poly/levels/Streams.h"
#include "passes/poly/tree/CostModel.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::StmtOp;

namespace fusec::poly {

std::string Candidate::getName() const {
  std::string name = family.str();
  llvm::raw_string_ostream os(name);
  if (!config.getTile().empty())
    os << "_";
  llvm::interleave(config.getTile(), os, "x");
  int64_t columns =
      config.hasColumns() ? config.countTilePoints() : config.getColumns();
  if (config.hasColumns() && config.getSplit() == 0)
    os << "_of_" << config.getThreads() / columns;
  else if (columns > 0)
    os << "_columns_" << columns;
  if (along)
    os << "_along_" << *along;
  if (!config.getOrder().empty()) {
    os << "_order_";
    llvm::interleave(config.getOrder(), os, "");
  }
  if (config.getSplit() > 0)
    os << "_" << config.getSplit();
  if (config.getWidth() > 1)
    os << "_width_" << config.getWidth();
  if (config.getAccumulators() > 0)
    os << "_accumulators_" << config.getAccumulators();
  if (!config.getBlocks().empty()) {
    os << "_blocks_";
    llvm::interleave(config.getBlocks(), os, "x");
  }
  if (config.getDepth() > 0)
    os << "_depth_" << config.getDepth();
  if (!config.getPoints().empty()) {
    os << "_points_";
    llvm::interleave(config.getPoints(), os, "x");
  }
  if (config.getStages() > 1)
    os << "_stages_" << config.getStages();
  if (!config.getPrefetch().empty())
    os << "_prefetch";
  if (!config.getStream().empty())
    os << "_stream";
  return name;
}

/// Of equals the one that came first stays first.
void ConfigSpace::insert(Candidate candidate) {
  auto place = llvm::upper_bound(candidates, candidate,
                                 [](const Candidate &a, const Candidate &b) {
                                   return a.predicted < b.predicted;
                                 });
  candidates.insert(place, std::move(candidate));
}

void ConfigSpace::refuse(const Twine &name, const Twine &reason) {
  refused.push_back({name.str(), reason.str()});
}

ScheduledScop::ScheduledScop(const PolyScop &poly,
                             const isl::schedule &schedule)
    : poly(poly), schedule(schedule), scop(poly.getOp()),
      target(getTargetInfo(scop)), band(scop, schedule),
      heaviest(findHeaviest(poly)), streams(findStreams(scop)) {
  if (target.kind != TargetKind::cpu)
    return;
  columns = findColumnLoops(poly, schedule);
  parts = findPartLoop(poly, schedule);
}

SmallVector<int64_t> ConfigProposer::getTile(std::optional<unsigned> member,
                                             int64_t size) const {
  SmallVector<int64_t> tile(band.size(), 1);
  if (member)
    tile[*member] = size;
  return tile;
}

double ScheduledScop::countPoints() const {
  double points = 1;
  for (unsigned m = 0; m < band.size(); ++m)
    points *= double(std::max<int64_t>(1, band.getExtent(m)));
  return points;
}

namespace {

using ProposeConfigs = void (*)(const ScheduledScop &, ConfigSpace &);

constexpr ProposeConfigs kCpuProposers[] = {proposeTiles, proposeRows,
                                            proposeInner, proposeSplit};
constexpr ProposeConfigs kGpuProposers[] = {
    proposeThreads, proposeThreadTiles, proposeTransposedTiles,
    proposeTeams,   proposeSplitTeams,  proposeOneThread};

} // namespace

ConfigSpace enumerateConfigs(const PolyScop &poly,
                             const isl::schedule &schedule) {
  ScheduledScop group(poly, schedule);
  ConfigSpace space;
  ArrayRef<ProposeConfigs> proposers = kCpuProposers;
  if (group.target.kind == TargetKind::gpu)
    proposers = kGpuProposers;
  for (ProposeConfigs propose : proposers)
    propose(group, space);
  return space;
}

double predictSettled(const PolyScop &poly, const isl::schedule &schedule,
                      const Candidate &candidate, ConfigAttr settled) {
  sched::ScopOp scop = poly.getOp();
  const TargetInfo &target = getTargetInfo(scop);
  if (target.kind == TargetKind::gpu)
    return candidate.predicted +
           // Threads with points of their own have no lanes to lose.
           (settled.getLevel<sched::TeamLevelAttr>()
                ? getLostTime(ScheduledScop(poly, schedule), settled)
                : 0);
  OuterBand band(scop, schedule);
  double lost = 0;
  for (auto [stmt, lanes] : llvm::zip(poly.getStmts(), settled.getLanes())) {
    const double scalar = getScalarCost(scop, stmt.op);
    double expected = scalar;
    for (unsigned dim = 0; dim < stmt.op.getNumIterators(); ++dim)
      if (candidate.along ? band.getIterator(stmt.op, *candidate.along) == dim
                          : !band.contains(stmt.op, dim))
        expected = std::min(expected, getVectorCost(scop, stmt.op, dim));
    lost +=
        (lanes == -1 ? scalar : getVectorCost(scop, stmt.op, lanes)) - expected;
  }
  return candidate.predicted + lost * target.costs.simple;
}

} // namespace fusec::poly
