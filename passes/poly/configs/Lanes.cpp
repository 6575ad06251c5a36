// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/Lanes.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/Steps.h"
#include "passes/poly/configs/Grain.h"
#include "passes/poly/levels/Accumulators.h"
#include "passes/poly/levels/Mapping.h"
#include "passes/poly/levels/Prefetch.h"
#include "passes/poly/levels/Units.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/Carries.h"
#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/Legality.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ConfigAttr;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

static std::string describe(const Violation &violation) {
  return violation.reason + ", for example " + violation.example;
}

namespace {

/// Picks the loops of a tiled tree that run on lanes.
class LaneChooser {
public:
  LaneChooser(const PolyScop &scop, const isl::schedule &tiled,
              ConfigAttr config, std::optional<unsigned> along,
              const Dependences &dependences);

  std::optional<unsigned> pick(const isl::schedule_node_band &band,
                               ArrayRef<std::string> marks);

  /// The config with what was picked.
  ConfigAttr getSettled(ConfigAttr config) const;
  /// Why a band has no loop on lanes; may be empty.
  const std::string &getRemark() const { return remark; }

private:
  std::map<std::string, unsigned>
  findPointIterators(const isl::schedule_node_band &outer, unsigned member);
  void findAccumulators(const isl::schedule_node_band &outer,
                        ConfigAttr config);
  double getCost(const isl::schedule_node_band &band, unsigned member);
  double getCostBelow(const isl::schedule_node_band &band);
  bool leavesRegisters(const isl::schedule_node_band &band, unsigned member);
  bool runsAlong(const isl::schedule_node_band &band, unsigned member);
  bool reducesAlong(const isl::schedule_node_band &band, unsigned member) const;
  bool canShare(const isl::schedule_node_band &band, unsigned member) const;

  const PolyScop &scop;
  const Dependences &dependences;
  const int64_t width;
  /// The arrays that reductions in tiles add up in, and the iterators that the
  /// tiles have whole vectors of.
  llvm::SmallDenseSet<Value> accumulators;
  std::map<std::string, unsigned> wide;
  /// The iterators of the member that lanes should run along.
  std::map<std::string, unsigned> preferred;
  /// Statement -> iterator.
  std::map<std::string, unsigned> picked;
  std::string remark;
};

} // namespace

LaneChooser::LaneChooser(const PolyScop &scop, const isl::schedule &tiled,
                         ConfigAttr config, std::optional<unsigned> along,
                         const Dependences &dependences)
    : scop(scop), dependences(dependences), width(config.getWidth()) {
  isl::schedule_node outer = getOuterBand(tiled);
  if (outer.is_null() || config.getTile().empty())
    return;
  auto band = outer.as<isl::schedule_node_band>();
  if (getTargetInfo(scop.getOp()).kind == TargetKind::cpu)
    findAccumulators(band, config);
  if (along)
    preferred = findPointIterators(band, *along);
}

/// The iterators that the loops over points of `member` run over: the loops
/// over tiles have divisions.
std::map<std::string, unsigned>
LaneChooser::findPointIterators(const isl::schedule_node_band &outer,
                                unsigned member) {
  std::map<std::string, unsigned> result;
  outer.foreach_descendant_top_down([&](isl::schedule_node node) {
    if (!node.isa<isl::schedule_node_band>() || hasBandBelow(node))
      return true;
    auto points = node.as<isl::schedule_node_band>();
    if (points.n_member() == outer.n_member())
      result.merge(getMemberIterators(points, member));
    return true;
  });
  return result;
}

void LaneChooser::findAccumulators(const isl::schedule_node_band &outer,
                                   ConfigAttr config) {
  std::optional<unsigned> whole;
  for (auto [member, size] : llvm::enumerate(config.getTile())) {
    if (size % config.getLaneCount() != 0)
      continue;
    if (whole)
      return;
    whole = member;
  }
  if (!whole)
    return;
  wide = findPointIterators(outer, *whole);
  for (const PolyStmt &stmt : scop.getStmts())
    if (stmt.op.isReduction())
      for (Value array : stmt.op.getWrites())
        if (llvm::is_contained(scop.getOp().getArrays(), array))
          accumulators.insert(array);
}

/// Memory operations of the statements below `band` with `member` on lanes;
/// infinite if it runs over more than one iterator.
double LaneChooser::getCost(const isl::schedule_node_band &band,
                            unsigned member) {
  std::map<std::string, unsigned> iterators = getMemberIterators(band, member);
  double cost = 0;
  getDomain(band).foreach_set([&](isl::set set) {
    StmtOp stmt = scop.getStmt(getTupleName(set)).op;
    auto found = iterators.find(stmt.getSymName().str());
    cost += found == iterators.end()
                ? std::numeric_limits<double>::infinity()
                : getVectorCost(scop.getOp(), stmt, found->second);
  });
  return cost;
}

/// The same with the best loops of the innermost bands below `band` on lanes.
double LaneChooser::getCostBelow(const isl::schedule_node_band &band) {
  isl::union_set onLanes(band.ctx(), "{ }");
  double cost = 0;
  band.foreach_descendant_top_down([&](isl::schedule_node node) {
    if (!node.isa<isl::schedule_node_band>() || hasBandBelow(node))
      return true;
    auto inner = node.as<isl::schedule_node_band>();
    double best = std::numeric_limits<double>::infinity();
    for (unsigned m = 0; m < unsigned(inner.n_member()); ++m)
      if (canShare(inner, m))
        best = std::min(best, getCost(inner, m));
    if (best < std::numeric_limits<double>::infinity()) {
      cost += best;
      onLanes = onLanes.unite(getDomain(inner));
    }
    return false;
  });
  getDomain(band).subtract(onLanes).foreach_set([&](isl::set set) {
    cost += getScalarCost(scop.getOp(), scop.getStmt(getTupleName(set)).op);
  });
  return cost;
}

/// Whether a statement below `band` would take accumulators across the vectors
/// that they are in, with `member` on lanes: then they live in memory for the
/// whole reduction, which costs more than a strided access after it.
bool LaneChooser::leavesRegisters(const isl::schedule_node_band &band,
                                  unsigned member) {
  std::map<std::string, unsigned> iterators = getMemberIterators(band, member);
  bool leaves = false;
  getDomain(band).foreach_set([&](isl::set set) {
    StmtOp stmt = scop.getStmt(getTupleName(set)).op;
    auto whole = wide.find(stmt.getSymName().str());
    auto found = iterators.find(stmt.getSymName().str());
    auto accumulates = [&](Value array) {
      return accumulators.contains(array);
    };
    leaves |= whole != wide.end() && found != iterators.end() &&
              whole->second != found->second &&
              (llvm::any_of(stmt.getReads(), accumulates) ||
               llvm::any_of(stmt.getWrites(), accumulates));
  });
  return leaves;
}

bool LaneChooser::runsAlong(const isl::schedule_node_band &band,
                            unsigned member) {
  for (auto [name, iterator] : getMemberIterators(band, member)) {
    auto found = preferred.find(name);
    if (found == preferred.end() || found->second != iterator)
      return false;
  }
  return true;
}

/// Whether a statement below `band` reduces along `member`.
bool LaneChooser::reducesAlong(const isl::schedule_node_band &band,
                               unsigned member) const {
  return llvm::any_of(getMemberIterators(band, member), [&](const auto &each) {
    return llvm::is_contained(scop.getStmt(each.first).op.getReduced(),
                              int64_t(each.second));
  });
}

/// Whether the threads of a GPU could run the iterations of `member`: there is
/// no way back from threads, as there is from lanes, for a reduction whose
/// partial results cannot be combined.
bool LaneChooser::canShare(const isl::schedule_node_band &band,
                           unsigned member) const {
  if (getTargetInfo(scop.getOp()).kind == TargetKind::cpu)
    return true;
  return llvm::none_of(getMemberIterators(band, member), [&](const auto &each) {
    StmtOp stmt = scop.getStmt(each.first).op;
    return llvm::is_contained(stmt.getReduced(), int64_t(each.second)) &&
           llvm::any_of(getCarries(stmt), [](const StatementCarry &carry) {
             return carry.carry == kernel::Carry::Update;
           });
  });
}

std::optional<unsigned> LaneChooser::pick(const isl::schedule_node_band &band,
                                          ArrayRef<std::string> marks) {
  unsigned members = band.n_member();
  // A thread runs all loops below one that threads share.
  const bool isInnermost = !hasBandBelow(band);
  if (!isInnermost && width > 1)
    return std::nullopt;
  const double most = isInnermost ? std::numeric_limits<double>::infinity()
                                  : getCostBelow(band);
  SmallVector<std::tuple<bool, bool, double, unsigned>> candidates;
  for (unsigned m = 0; m < members; ++m) {
    double cost = getCost(band, m);
    // Ties: the innermost first.
    if (cost < most &&
        (isInnermost ? canShare(band, m) : !reducesAlong(band, m)))
      candidates.push_back({!preferred.empty() && !runsAlong(band, m),
                            leavesRegisters(band, m), cost, members - m});
  }
  llvm::sort(candidates);
  std::string refusal = "each runs over several iterators";
  for (auto [other, leaves, cost, reversed] : candidates) {
    unsigned member = members - reversed;
    auto violation =
        findViolation(putOnLanes(band, marks, member, width), dependences);
    if (!violation) {
      picked.merge(getMemberIterators(band, member));
      return member;
    }
    refusal = describe(*violation);
  }
  if (!isInnermost)
    return std::nullopt;
  remark = "no loop of an innermost band runs on lanes: " + refusal;
  return std::nullopt;
}

ConfigAttr LaneChooser::getSettled(ConfigAttr config) const {
  SmallVector<int64_t> lanes;
  for (const PolyStmt &stmt : scop.getStmts()) {
    auto found = picked.find(stmt.name);
    lanes.push_back(found == picked.end() ? -1 : int64_t(found->second));
  }
  return config.withLanes(lanes);
}

/// The same but for the grain.
static std::optional<SettledConfig>
settleLoops(const PolyScop &poly, const isl::schedule &schedule,
            ConfigAttr config, std::optional<unsigned> along,
            const Dependences &dependences, std::string &refusal) {
  Rewritten tiled = applyTiles(poly, schedule, config);
  if (!tiled.schedule) {
    refusal = tiled.refusal;
    return std::nullopt;
  }
  if (refusal = findPrefetchMisfit(poly, schedule, config); !refusal.empty())
    return std::nullopt;
  if (tiled.schedule->get() != schedule.get())
    if (auto violation = findViolation(poly, *tiled.schedule, dependences)) {
      refusal = "tiles would break a dependence: " + describe(*violation);
      return std::nullopt;
    }
  auto isRefused = [&](const Rewritten &mapped, bool isProven) {
    refusal = mapped.refusal;
    if (!mapped.schedule || isProven)
      return !mapped.schedule;
    if (auto violation = findViolation(poly, *mapped.schedule, dependences))
      refusal = "lanes would break a dependence: " + describe(*violation);
    return !refusal.empty();
  };
  // Blocks of a reduction go around tiles in the step that makes single loops.
  bool isBlocked = config.getDepth() > 0;
  if (config.needsLanes()) {
    LaneChooser chooser(poly, *tiled.schedule, config, along, dependences);
    auto pick = [&](const isl::schedule_node_band &band,
                    ArrayRef<std::string> marks) {
      return chooser.pick(band, marks);
    };
    Rewritten mapped = applyLoops(poly, *tiled.schedule, config, pick);
    if (isRefused(mapped, /*isProven=*/!isBlocked))
      return std::nullopt;
    ConfigAttr chosen = chooser.getSettled(config);
    if (config.getLevel<sched::TeamLevelAttr>() &&
        llvm::all_of(chosen.getLanes(),
                     [](int64_t loop) { return loop < 0; })) {
      refusal = chooser.getRemark();
      return std::nullopt;
    }
    SettledConfig settled{chosen, *mapped.schedule, chooser.getRemark()};
    settled.config =
        settleUnits(poly, settled.schedule, chosen, settled.remark);
    if (settled.config != chosen) {
      mapped = applyUnits(poly, settled.schedule, settled.config);
      if (isRefused(mapped, /*isProven=*/false))
        return std::nullopt;
      settled.schedule = *mapped.schedule;
    }
    return settled;
  }
  Rewritten mapped = applyLoops(poly, *tiled.schedule, config);
  bool isSequential = config.getLaneCount() == 1 && config.getThreads() == 1;
  if (isRefused(mapped, isSequential && !isBlocked))
    return std::nullopt;
  return SettledConfig{config, *mapped.schedule, /*remark=*/""};
}

std::optional<SettledConfig>
fusec::poly::settle(const PolyScop &poly, const isl::schedule &schedule,
                    ConfigAttr config, std::optional<unsigned> along,
                    const Dependences &dependences, std::string &refusal) {
  auto settled =
      settleLoops(poly, schedule, config, along, dependences, refusal);
  if (!settled)
    return std::nullopt;
  ScopOp scop = poly.getOp();
  if (getTargetInfo(scop).kind == TargetKind::cpu)
    settled->config = settleAccumulators(scop, settled->config);
  if (refusal = findLaneMisfit(scop, settled->config); !refusal.empty())
    return std::nullopt;
  if (!config.getPoints().empty()) {
    Rewritten promoted = promoteArrays(poly, settled->schedule, settled->config,
                                       [](BlockArgument, const Twine &) {});
    if (refusal = promoted.refusal; !promoted.schedule)
      return std::nullopt;
    settled->placed = promoted.schedule;
  }
  if (config.getGrain() == 0 && getTargetInfo(scop).kind == TargetKind::cpu)
    settled->config =
        withGrain(settled->config, findGrain(poly, schedule, settled->config));
  return settled;
}

bool fusec::poly::isOf(ConfigAttr entry, ConfigAttr config) {
  // What is of another target or tile is another one, whatever is added.
  if (bool(entry.getLevel<sched::BlockLevelAttr>()) !=
          bool(config.getLevel<sched::BlockLevelAttr>()) ||
      entry.getTile() != config.getTile() ||
      entry.getLaneCount() != config.getLaneCount())
    return false;
  ConfigAttr full = entry;
  if (full.needsLanes())
    full = full.withLanes(config.getLanes());
  if (full.getProducts().empty() && !config.getProducts().empty())
    full = full.withProducts(config.getProducts());
  if (full.getAccumulators() == 0 && config.getAccumulators() > 0)
    full = withAccumulators(full, config.getAccumulators());
  if (full.getGrain() == 0 && config.getGrain() > 0)
    full = withGrain(full, config.getGrain());
  return full == config;
}
