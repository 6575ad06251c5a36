// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/schedules/SharedLoops.h"
#include "passes/poly/tree/Strides.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace fusec::poly {

std::string LoopPlace::toString() const {
  if (!iterator)
    return std::to_string(shift);
  std::string text = "i" + std::to_string(*iterator);
  return shift ? text + " + " + std::to_string(shift) : text;
}

/// An iterator and a constant if `expr` is their sum, or one of them.
static std::optional<LoopPlace> getPlace(AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return LoopPlace{std::nullopt, constant.getValue()};
  int64_t shift = 0;
  if (auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
      sum && sum.getKind() == AffineExprKind::Add)
    if (auto constant = dyn_cast<AffineConstantExpr>(sum.getRHS())) {
      shift = constant.getValue();
      expr = sum.getLHS();
    }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return LoopPlace{dim.getPosition(), shift};
  return std::nullopt;
}

SharedLoops::SharedLoops(const PolyScop &scop, bool shifted)
    : stmts(scop.getStmts()), shifted(shifted), constants(stmts.size()) {
  for (const PolyStmt &stmt : stmts) {
    firstOf.push_back(next.size());
    taken.emplace_back(stmt.op.getNumIterators(), false);
    for (unsigned dim = 0; dim < stmt.op.getNumIterators(); ++dim)
      next.emplace_back(next.size(), 0);
    written.insert_range(stmt.op.getWrites());
  }
  for (auto [number, stmt] : llvm::enumerate(stmts)) {
    sched::StmtOp op = stmt.op;
    for (auto [index, memref] : llvm::enumerate(op.getReads()))
      visit(number, memref, op.getReadMap(index));
    for (auto [index, memref] : llvm::enumerate(op.getWrites()))
      visit(number, memref, op.getWriteMap(index));
  }
  joinComponents();
}

unsigned SharedLoops::getDimension(Value array, unsigned position) {
  auto [entry, isNew] = dimensions.try_emplace({array, position}, next.size());
  if (isNew)
    next.emplace_back(next.size(), 0);
  return entry->second;
}

/// The loop of a node, by one node of it, and where a value of it stands there.
std::pair<unsigned, int64_t> SharedLoops::getLoop(unsigned node) const {
  int64_t shift = 0;
  while (next[node].first != node) {
    shift += next[node].second;
    node = next[node].first;
  }
  return {node, shift};
}

/// Where `a` has a value, `b` has that plus `distance`. Of what does not agree
/// the first stands: whether a loop is legal is found out where it is used.
void SharedLoops::join(unsigned a, unsigned b, int64_t distance) {
  auto [loopOfA, shiftOfA] = getLoop(a);
  auto [loopOfB, shiftOfB] = getLoop(b);
  if (loopOfA != loopOfB)
    next[loopOfB] = {loopOfA, shiftOfA - distance - shiftOfB};
}

void SharedLoops::visit(unsigned stmt, Value array, AffineMap map) {
  if (!written.contains(array))
    return;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    std::optional<LoopPlace> place = getPlace(expr);
    if (!place || (!shifted && (!place->iterator || place->shift)))
      continue;
    unsigned dimension = getDimension(array, position);
    if (place->iterator)
      join(getIterator(stmt, *place->iterator), dimension, place->shift);
    else
      constants[stmt].emplace_back(dimension, place->shift);
  }
}

/// Statements that share no array that the scop writes, however many lie
/// between, have no loop in common. Those that their own components share are
/// the same ones where, from the outermost one on, they have equal extents.
/// With `shifted` the first one of other extents has them side by side.
void SharedLoops::joinComponents() {
  llvm::EquivalenceClasses<unsigned> connected;
  llvm::DenseMap<Value, unsigned> first;
  for (auto [number, stmt] : llvm::enumerate(stmts)) {
    connected.insert(number);
    for (const Access &access : getAccesses(stmt.op))
      if (written.contains(access.memref))
        connected.unionSets(
            first.try_emplace(access.memref, number).first->second, number);
  }
  llvm::MapVector<unsigned, Run> components;
  for (unsigned number = 0; number < stmts.size(); ++number)
    components[connected.getLeaderValue(number)].push_back(number);
  Run before = components.front().second;
  for (auto &[unused, run] : llvm::drop_begin(components)) {
    for (const auto &[a, b] :
         llvm::zip(find(before, shifted), find(run, shifted))) {
      Range rangeOfA = getRange(before, a), rangeOfB = getRange(run, b);
      bool areAlike =
          rangeOfA.second - rangeOfA.first == rangeOfB.second - rangeOfB.first;
      if (!areAlike && !shifted)
        break;
      // Where `a` is at its first value or, side by side, behind its last one,
      // `b` is at its first.
      int64_t begin = areAlike ? rangeOfA.first : rangeOfA.second;
      auto [iteratorOfA, shiftOfA] = getFirstIterator(before, a);
      auto [iteratorOfB, shiftOfB] = getFirstIterator(run, b);
      join(iteratorOfA, iteratorOfB,
           rangeOfB.first - shiftOfB - (begin - shiftOfA));
      if (!areAlike)
        break;
    }
    if (shifted)
      before.append(run);
  }
}

/// One of the iterators that run in `loop`, and its shift.
std::pair<unsigned, int64_t>
SharedLoops::getFirstIterator(const Run &run, const SharedLoop &loop) const {
  size_t index = llvm::find_if(loop,
                               [](const LoopPlace &place) {
                                 return place.iterator.has_value();
                               }) -
                 loop.begin();
  return {getIterator(run[index], *loop[index].iterator), loop[index].shift};
}

std::optional<LoopPlace> SharedLoops::findPlace(unsigned stmt,
                                                unsigned loop) const {
  std::optional<LoopPlace> found;
  for (unsigned dim = 0; dim < taken[stmt].size(); ++dim) {
    auto [other, shift] = getLoop(getIterator(stmt, dim));
    if (taken[stmt][dim] || other != loop)
      continue;
    if (found)
      return std::nullopt;
    found = LoopPlace{dim, shift};
  }
  if (!found)
    for (auto [dimension, value] : constants[stmt])
      if (auto [other, shift] = getLoop(dimension); other == loop && !found)
        found = LoopPlace{std::nullopt, shift + value};
  return found;
}

SharedLoops::Range SharedLoops::getRange(const Run &run,
                                         const SharedLoop &loop) const {
  Range range = {INT64_MAX, INT64_MIN};
  for (auto [stmt, place] : llvm::zip_equal(run, loop)) {
    sched::StmtOp op = stmts[stmt].op;
    int64_t extent = place.iterator ? op.getExtents()[*place.iterator] : 1;
    range.first = std::min(range.first, place.shift);
    range.second = std::max(range.second, place.shift + extent);
  }
  return range;
}

int64_t SharedLoops::getExtent(const Run &run, const SharedLoop &loop) const {
  auto [begin, end] = getRange(run, loop);
  return end - begin;
}

SmallVector<SharedLoop> SharedLoops::find(const Run &run,
                                          bool outermost) const {
  SmallVector<SharedLoop> result;
  // Of statements some of which have no iterator for a loop, the one with most.
  unsigned leader = run.front();
  if (shifted && outermost)
    for (unsigned stmt : run)
      if (taken[stmt].size() > taken[leader].size())
        leader = stmt;
  for (unsigned dim = 0; dim < taken[leader].size(); ++dim) {
    if (taken[leader][dim])
      continue;
    auto [number, begin] = getLoop(getIterator(leader, dim));
    int64_t extent = stmts[leader].op.getExtents()[dim];
    SharedLoop loop;
    for (unsigned stmt : run) {
      std::optional<LoopPlace> place = findPlace(stmt, number);
      // What has one point may stand anywhere.
      if (!place && shifted && outermost && taken[stmt].empty())
        place = LoopPlace{std::nullopt, begin};
      if (!place)
        break;
      sched::StmtOp op = stmts[stmt].op;
      if (!(shifted && outermost) &&
          (!place->iterator || op.getExtents()[*place->iterator] != extent ||
           (!loop.empty() && place->shift != loop.front().shift)))
        break;
      loop.push_back(*place);
    }
    if (loop.size() != run.size())
      continue;
    // The first iteration is 0.
    int64_t first = getRange(run, loop).first;
    for (LoopPlace &place : loop)
      place.shift -= first;
    result.push_back(loop);
  }
  return result;
}

void SharedLoops::take(const Run &run, const SharedLoop &loop) {
  for (auto [stmt, place] : llvm::zip_equal(run, loop))
    if (place.iterator)
      taken[stmt][*place.iterator] = true;
}

bool SharedLoops::hasLeft(unsigned stmt) const {
  return llvm::is_contained(taken[stmt], false);
}

} // namespace fusec::poly
