// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/arrays/ThreadParts.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/tree/Bands.h"

#include <isl/aff.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>

using namespace mlir;
using fusec::sched::StmtOp;

namespace fusec::poly {

bool hasMarkBelow(const isl::schedule_node &node, StringRef mark) {
  bool found = false;
  node.foreach_descendant_top_down([&](isl::schedule_node below) {
    found |= getMarkName(below) == mark;
    return !found;
  });
  return found;
}

bool isThreadPart(const isl::schedule_node &node) {
  std::string mark = getMarkName(node);
  if (mark == kVectorMark)
    return true;
  return mark != kBarrierMark && !node.isa<isl::schedule_node_sequence>() &&
         !node.isa<isl::schedule_node_set>() &&
         !node.isa<isl::schedule_node_filter>() &&
         !hasMarkBelow(node, kVectorMark);
}

/// The first node below the loops of blocks, and of warps or columns.
static isl::schedule_node findRow(const isl::schedule &schedule, bool &ofWarp) {
  isl::schedule_node node = schedule.root().child(0);
  while (node.isa<isl::schedule_node_mark>()) {
    std::string mark = getMarkName(node);
    ofWarp |= mark == kWarpMark;
    if (mark == kVectorMark || mark == kBarrierMark)
      break;
    node = node.child(0);
    if (mark == kBlockMark || isTeamMark(mark))
      node = node.child(0);
  }
  return node;
}

ThreadParts::ThreadParts(const PolyScop &poly, const isl::schedule &schedule)
    : poly(poly), warp(getTargetInfo(poly.getOp()).multiprocessor->warp) {
  bool ofWarp = false;
  isl::schedule_node row = findRow(schedule, ofWarp);
  sched::ConfigAttr config = poly.getOp().getConfigAttr();
  isOfColumn = config.hasColumns();
  threads = ofWarp       ? warp
            : isOfColumn ? config.getThreads() / config.countTilePoints()
                         : config.getThreads();
  if (getScheduleDepth(row) > 0)
    around = row.prefix_schedule_multi_union_pw_aff();
  collect(row);
  schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    std::optional<LocalArray> local =
        isLocalMark(getMarkName(node))
            ? readLocalMark(poly.getOp(), getMarkName(node))
            : std::nullopt;
    if (local && local->isShared)
      shared.push_back(*local);
    return true;
  });
}

const LocalArray *ThreadParts::findShared(Value array) const {
  for (const LocalArray &local : shared)
    if (local.array == array)
      return &local;
  return nullptr;
}

void ThreadParts::collect(const isl::schedule_node &node) {
  if (!isThreadPart(node)) {
    for (unsigned i = 0; i < unsigned(node.n_children()); ++i)
      collect(node.child(i));
    return;
  }
  ThreadPart part{
      getDomain(node), getMarkName(node) == kVectorMark, std::nullopt, {}};
  if (part.isShared) {
    part.thread = findThread(node.child(0).as<isl::schedule_node_band>());
    for (auto [name, iterator] : getLoopIterators(node)) {
      StmtOp stmt = poly.getStmt(name).op;
      if (llvm::is_contained(stmt.getReduced(), int64_t(iterator)))
        for (Value array : stmt.getWrites())
          part.reductions.emplace_back(name, array);
    }
  }
  parts.push_back(std::move(part));
}

/// Iterations go round the threads, from the first one of the loop on: one that
/// does not begin at the same number wherever it stands is not followed.
std::optional<isl::union_pw_aff>
ThreadParts::findThread(const isl::schedule_node_band &loop) const {
  isl::union_pw_aff time =
      loop.partial_schedule().at(0).intersect_domain(getDomain(loop));
  isl::union_map values = time.as_union_map();
  isl::union_set first = values.range().lexmin();
  if (getScheduleDepth(loop) > 0)
    first = loop.prefix_schedule_union_map()
                .reverse()
                .apply_range(values)
                .lexmin()
                .range();
  isl::set firsts(isl::manage(isl_set_from_union_set(first.release())));
  if (!firsts.is_singleton())
    return std::nullopt;
  isl::val least = firsts.dim_min_val(0);
  isl::union_pw_aff offset = isl::manage(
      isl_union_pw_aff_val_on_domain(time.domain().release(), least.copy()));
  return isl::manage(
      isl_union_pw_aff_mod_val(time.sub(offset).release(),
                               isl::val(loop.ctx(), long(threads)).release()));
}

bool ThreadParts::isDoneByAll(const ThreadPart &part,
                              const llvm::DenseSet<Value> &ofThreads) const {
  return !part.isShared &&
         llvm::all_of(poly.getStmts(), [&](const PolyStmt &stmt) {
           return part.domain.intersect(stmt.domain).is_empty() ||
                  llvm::all_of(stmt.op.getWrites(), [&](Value array) {
                    return ofThreads.contains(array);
                  });
         });
}

isl::union_set ThreadParts::getReductions(const ThreadPart &part,
                                          Value array) const {
  isl::union_set result(poly.getContext(), "{ }");
  for (const auto &[name, written] : part.reductions)
    if (written == array)
      result = result.unite(part.domain.intersect(poly.getStmt(name).domain));
  return result;
}

/// Pairs of accesses to one place, one of them a write.
static isl::union_map getMeeting(const PolyScop &poly, Value array,
                                 const LocalArray *shared) {
  isl::union_map writes = poly.getWrites(array);
  isl::union_map all = poly.getReads(array).unite(writes);
  if (shared) {
    isl::union_map places = shared->getPlaces(poly.getContext());
    writes = writes.apply_range(places);
    all = all.apply_range(places);
  }
  isl::union_map meeting = writes.apply_range(all.reverse());
  return meeting.unite(meeting.reverse());
}

isl::union_map ThreadParts::getConflicts(const llvm::DenseSet<Value> &ofThreads,
                                         bool results) const {
  isl::ctx context = poly.getContext();
  isl::union_map conflicts(context, "{ }");
  for (BlockArgument array : poly.getOp().getBody().getArguments()) {
    if (ofThreads.contains(array) || poly.getWrites(array).is_empty())
      continue;
    // Which thread accesses it, where that is one.
    isl::union_pw_aff known =
        isl::manage(isl_union_pw_aff_empty_ctx(context.get()));
    isl::union_set reductions(context, "{ }");
    for (const ThreadPart &part : parts) {
      isl::union_set reduced = getReductions(part, array);
      reductions = reductions.unite(reduced);
      isl::union_set byFirst =
          part.isShared || isDoneByAll(part, ofThreads) ? reduced : part.domain;
      if (part.thread)
        known = known.union_add(part.thread->subtract_domain(reduced));
      known = known.union_add(isl::manage(isl_union_pw_aff_val_on_domain(
          byFirst.release(), isl::val(context, 0).release())));
    }
    isl::union_map meeting = getMeeting(poly, array, findShared(array));
    if (results)
      meeting = meeting.intersect_domain(reductions);
    meeting = meeting.subtract(meeting.eq_at(isl::multi_union_pw_aff(known)));
    conflicts = conflicts.unite(meeting);
  }
  return around ? conflicts.eq_at(*around) : conflicts;
}

} // namespace fusec::poly
