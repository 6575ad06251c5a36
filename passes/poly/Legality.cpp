// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/Legality.h"

#include <isl/map.h>
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
  isl::union_set times = schedule.range();
  if (times.is_empty())
    return dependences.subtract(dependences);
  isl::space time = isl::manage(isl_set_from_union_set(times.copy())).space();
  isl::union_map wrong =
      schedule.apply_range(notAfter(time)).apply_range(schedule.reverse());
  return dependences.intersect(wrong);
}

static std::string sample(const isl::union_map &dependences) {
  isl::basic_map point = isl::manage(isl_union_map_sample(dependences.copy()));
  return toString(point);
}

isl::union_map carriedBy(const isl::schedule_node_band &band, int member,
                         const isl::union_map &dependences) {
  isl::union_map prefix = band.prefix_schedule_union_map();
  isl::union_map active = dependences;
  // Only instances that meet below this node.
  isl::union_set here = getDomain(band);
  active = active.intersect_domain(here).intersect_range(here);
  if (getScheduleDepth(band) > 0)
    active = active.intersect(prefix.apply_range(prefix.reverse()));
  isl::union_pw_aff time = band.partial_schedule().at(member);
  isl::union_map same = time.as_union_map();
  same = same.apply_range(same.reverse());
  return active.subtract(same);
}

std::optional<Violation> findViolation(const PolyScop &scop,
                                       const isl::schedule &schedule,
                                       const Dependences &dependences) {
  if (!schedule.domain().is_equal(scop.getDomain()))
    return Violation{"the schedule's domain is not the scop's",
                     toString(schedule.domain().subtract(scop.getDomain()))};
  isl::union_map wrong = violated(dependences.all(), schedule.map());
  if (!wrong.is_empty())
    return Violation{"a dependence's source does not run before its sink",
                     sample(wrong)};
  std::optional<Violation> result;
  isl::union_map all = dependences.all();
  isl::union_map strict = dependences.withoutReductions();
  schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    std::string mark = getMarkName(node);
    bool parallel = mark == kParallelMark, vector = mark == kVectorMark;
    if (result || (!parallel && !vector))
      return !result;
    isl::schedule_node child = node.child(0);
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

} // namespace fusec::poly
