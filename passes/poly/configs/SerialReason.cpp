// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/SerialReason.h"

#include "dialects/TargetInfo.h"
#include "passes/lock/Lock.h"
#include "passes/poly/configs/Grain.h"
#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/Legality.h"

#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>

using namespace mlir;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

/// What has fewer points one thread runs in the time that others take to wake.
static constexpr double kLarge = 4096;

static bool hasManyPoints(ScopOp scop) {
  return llvm::any_of(scop.getBody().getOps<StmtOp>(),
                      [](StmtOp stmt) { return getInstances(stmt) >= kLarge; });
}

void noteSingleTile(const PolyScop &poly, const isl::schedule &schedule,
                    sched::ConfigAttr config) {
  ScopOp scop = poly.getOp();
  scop->removeAttr(kSingleTileAttr);
  if (!hasManyPoints(scop))
    return;
  if (auto takes = predictSingleTile(poly, schedule, config))
    scop->setAttr(kSingleTileAttr,
                  Builder(scop.getContext()).getF64FloatAttr(*takes));
}

/// The instances that stand in loops that threads share.
static isl::union_set findShared(const isl::schedule &schedule) {
  isl::union_set shared(schedule.ctx(), "{ }");
  schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    const std::string mark = getMarkName(node);
    if (mark != kParallelMark && mark != kSplitMark)
      return true;
    shared = shared.unite(getDomain(node));
    return false;
  });
  return shared;
}

namespace {
/// Says what keeps the loops of one statement from threads.
class Explainer {
public:
  Explainer(const PolyScop &poly, const PolyStmt &stmt)
      : poly(poly), stmt(stmt), all(poly.getDependences().all()),
        own(stmt.domain) {}

  std::string run() const;

private:
  std::string explain(unsigned dim) const;
  isl::union_map getIteration(unsigned dim) const;

  const PolyScop &poly;
  const PolyStmt &stmt;
  const isl::union_map all;
  const isl::union_set own;
};
} // namespace

/// { stmt[i] -> [i_dim] }
isl::union_map Explainer::getIteration(unsigned dim) const {
  return isl::union_map(poly.getContext(),
                        fmt::format("{{ {} -> [i{}] }}", stmt.instance, dim));
}

std::string Explainer::explain(unsigned dim) const {
  StmtOp op = stmt.op;
  if (llvm::is_contained(op.getReduced(), int64_t(dim)))
    return "is reduced";
  isl::union_map at = getIteration(dim);
  isl::union_map carried =
      all.intersect_domain(own).intersect_range(own).subtract(
          at.apply_range(at.reverse()));
  if (!carried.is_empty())
    return "has iterations that wait for others of @" + stmt.name;
  for (const PolyStmt &other : poly.getStmts()) {
    if (other.name == stmt.name)
      continue;
    isl::union_set instances(other.domain);
    isl::union_map waits =
        all.intersect_domain(instances).intersect_range(own).apply_range(at);
    if (!waits.is_single_valued())
      return "has iterations that wait for one of @" + other.name;
    isl::union_map waited = all.intersect_domain(own)
                                .intersect_range(instances)
                                .reverse()
                                .apply_range(at);
    if (!waited.is_single_valued())
      return "has iterations that one of @" + other.name + " waits for";
  }
  return "";
}

/// Why one tile has all of a group, which no dependence asks for: what that is
/// expected to take against what two threads are worth waking for, each with a
/// half. Else it is the cheapest, unless a lock says otherwise.
static std::string explainSingleTile(ScopOp scop) {
  const std::string fact = "one tile has all of it";
  auto expected = scop->getAttrOfType<FloatAttr>(kSingleTileAttr);
  if (!expected)
    return fact;
  const double takes = expected.getValueAsDouble();
  const double worth = 2 * getTargetInfo(scop).forkNanoseconds;
  if (takes < worth)
    return fmt::format("{}: {:.1f} us, and two threads are worth waking from "
                       "{:.1f} us on",
                       fact, takes / 1000, worth / 1000);
  if (scop->hasAttr(lock::kLockedAttr))
    return fact;
  return fmt::format("{}: {:.1f} us, the least that one core is expected to "
                     "take",
                     fact, takes / 1000);
}

std::string Explainer::run() const {
  SmallVector<std::string> reasons;
  StmtOp op = stmt.op;
  for (auto [dim, extent] : llvm::enumerate(op.getExtents()))
    if (std::string reason = extent > 1 ? explain(dim) : ""; !reason.empty())
      reasons.push_back(fmt::format(
          "{} of @{} {}", cast<StringAttr>(op.getDims()[dim]).getValue().str(),
          stmt.name, reason));
  if (reasons.size() ==
      size_t(llvm::count_if(op.getExtents(),
                            [](int64_t extent) { return extent > 1; })))
    return llvm::join(reasons, "; ");
  if (!poly.getOp().getConfigAttr().getTile().empty())
    return explainSingleTile(poly.getOp());
  reasons.push_back(
      "its other loops are not around all statements, as one that threads "
      "share is");
  return llvm::join(reasons, "; ");
}

std::optional<DictionaryAttr> explainSerial(ScopOp scop,
                                            const IslLimit &limit) {
  if (getTargetInfo(scop).kind != TargetKind::cpu ||
      scop.getConfigAttr().getName() == "naive" || !hasManyPoints(scop))
    return std::nullopt;
  double points = 0;
  std::string reason;
  IslContext context;
  bool ended = context.runWithin(limit, [&] {
    PolyScop poly(context.get(), scop);
    isl::union_set shared = findShared(getSchedule(context.get(), scop));
    const PolyStmt *largest = nullptr;
    for (const PolyStmt &stmt : poly.getStmts())
      if (getInstances(stmt.op) >= kLarge && getInstances(stmt.op) > points &&
          !isl::union_set(stmt.domain).is_subset(shared)) {
        points = getInstances(stmt.op);
        largest = &stmt;
      }
    if (largest)
      reason = Explainer(poly, *largest).run();
  });
  if (points == 0)
    return std::nullopt;
  if (!ended)
    reason = "isl did not end to find out within its limit";
  Builder builder(scop.getContext());
  return builder.getDictionaryAttr(
      {builder.getNamedAttr("points", builder.getI64IntegerAttr(points)),
       builder.getNamedAttr("reason", builder.getStringAttr(reason))});
}

} // namespace fusec::poly
