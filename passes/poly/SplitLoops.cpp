// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/SplitLoops.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/Bands.h"
#include "passes/poly/Carries.h"
#include "passes/poly/CostModel.h"
#include "passes/poly/Legality.h"
#include "passes/poly/OuterBand.h"

#include "llvm/Support/MathExtras.h"
#include <isl/schedule_node.h>

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

static bool isOfGpu(const PolyScop &poly) {
  return getTargetInfo(poly.getOp()).kind == TargetKind::gpu;
}

/// The outermost band around all of `domain`, on a GPU of those below the outer
/// one, whose points blocks have; null if there is none.
static isl::schedule_node findBandAround(const PolyScop &poly,
                                         const isl::schedule &schedule,
                                         const isl::union_set &domain) {
  isl::schedule_node node = schedule.root().child(0);
  if (isOfGpu(poly) && !getOuterBand(schedule).is_null())
    node = node.child(0);
  while (!node.isa<isl::schedule_node_band>()) {
    isl::schedule_node inside;
    for (unsigned i = 0; i < unsigned(node.n_children()); ++i) {
      isl::schedule_node child = node.child(i);
      if (child.isa<isl::schedule_node_filter>())
        child = child.child(0);
      if (domain.is_subset(getDomain(child)))
        inside = child;
    }
    if (inside.is_null())
      return {};
    node = inside;
  }
  return node;
}

/// Why the statements below `band` cannot be taken apart along its outermost
/// loop; empty if they can as far as what they reduce is concerned.
static std::string explainWhole(const PolyScop &poly,
                                const isl::schedule_node_band &band) {
  std::map<std::string, unsigned> iterators = getMemberIterators(band, 0);
  llvm::SmallDenseSet<Value> reduced;
  std::string reason;
  getDomain(band).foreach_set([&](isl::set set) {
    const PolyStmt &stmt = poly.getStmt(getTupleName(set));
    auto own = iterators.find(stmt.name);
    if (!reason.empty() || !stmt.op.isReduction() ||
        (own != iterators.end() &&
         !llvm::is_contained(stmt.op.getReduced(), int64_t(own->second))))
      return;
    if (own == iterators.end())
      reason = "the loop runs over no single iterator of @" + stmt.name;
    for (const StatementCarry &each : getCarries(stmt.op))
      if (!kernel::getCombiner(each.carry))
        reason = "two results of @" + stmt.name +
                 " have no rule that makes "
                 "one of them";
    for (Value array : stmt.op.getWrites())
      if (!reduced.insert(array).second)
        reason = "two statements add up in one array";
  });
  return reason;
}

/// Why not several blocks could run the statements below `band`: each of them
/// runs what stands before, too, and what comes after only the last one.
static std::string explainOneBlock(const PolyScop &poly,
                                   const isl::schedule_node_band &band) {
  isl::union_set here = getDomain(band);
  OuterBand outer(poly.getOp(), band.schedule());
  std::string reason;
  for (const PolyStmt &stmt : poly.getStmts()) {
    bool isHere = !here.intersect(stmt.domain).is_empty();
    StmtOp op = stmt.op;
    if (isHere && !op.isReduction())
      return "@" + stmt.name + " in it does not reduce";
    for (unsigned dim = 0; isHere && dim < op.getNumIterators(); ++dim)
      if (!outer.contains(op, dim) &&
          !llvm::is_contained(op.getReduced(), int64_t(dim)))
        return "@" + stmt.name + " has several results in it";
  }
  isl::schedule_node inside = band;
  for (; inside.has_parent(); inside = inside.parent()) {
    if (!inside.parent().isa<isl::schedule_node_filter>())
      continue;
    isl::schedule_node filter = inside.parent(), all = filter.parent();
    for (unsigned i = 0; i < unsigned(filter.child_position()); ++i)
      for (const PolyStmt &stmt : poly.getStmts())
        if (!getDomain(all.child(i).child(0)).intersect(stmt.domain).is_empty())
          for (Value array : stmt.op.getWrites())
            if (!llvm::is_contained(poly.getOp().getArrays(), array))
              reason = "@" + stmt.name + " before it stores a result";
  }
  for (const PolyStmt &stmt : poly.getStmts())
    if (!here.intersect(stmt.domain).is_empty())
      for (Value array : stmt.op.getWrites())
        if (!llvm::is_contained(poly.getOp().getArrays(), array))
          reason = "it adds up in memory that others see";
  return reason;
}

std::optional<isl::schedule_node_band>
findSplitLoop(const PolyScop &poly, const isl::schedule &schedule,
              std::string &refusal) {
  auto refuse = [&](const std::string &reason) {
    refusal = reason;
    return std::nullopt;
  };
  const PolyStmt *longest = nullptr;
  for (const PolyStmt &stmt : poly.getStmts())
    if (!longest || getInstances(stmt.op) > getInstances(longest->op))
      longest = &stmt;
  if (!longest || !longest->op.isReduction())
    return refuse("its longest statement does not reduce");
  isl::schedule_node node =
      findBandAround(poly, schedule, isl::union_set(longest->domain));
  if (node.is_null())
    return refuse("its longest statement has no loop");
  auto band = node.as<isl::schedule_node_band>();
  std::map<std::string, unsigned> iterators = getMemberIterators(band, 0);
  auto own = iterators.find(longest->name);
  if (own == iterators.end() ||
      !llvm::is_contained(longest->op.getReduced(), int64_t(own->second)))
    return refuse("its longest statement does not reduce along the outermost "
                  "loop around it");
  if (std::string reason = explainWhole(poly, band); !reason.empty())
    return refuse(reason);
  if (isOfGpu(poly))
    if (std::string reason = explainOneBlock(poly, band); !reason.empty())
      return refuse(reason);
  return band;
}

isl::schedule splitLoop(const isl::schedule_node_band &band, int64_t split) {
  isl::schedule_node node = band;
  if (band.n_member() > 1)
    node = isl::manage(isl_schedule_node_band_split(node.release(), 1));
  return tileBand(node, {split})
      .insert_mark(isl::id(band.ctx(), kSplitMark.str()))
      .schedule();
}

int64_t countParts(const PolyScop &poly, const isl::schedule &schedule,
                   ConfigAttr config) {
  std::string refusal;
  if (config.getSplit() == 0)
    return 0;
  auto band = findSplitLoop(poly, schedule, refusal);
  return band ? llvm::divideCeil(getExtent(*band, 0), config.getSplit()) : 0;
}

bool isReproducible(ScopOp scop, ConfigAttr config) {
  // The last block of a GPU combines what all have, always in the same order.
  return config.getSplit() == 0 ||
         getTargetInfo(scop).kind == TargetKind::gpu ||
         llvm::none_of(scop.getBody().getOps<StmtOp>(), [](StmtOp stmt) {
           return stmt.isReduction() &&
                  llvm::any_of(stmt.getWrites(), [](Value array) {
                    return isa<FloatType>(
                        cast<MemRefType>(array.getType()).getElementType());
                  });
         });
}

} // namespace fusec::poly
