// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/levels/SplitLoops.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/Carries.h"
#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/Legality.h"
#include "passes/poly/tree/OuterBand.h"

#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>
#include <isl/schedule_node.h>

using namespace mlir;
using fusec::sched::Combine;
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

/// The arrays that statements of `domain` reduce to.
static llvm::SmallDenseSet<Value> getReduced(const PolyScop &poly,
                                             const isl::union_set &domain) {
  llvm::SmallDenseSet<Value> reduced;
  for (const PolyStmt &stmt : poly.getStmts())
    if (stmt.op.isReduction() && !domain.intersect(stmt.domain).is_empty())
      reduced.insert_range(stmt.op.getWrites());
  return reduced;
}

/// The statements that run before `node`, as far as blocks are concerned.
static std::vector<PolyStmt> findBefore(const PolyScop &poly,
                                        isl::schedule_node node) {
  std::vector<PolyStmt> result;
  for (; node.has_parent(); node = node.parent()) {
    if (!node.parent().isa<isl::schedule_node_filter>())
      continue;
    isl::schedule_node filter = node.parent(), all = filter.parent();
    for (unsigned i = 0; i < unsigned(filter.child_position()); ++i)
      for (const PolyStmt &stmt : poly.getStmts())
        if (!getDomain(all.child(i).child(0)).intersect(stmt.domain).is_empty())
          result.push_back(stmt);
  }
  return result;
}

/// Whether only statements of `domain` read what `stmt` writes, or who has the
/// outputs.
static bool isReadThere(const PolyScop &poly, const isl::union_set &domain,
                        StmtOp stmt) {
  return llvm::all_of(stmt.getWrites(), [&](Value array) {
    return llvm::all_of(poly.getStmts(), [&](const PolyStmt &reader) {
      return !llvm::is_contained(reader.op.getReads(), array) ||
             !domain.intersect(reader.domain).is_empty();
    });
  });
}

/// Why not several blocks could run the statements below `band`: each of them
/// runs what stands before, too, and what comes after only the last one. The
/// threads `ofTiles` keep nothing from before but what they add up in.
static std::string explainOneBlock(const PolyScop &poly,
                                   const isl::schedule_node_band &band,
                                   bool ofTiles) {
  isl::union_set here = getDomain(band);
  OuterBand outer(poly.getOp(), band.schedule());
  llvm::SmallDenseSet<Value> reduced = getReduced(poly, here);
  std::string reason;
  for (const PolyStmt &stmt : poly.getStmts()) {
    bool isHere = !here.intersect(stmt.domain).is_empty();
    StmtOp op = stmt.op;
    if (isHere && !op.isReduction() && !isReadThere(poly, here, op))
      return "@" + stmt.name + " in it makes what is read later";
    bool reduces = isHere && op.isReduction();
    for (unsigned dim = 0; reduces && dim < op.getNumIterators(); ++dim)
      if (!outer.contains(op, dim) &&
          !llvm::is_contained(op.getReduced(), int64_t(dim)))
        return "@" + stmt.name + " has several results in it";
  }
  for (const PolyStmt &stmt : findBefore(poly, band))
    for (Value array : stmt.op.getWrites())
      if (!llvm::is_contained(poly.getOp().getArrays(), array))
        reason = "@" + stmt.name + " before it stores a result";
      else if (ofTiles && !reduced.contains(array))
        reason = "@" + stmt.name + " before it makes what is read later";
  for (Value array : reduced)
    if (!llvm::is_contained(poly.getOp().getArrays(), array))
      reason = "it adds up in memory that others see";
  return reason;
}

/// Whether all that `stmt` yields is zero.
static bool yieldsZero(StmtOp stmt) {
  return llvm::all_of(
      stmt.getBody().front().getTerminator()->getOperands(),
      [](Value value) { return matchPattern(value, m_PosZeroFloat()); });
}

/// Whether `stmt` stores what one of `arrays` holds to an output that holds all
/// of it.
static bool storesOnly(StmtOp stmt, const llvm::SmallDenseSet<Value> &arrays) {
  if (stmt.getReads().size() != 1 || stmt.getWrites().size() != 1 ||
      !arrays.contains(stmt.getReads().front()))
    return false;
  auto type = cast<MemRefType>(stmt.getWrites().front().getType());
  Block &body = stmt.getBody().front();
  return llvm::is_contained(
             ScopOp(stmt->getParentOfType<ScopOp>()).getOutputs(),
             stmt.getWrites().front()) &&
         body.getTerminator()->getOperand(0) == body.getArgument(0) &&
         getComputeType(type.getElementType()) == type.getElementType();
}

std::string explainNotAdded(const PolyScop &poly,
                            const isl::schedule_node_band &band) {
  isl::union_set here = getDomain(band);
  llvm::SmallDenseSet<Value> reduced = getReduced(poly, here), stored;
  for (Value array : reduced) {
    Type element = cast<MemRefType>(array.getType()).getElementType();
    if (!element.isF32() && !element.isF64())
      return "no parts of float or double are added up in it";
  }
  for (const PolyStmt &stmt : poly.getStmts()) {
    StmtOp op = stmt.op;
    auto isReduced = [&](Value array) { return reduced.contains(array); };
    if (!here.intersect(stmt.domain).is_empty()) {
      for (const StatementCarry &each : getCarries(op))
        if (each.carry != kernel::Carry::Add)
          return "@" + stmt.name + " is no sum";
    } else if (llvm::any_of(op.getWrites(), isReduced)) {
      if (!yieldsZero(op))
        return "@" + stmt.name + " begins with something else than zero";
    } else if (!storesOnly(op, reduced) ||
               !stored.insert(op.getReads().front()).second) {
      return "@" + stmt.name + " does more than to store the sum";
    }
  }
  return "";
}

std::optional<isl::schedule_node_band>
findSplitLoop(const PolyScop &poly, const isl::schedule &schedule,
              std::string &refusal, bool ofTiles) {
  auto refuse = [&](const std::string &reason) {
    refusal = reason;
    return std::nullopt;
  };
  const PolyStmt *longest = nullptr;
  for (const PolyStmt &stmt : poly.getStmts()) {
    double more =
        longest ? getInstances(stmt.op) - getInstances(longest->op) : 1;
    // Blocks run what stands beside a reduction, too.
    if (more > 0 || (more == 0 && isOfGpu(poly) && stmt.op.isReduction() &&
                     !longest->op.isReduction()))
      longest = &stmt;
  }
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
    if (std::string reason = explainOneBlock(poly, band, ofTiles);
        !reason.empty())
      return refuse(reason);
  return band;
}

isl::schedule_node splitLoop(const isl::schedule_node_band &band,
                             int64_t split) {
  isl::schedule_node node = band;
  if (band.n_member() > 1)
    node = isl::manage(isl_schedule_node_band_split(node.release(), 1));
  return tileBand(node, {split})
      .insert_mark(isl::id(band.ctx(), kSplitMark.str()));
}

int64_t countParts(const PolyScop &poly, const isl::schedule &schedule,
                   ConfigAttr config) {
  std::string refusal;
  if (config.getSplit() == 0)
    return 0;
  auto band = findSplitLoop(poly, schedule, refusal,
                            /*ofTiles=*/!config.getPoints().empty());
  return band ? llvm::divideCeil(getExtent(*band, 0), config.getSplit()) : 0;
}

std::string explainIrreproducible(ScopOp scop, ConfigAttr config) {
  if (config.getSplit() != 0 && config.getCombine() != Combine::last_block &&
      scop.reducesFloats())
    return "it adds up in whichever order threads run";
  const Multiprocessor *mp = getTargetInfo(scop).multiprocessor;
  const MatrixUnit *unit =
      mp ? mp->getMatrixUnit(config.getMatrices()) : nullptr;
  if (unit && !unit->isExact())
    return fmt::format("it multiplies {} as sums of two numbers of {}",
                       unit->factors.str(), unit->parts.str());
  return "";
}

} // namespace fusec::poly
