// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/Legality.h"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>

namespace fusec::poly {

/// { [t] -> [t'] : t' lexicographically at or before t }
static isl::union_map notAfter(isl::space time) {
  return isl::union_map(isl::manage(isl_map_lex_ge(time.release())));
}

/// { source -> sink } of `dependences` with sink not after source.
static isl::union_map violated(const isl::union_map &dependences,
                               const isl::union_map &schedule) {
  isl::union_map none = dependences.subtract(dependences);
  isl::union_set times = schedule.range();
  if (times.is_empty() || dependences.is_empty())
    return none;
  isl::space time = isl::manage(isl_set_from_union_set(times.copy())).space();
  isl::union_map wrong = notAfter(time);
  // Pairs of times are few: one for each dependence. Only for an example are
  // the instances needed.
  if (dependences.apply_domain(schedule)
          .apply_range(schedule)
          .intersect(wrong)
          .is_empty())
    return none;
  return dependences.intersect(
      schedule.apply_range(wrong).apply_range(schedule.reverse()));
}

static std::string sample(const isl::union_map &dependences) {
  isl::basic_map point = isl::manage(isl_union_map_sample(dependences.copy()));
  return toString(point);
}

/// The pairs of `dependences` that meet at `node`: both ends run below it, at
/// equal values of the schedule above.
static isl::union_map meetingAt(const isl::schedule_node &node,
                                const isl::union_map &dependences) {
  // By isl's definition no instance reaches the root.
  if (!node.has_parent())
    return dependences;
  isl::union_set here = getDomain(node);
  isl::union_map meeting =
      dependences.intersect_domain(here).intersect_range(here);
  if (getScheduleDepth(node) == 0)
    return meeting;
  return meeting.eq_at(node.prefix_schedule_multi_union_pw_aff());
}

isl::union_map carriedBy(const isl::schedule_node_band &band, int member,
                         const isl::union_map &dependences) {
  if (dependences.is_empty())
    return dependences;
  isl::union_map active = meetingAt(band, dependences);
  isl::multi_union_pw_aff time(band.partial_schedule().at(member));
  return active.subtract(active.eq_at(time));
}

std::optional<Violation> findViolation(const isl::schedule_node &node,
                                       const Dependences &dependences) {
  isl::union_map all = dependences.all();
  if (!all.is_empty()) {
    isl::union_map wrong =
        violated(meetingAt(node, all),
                 isl::manage(isl_schedule_node_get_subtree_schedule_union_map(
                     node.get())));
    if (!wrong.is_empty())
      return Violation{"a dependence's source does not run before its sink",
                       sample(wrong)};
  }
  std::optional<Violation> result;
  isl::union_map strict = dependences.withoutReductions();
  node.foreach_descendant_top_down([&](isl::schedule_node below) {
    std::string mark = getMarkName(below);
    bool parallel = mark == kParallelMark, vector = mark == kVectorMark;
    if (result || (!parallel && !vector))
      return !result;
    isl::schedule_node child = below.child(0);
    if (!child.isa<isl::schedule_node_band>()) {
      result = Violation{"a mark '" + mark + "' stands above no band", mark};
      return false;
    }
    isl::union_map carried = carriedBy(child.as<isl::schedule_node_band>(), 0,
                                       parallel ? all : strict);
    if (!carried.is_empty())
      result = Violation{"a loop marked " + mark + " carries a dependence",
                         sample(carried)};
    return !result;
  });
  return result;
}

std::optional<Violation> findViolation(const PolyScop &scop,
                                       const isl::schedule &schedule,
                                       const Dependences &dependences) {
  if (!schedule.domain().is_equal(scop.getDomain()))
    return Violation{"the schedule's domain is not the scop's",
                     toString(schedule.domain().subtract(scop.getDomain()))};
  return findViolation(schedule.root(), dependences);
}

} // namespace fusec::poly
