// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Goes through a tree as a thread does, with what has run since all of them
// waited: what is in conflict with it needs a barrier first.
#include "passes/poly/arrays/ThreadParts.h"
#include "passes/poly/arrays/ThreadRows.h"

#include "llvm/ADT/SmallVectorExtras.h"
#include <isl/aff.h>
#include <isl/schedule_node.h>

using namespace mlir;

namespace fusec::poly {

namespace {

class ThreadOrder {
public:
  ThreadOrder(const PolyScop &poly, const isl::schedule &schedule,
              const llvm::DenseSet<Value> &ofThreads, bool places)
      : parts(poly, schedule), places(places) {
    relations.push_back(parts.getConflicts(ofThreads, /*results=*/false));
    results = parts.getConflicts(ofThreads, /*results=*/true);
  }

  isl::schedule run(const isl::schedule &schedule) {
    return walk(schedule.root()).schedule();
  }
  const std::optional<Violation> &getViolation() const { return violation; }

private:
  /// What has run since the last barrier.
  struct Entry {
    isl::union_set instances;
    /// Loops around both it and what comes now.
    unsigned loops;
    /// Whether only the results of its reductions have not been waited for.
    bool isCombined = false;
  };

  // Each of these returns the node at the place of `node`.
  isl::schedule_node walk(isl::schedule_node node);
  isl::schedule_node walkPart(isl::schedule_node node);
  isl::schedule_node walkLoop(isl::schedule_node node);
  isl::schedule_node walkChildren(isl::schedule_node node);
  isl::schedule_node walkAgain(isl::schedule_node node,
                               const isl::union_map &carried);
  isl::schedule_node wait(isl::schedule_node node,
                          const isl::union_map &conflict);
  bool isWaitedFor(const isl::schedule_node &node) const {
    return getMarkName(node.parent()) == kBarrierMark;
  }

  ThreadParts parts;
  bool places;
  /// Conflicts in the same iteration of so many sequential loops around.
  SmallVector<isl::union_map> relations;
  isl::union_map results;
  std::vector<Entry> open;
  std::optional<Violation> violation;
};

} // namespace

/// Whether `node` runs in each iteration of the loops around in which anything
/// does: then so does a barrier before it.
static bool runsAlways(const isl::schedule_node &node) {
  isl::union_set here = getDomain(node);
  for (isl::schedule_node body = node; body.has_parent();
       body = body.parent()) {
    if (!body.parent().isa<isl::schedule_node_band>())
      continue;
    isl::union_map times = body.prefix_schedule_union_map();
    if (!times.intersect_domain(getDomain(body))
             .range()
             .is_subset(times.intersect_domain(here).range()))
      return false;
  }
  return true;
}

/// A barrier before `node`; or why there should be one.
isl::schedule_node ThreadOrder::wait(isl::schedule_node node,
                                     const isl::union_map &conflict) {
  if (runsAlways(node))
    open.clear();
  if (places) {
    isl::schedule_node marked = node;
    // isl reads no mark above nothing: a loop of one iteration goes between.
    if (node.isa<isl::schedule_node_leaf>())
      marked = node.insert_partial_schedule(
          isl::multi_union_pw_aff(isl::manage(isl_union_pw_aff_val_on_domain(
              getDomain(node).release(), isl::val(node.ctx(), 0).release()))));
    return marked.insert_mark(isl::id(node.ctx(), kBarrierMark.str()));
  }
  if (!violation)
    violation = {"threads access an element, one of them to write, and no "
                 "barrier stands between",
                 toString(isl::manage(isl_union_map_sample(conflict.copy())))};
  return node;
}

isl::schedule_node ThreadOrder::walkPart(isl::schedule_node node) {
  isl::union_set here = getDomain(node);
  const bool isFree = isWaitedFor(node);
  if (isFree && runsAlways(node))
    open.clear();
  for (const Entry &entry : isFree ? std::vector<Entry>() : open) {
    isl::union_map conflict =
        relations[std::min<size_t>(entry.loops, relations.size() - 1)];
    if (entry.isCombined)
      conflict = conflict.intersect(results);
    conflict = conflict.intersect_domain(entry.instances).intersect_range(here);
    if (conflict.is_empty())
      continue;
    node = wait(node, conflict);
    break;
  }
  open.push_back({here, unsigned(relations.size() - 1)});
  return node;
}

/// What the iterations of a loop leave to the next ones, once its body has been
/// gone through.
isl::schedule_node ThreadOrder::walkAgain(isl::schedule_node node,
                                          const isl::union_map &carried) {
  if (open.empty())
    return node;
  if (!isThreadPart(node)) {
    for (unsigned i = 0; i < unsigned(node.n_children()); ++i)
      node = walkAgain(node.child(i), carried).parent();
    return node;
  }
  if (isWaitedFor(node)) {
    if (runsAlways(node))
      open.clear();
    return node;
  }
  for (const Entry &entry : open) {
    isl::union_map conflict = carried.intersect_domain(entry.instances)
                                  .intersect_range(getDomain(node));
    if (!conflict.is_empty())
      return wait(node, conflict);
  }
  return node;
}

isl::schedule_node ThreadOrder::walkLoop(isl::schedule_node node) {
  isl::union_map around = relations.back();
  isl::multi_union_pw_aff time =
      node.as<isl::schedule_node_band>().partial_schedule();
  isl::union_map within = around.eq_at(time);
  // What an iteration leaves to a later one.
  isl::union_map carried = isl::manage(
      isl_union_map_lex_lt_at_multi_union_pw_aff(around.copy(), time.copy()));
  relations.push_back(within);
  node = walk(node.child(0)).parent();
  std::vector<Entry> after = open;
  llvm::erase_if(open, [&](const Entry &entry) {
    return entry.loops + 1 < relations.size();
  });
  node = walkAgain(node.child(0), carried).parent();
  relations.pop_back();
  open = after;
  for (Entry &entry : open)
    entry.loops = std::min<unsigned>(entry.loops, relations.size() - 1);
  return node;
}

isl::schedule_node ThreadOrder::walkChildren(isl::schedule_node node) {
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i) {
    node = walk(node.child(i)).parent();
    // Where threads combine what they have, they wait for each other; a loop
    // around may combine it when it is done.
    if (relations.size() > 1 || !parts.isOfBlock())
      continue;
    isl::union_set here = getDomain(node.child(i));
    for (const ThreadPart &part : parts.get())
      if (!part.reductions.empty() && here.is_equal(part.domain))
        open = {{here, 0, /*isCombined=*/true}};
  }
  return node;
}

isl::schedule_node ThreadOrder::walk(isl::schedule_node node) {
  std::string mark = getMarkName(node);
  if (mark == kBlockMark || isTeamMark(mark)) // rows of their own
    return walk(node.child(0).child(0)).parent().parent();
  if (isThreadPart(node))
    return walkPart(node);
  if (node.isa<isl::schedule_node_band>())
    return walkLoop(node);
  return walkChildren(node);
}

isl::schedule placeBarriers(const PolyScop &poly, const isl::schedule &schedule,
                            const llvm::DenseSet<Value> &ofThreads) {
  return ThreadOrder(poly, schedule, ofThreads, /*places=*/true).run(schedule);
}

std::optional<Violation> findRace(const PolyScop &poly,
                                  const isl::schedule &schedule,
                                  const llvm::DenseSet<Value> &ofThreads) {
  ThreadOrder order(poly, schedule, ofThreads, /*places=*/false);
  order.run(schedule);
  return order.getViolation();
}

} // namespace fusec::poly
