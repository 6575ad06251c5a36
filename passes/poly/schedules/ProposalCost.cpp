// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/schedules/ProposalCost.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/LocalPlaces.h"
#include "passes/poly/tree/OuterBand.h"

#include "llvm/ADT/StringSet.h"

#include <fmt/format.h>
#include <isl/schedule_node.h>
#include <isl/set.h>

using namespace mlir;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

namespace {

/// Estimates one schedule.
class Estimator {
public:
  Estimator(const PolyScop &poly, const isl::schedule &schedule)
      : poly(poly), schedule(schedule), scop(poly.getOp()),
        target(getTargetInfo(scop)), outer(scop, schedule) {}

  ProposalCost run();

private:
  void findLanes();
  void findMixed(const isl::schedule_node_band &band);
  void addWork();
  void addWaiting();
  void addLoops();
  double countEntries(const isl::schedule_node &node,
                      ArrayRef<std::map<std::string, MemberUse>> members);

  const PolyScop &poly;
  const isl::schedule &schedule;
  ScopOp scop;
  const TargetInfo &target;
  OuterBand outer;
  /// Whether lanes may run along a loop around all statements.
  bool outerHasLanes = false;
  /// The iterators of each statement that its innermost band runs over; of
  /// contractions, and where a sum keeps its order, of all bands but the outer
  /// one, for lanes run along those around what is summed.
  llvm::StringMap<SmallVector<unsigned>> innermost;
  /// The contractions whose innermost band has other statements in it.
  llvm::StringSet<> mixed;
  ProposalCost cost;
};

} // namespace

void Estimator::findLanes() {
  for (unsigned m = 0; m < outer.size(); ++m)
    outerHasLanes |=
        outer.getMemberCost(m) < std::numeric_limits<double>::infinity();
  schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    if (!node.isa<isl::schedule_node_band>())
      return true;
    const bool isInnermost = !hasBandBelow(node);
    auto band = node.as<isl::schedule_node_band>();
    if (isInnermost)
      findMixed(band);
    for (unsigned m = 0; m < unsigned(band.n_member()); ++m)
      for (auto &[name, iterator] : getMemberIterators(band, m))
        if (isInnermost ||
            (!outer.contains(poly.getStmt(name).op, iterator) &&
             (scop.getOrdered() || poly.getStmt(name).op.getContraction())))
          innermost[name].push_back(iterator);
    return !isInnermost;
  });
}

/// Adds the contractions in the innermost `band` that have other statements
/// beside them, but for those that begin their sums.
void Estimator::findMixed(const isl::schedule_node_band &band) {
  SmallVector<StmtOp> contractions;
  llvm::SmallDenseSet<Value> sums;
  getDomain(band).foreach_set([&](isl::set set) {
    StmtOp stmt = poly.getStmt(getTupleName(set)).op;
    if (stmt.getContraction()) {
      contractions.push_back(stmt);
      sums.insert(stmt.getWrites().begin(), stmt.getWrites().end());
    }
  });
  bool isMixed = false;
  getDomain(band).foreach_set([&](isl::set set) {
    isMixed |= llvm::any_of(poly.getStmt(getTupleName(set)).op.getWrites(),
                            [&](Value array) { return !sums.contains(array); });
  });
  for (StmtOp stmt : contractions)
    if (isMixed)
      mixed.insert(stmt.getSymName());
}

void Estimator::addWork() {
  double inside = 0, along = std::numeric_limits<double>::infinity();
  for (unsigned m = 0; m < outer.size(); ++m)
    along = std::min(along, outer.getMemberCost(m));
  for (const PolyStmt &stmt : poly.getStmts()) {
    double best = getScalarCost(scop, stmt.op);
    for (unsigned dim : innermost[stmt.name])
      best = std::min(best, getVectorCost(scop, stmt.op, dim));
    inside += best;
    // Between two of its terms, others have the registers.
    if (mixed.contains(stmt.name))
      inside += 2 * getInstances(stmt.op) / double(target.lanes);
  }
  cost.work = std::min(inside, along);
}

/// An array that the scop keeps between its statements is written once and read
/// as often as statements do, each time through the smallest cache that what is
/// live has room in.
void Estimator::addWaiting() {
  for (BlockArgument array : scop.getArrays()) {
    std::string refusal;
    std::optional<LocalPlace> place =
        findLocalPlace(poly, schedule, array, refusal);
    auto type = cast<MemRefType>(array.getType());
    double bytes = double(type.getNumElements()) *
                   double((type.getElementTypeBitWidth() + 7) / 8);
    double live = bytes;
    if (place) {
      live = double(place->getBytes(array));
      // Tiles of the loops around all statements have whole vectors.
      if (outerHasLanes && getScheduleDepth(place->node) > 0)
        live *= double(target.lanes *
                       target.getVectorsInFlight(getLaneBytes(type)));
      // What no stack has room for lies in memory as a whole.
      if (live > double(target.stackBytes))
        live = bytes;
    }
    double lines = bytes / double(target.cacheLine);
    cost.waiting += 2 * lines * target.getLineCost(live) / target.costs.simple;
  }
}

/// A loop begins once for each point of the statement with most points that the
/// loops above it have. Loops count the same in one band or in several.
void Estimator::addLoops() {
  schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    if (!node.isa<isl::schedule_node_band>())
      return true;
    SmallVector<std::map<std::string, MemberUse>> members;
    auto addMembers = [&](const isl::schedule_node &at) {
      if (at.isa<isl::schedule_node_band>())
        for (unsigned m = 0, e = at.as<isl::schedule_node_band>().n_member();
             m < e; ++m)
          members.push_back(getMemberUses(at.as<isl::schedule_node_band>(), m));
      return true;
    };
    addMembers(node);
    size_t own = members.size();
    node.child(0).foreach_descendant_top_down(addMembers);
    for (size_t first = 0; first < own; ++first)
      cost.loops += countEntries(node, ArrayRef(members).drop_front(first));
    return true;
  });
  cost.loops *= target.costs.loop / target.costs.simple;
  if (outerHasLanes)
    cost.loops /= double(target.lanes);
}

/// How often the first of the loops `members`, which stand at `node` and below
/// it, begins.
double
Estimator::countEntries(const isl::schedule_node &node,
                        ArrayRef<std::map<std::string, MemberUse>> members) {
  double most = 0;
  getDomain(node).foreach_set([&](isl::set set) {
    StmtOp stmt = poly.getStmt(getTupleName(set)).op;
    llvm::SmallDenseSet<unsigned> inside;
    for (const std::map<std::string, MemberUse> &uses : members)
      if (auto use = uses.find(stmt.getSymName().str()); use != uses.end())
        inside.insert(use->second.iterators.begin(),
                      use->second.iterators.end());
    double entries = 1;
    for (auto [dim, extent] : llvm::enumerate(stmt.getExtents()))
      if (!inside.contains(dim))
        entries *= double(extent);
    most = std::max(most, entries);
  });
  return most;
}

ProposalCost Estimator::run() {
  double iterations = 1;
  for (unsigned m = 0; m < outer.size(); ++m)
    iterations *= double(std::max<int64_t>(1, outer.getExtent(m)));
  cost.cores = std::min(double(target.cores), iterations);
  findLanes();
  addWork();
  addWaiting();
  addLoops();
  return cost;
}

std::string ProposalCost::describe() const {
  return fmt::format("{:.0f} steps (work {:.0f}, waiting values {:.0f}, loops "
                     "{:.0f}, on {:.0f} core{})",
                     getTotal(), work, waiting, loops, cores,
                     cores == 1 ? "" : "s");
}

ProposalCost estimate(const PolyScop &scop, const isl::schedule &schedule) {
  return Estimator(scop, schedule).run();
}

} // namespace fusec::poly
