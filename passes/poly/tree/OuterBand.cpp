// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/tree/OuterBand.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/Strides.h"

using namespace mlir;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

OuterBand::OuterBand(ScopOp scop, const isl::schedule &schedule) : scop(scop) {
  isl::schedule_node node = getOuterBand(schedule);
  if (node.is_null())
    return;
  auto band = node.as<isl::schedule_node_band>();
  for (unsigned m = 0; m < unsigned(band.n_member()); ++m) {
    Member member;
    std::optional<int64_t> begin, end;
    const std::map<std::string, MemberUse> uses = getMemberUses(band, m);
    for (StmtOp stmt : scop.getBody().getOps<StmtOp>()) {
      std::string name = stmt.getSymName().str();
      auto found = uses.find(name);
      if (found == uses.end() || !found->second.unit ||
          found->second.isSkewed())
        continue;
      const MemberUse &use = found->second;
      int64_t extent = 1;
      if (!use.iterators.empty()) {
        member.iterators[name] = use.iterators.front();
        extent = stmt.getExtents()[use.iterators.front()];
      }
      member.shifts[name] = use.shift;
      begin = std::min(begin.value_or(use.shift), use.shift);
      end = std::max(end.value_or(use.shift), use.shift + extent);
    }
    if (begin) {
      member.begin = *begin;
      member.extent = *end - *begin;
    }
    members.push_back(std::move(member));
  }
}

bool OuterBand::isUniform(const isl::schedule &schedule, unsigned m) const {
  auto band = getOuterBand(schedule).as<isl::schedule_node_band>();
  const int64_t all = poly::getExtent(band, m);
  return llvm::all_of(scop.getBody().getOps<StmtOp>(), [&](StmtOp stmt) {
    std::optional<unsigned> iterator = getIterator(stmt, m);
    return iterator && stmt.getExtents()[*iterator] == all;
  });
}

std::optional<unsigned> OuterBand::getIterator(StmtOp stmt, unsigned m) const {
  auto found = members[m].iterators.find(stmt.getSymName().str());
  if (found == members[m].iterators.end())
    return std::nullopt;
  return found->second;
}

int64_t OuterBand::getShift(StmtOp stmt, unsigned m) const {
  auto found = members[m].shifts.find(stmt.getSymName().str());
  return found == members[m].shifts.end() ? 0
                                          : found->second - members[m].begin;
}

bool OuterBand::standsAtOne(StmtOp stmt, unsigned m) const {
  return !getIterator(stmt, m) &&
         members[m].shifts.count(stmt.getSymName().str());
}

bool OuterBand::contains(StmtOp stmt, unsigned iterator) const {
  for (unsigned m = 0; m < size(); ++m)
    if (getIterator(stmt, m) == iterator)
      return true;
  return false;
}

bool OuterBand::hasLoopsBelow() const {
  return llvm::any_of(scop.getBody().getOps<StmtOp>(), [&](StmtOp stmt) {
    for (unsigned dim = 0; dim < stmt.getNumIterators(); ++dim)
      if (!contains(stmt, dim))
        return true;
    return false;
  });
}

double OuterBand::getMemberCost(unsigned m) const {
  double cost = 0;
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>()) {
    auto iterator = getIterator(stmt, m);
    if (!iterator && !standsAtOne(stmt, m))
      return std::numeric_limits<double>::infinity();
    cost += iterator ? getVectorCost(scop, stmt, *iterator)
                     : getScalarCost(scop, stmt);
  }
  return cost;
}

SmallVector<unsigned> OuterBand::getThreadOrder(unsigned m) const {
  SmallVector<unsigned> order;
  for (unsigned other = 0; other < size(); ++other)
    if (other != m)
      order.push_back(other);
  order.push_back(m);
  return order;
}

double OuterBand::getThreadsCost(unsigned m) const {
  double cost = 0;
  SmallVector<unsigned> order = getThreadOrder(m);
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>()) {
    if (!getIterator(stmt, m) && !standsAtOne(stmt, m))
      return std::numeric_limits<double>::infinity();
    SmallVector<ThreadLoop> loops;
    for (unsigned member : llvm::reverse(order))
      if (auto iterator = getIterator(stmt, member))
        loops.push_back({*iterator, std::max<int64_t>(1, getExtent(member))});
    cost += poly::getThreadsCost(scop, stmt, loops);
  }
  return cost;
}

double OuterBand::getInnerCost(StmtOp stmt) const {
  double best = getScalarCost(scop, stmt);
  for (unsigned dim = 0; dim < stmt.getNumIterators(); ++dim)
    if (!contains(stmt, dim))
      best = std::min(best, getVectorCost(scop, stmt, dim));
  return best;
}

double OuterBand::getInnerCost() const {
  double cost = 0;
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>())
    cost += getInnerCost(stmt);
  return cost;
}

SmallVector<unsigned> OuterBand::findReuses(StmtOp stmt,
                                            unsigned vector) const {
  int64_t rows = getTargetInfo(scop).getRows(stmt.getLaneBytes());
  // Ties: the outermost first.
  SmallVector<std::tuple<bool, int64_t, unsigned>> ranked;
  for (unsigned m = 0; m < size(); ++m) {
    auto other = getIterator(stmt, m);
    if (!other || *other == vector)
      continue;
    bool reuses = false;
    int64_t moves = 0;
    for (const Access &access : getAccesses(stmt)) {
      if (access.write || llvm::is_contained(scop.getArrays(), access.memref))
        continue;
      std::optional<int64_t> stride = getStride(access, *other);
      // Rows that are picked are of one panel.
      reuses |= getStride(access, vector) != 0 &&
                (stride == 0 || access.isPickedAlong(*other));
      moves += std::abs(stride.value_or(INT32_MAX));
    }
    if (reuses)
      ranked.push_back({false, moves, m});
  }
  llvm::sort(ranked);
  // Where the two nearest together have too few iterations, one far away that
  // has enough goes first.
  int64_t nearest = 1;
  for (auto [few, moves, member] : ArrayRef(ranked).take_front(2))
    nearest *= getExtent(member);
  for (auto &[few, moves, member] : ranked)
    few = nearest < rows && getExtent(member) < rows;
  llvm::sort(ranked);
  SmallVector<unsigned> result;
  for (auto [few, moves, member] : ranked)
    result.push_back(member);
  return result;
}

int64_t OuterBand::getBytesPerRow() const {
  int64_t most = 0;
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>())
    for (const Access &access : getAccesses(stmt)) {
      if (!llvm::is_contained(scop.getArrays(), access.memref))
        continue;
      auto type = cast<MemRefType>(access.memref.getType());
      int64_t bytes = (type.getElementTypeBitWidth() + 7) / 8;
      for (auto [dim, extent] : llvm::enumerate(stmt.getExtents()))
        if (!contains(stmt, dim) && access.map.isFunctionOfDim(dim))
          bytes *= extent;
      most = std::max(most, bytes);
    }
  return most;
}

} // namespace fusec::poly
