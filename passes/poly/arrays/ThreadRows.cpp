// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/arrays/ThreadRows.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/arrays/ThreadParts.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/LocalPlaces.h"
#include "passes/poly/tree/Strides.h"

using namespace mlir;

namespace fusec::poly {

bool hasSharedLoops(const PolyScop &poly, const isl::schedule &schedule) {
  return getTargetInfo(poly.getOp()).kind == TargetKind::gpu &&
         hasMarkBelow(schedule.root(), kVectorMark);
}

/// Whether each value of `flow`, which goes from `from` to `to`, is where a
/// thread needs it if each thread has the array.
static bool staysInThreads(const ThreadParts &parts, const ThreadPart &from,
                           const ThreadPart &to, const isl::union_map &flow,
                           const llvm::DenseSet<Value> &ofThreads) {
  if (!from.isShared)
    return parts.isDoneByAll(from, ofThreads) ||
           (!to.isShared && !parts.isDoneByAll(to, ofThreads));
  if (!to.isShared || !from.thread || !to.thread)
    return false;
  isl::union_pw_aff thread =
      from.thread->union_add(to.thread->subtract_domain(from.thread->domain()));
  return flow.is_subset(flow.eq_at(isl::multi_union_pw_aff(thread)));
}

llvm::DenseSet<Value> findPrivate(const PolyScop &poly,
                                  const isl::schedule &schedule,
                                  llvm::DenseSet<Value> arrays) {
  ThreadParts parts(poly, schedule);
  auto isPrivate = [&](Value array) {
    isl::union_map flow = poly.getFlow(cast<BlockArgument>(array));
    for (const ThreadPart &from : parts.get())
      for (const ThreadPart &to : parts.get()) {
        isl::union_map here = flow.intersect_domain(from.domain)
                                  .intersect_range(to.domain)
                                  .subtract(poly.getDependences().reduction);
        // All threads get what a reduction makes.
        here = here.subtract_domain(parts.getReductions(from, array));
        if (!here.is_empty() && !staysInThreads(parts, from, to, here, arrays))
          return false;
      }
    return true;
  };
  // What one thread does because of one array changes what others need.
  for (bool changes = true; changes;) {
    changes = false;
    for (Value array : SmallVector<Value>(arrays.begin(), arrays.end()))
      if (!isPrivate(array))
        changes |= arrays.erase(array);
  }
  return arrays;
}

llvm::DenseSet<Value> getLocals(const PolyScop &poly,
                                const isl::schedule &schedule) {
  llvm::DenseSet<Value> arrays;
  schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    std::string mark = getMarkName(node);
    if (isLocalMark(mark))
      if (auto local = readLocalMark(poly.getOp(), mark);
          local && !local->isShared)
        arrays.insert(local->array);
    return true;
  });
  return arrays;
}

/// What a thread may have of an array that is no part of one of its loops: some
/// of its registers.
static int64_t getMostPrivateBytes(const PolyScop &poly) {
  return getTargetInfo(poly.getOp()).stackBytes / 16;
}

/// Whether `node` stands in a loop that threads share, so that what begins to
/// live there is one thread's.
static bool isInShared(isl::schedule_node node) {
  for (; node.has_parent(); node = node.parent())
    if (getMarkName(node) == kVectorMark)
      return true;
  return false;
}

/// Whether threads share out a loop over elements of `array`: each of them
/// would have all of these for the one that is its own, and ask by its number
/// for it, by which no register can be asked for.
static bool isSharedOut(const PolyScop &poly, const isl::schedule &schedule,
                        Value array) {
  bool found = false;
  schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    if (getMarkName(node) != kVectorMark)
      return true;
    for (auto [name, iterator] : getLoopIterators(node))
      for (const Access &access : getAccesses(poly.getStmt(name).op))
        found |= access.memref == array && access.map.isFunctionOfDim(iterator);
    return true;
  });
  return found;
}

/// `node`, or above the loops of warps or columns: a block has its shared
/// memory once.
static isl::schedule_node leaveTeams(const isl::schedule_node &node) {
  isl::schedule_node result = node;
  for (isl::schedule_node above = node; above.has_parent();
       above = above.parent())
    if (isTeamMark(getMarkName(above)))
      result = above;
  return result;
}

int64_t getMostRowBytes(const TargetInfo &target, bool hasColumns) {
  return target.multiprocessor->staticSharedBytes * 3 / (hasColumns ? 8 : 4);
}

isl::schedule promoteInRows(const PolyScop &poly, isl::schedule schedule,
                            int64_t maxBytes, TellUnplaced tell) {
  llvm::DenseSet<Value> ofThreads;
  std::string refusal;
  for (BlockArgument array : poly.getOp().getArrays()) {
    auto place = findLocalPlace(poly, schedule, array, refusal);
    if (!place)
      continue;
    bool isOne = isInShared(place->node);
    if (place->getBytes(array) <=
            (isOne ? maxBytes : getMostPrivateBytes(poly)) &&
        (isOne || !isSharedOut(poly, schedule, array)))
      ofThreads.insert(array);
  }
  ofThreads = findPrivate(poly, schedule, std::move(ofThreads));
  int64_t left = getMostRowBytes(getTargetInfo(poly.getOp()),
                                 poly.getOp().getConfigAttr().hasColumns());
  for (BlockArgument array : poly.getOp().getArrays()) {
    auto place = findLocalPlace(poly, schedule, array, refusal);
    if (!place) {
      if (!refusal.empty())
        tell(array, refusal);
      continue;
    }
    LocalArray local{array, place->shape, std::nullopt};
    if (!ofThreads.contains(array)) {
      if (isInShared(place->node)) {
        tell(array, "it lives in one iteration of a loop that threads share, "
                    "and nobody knows which thread runs that");
        continue;
      }
      place->node = leaveTeams(place->node);
      auto shape = findFootprint(poly, place->node, array);
      local.isShared = true;
      local.shape = shape.value_or(local.shape);
      int64_t bytes = LocalPlace{place->node, local.shape}.getBytes(array);
      if (!shape || bytes > left) {
        tell(array, "its threads share it, and it has " + Twine(bytes) +
                        " bytes, more than the " + Twine(left) +
                        " that are left of what a block takes of shared "
                        "memory");
        continue;
      }
      left -= bytes;
    }
    schedule =
        place->node.insert_mark(isl::id(poly.getContext(), local.toMark()))
            .schedule();
  }
  return schedule;
}

} // namespace fusec::poly
