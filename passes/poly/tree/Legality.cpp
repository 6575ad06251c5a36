// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/tree/Legality.h"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>

namespace fusec::poly {

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

namespace {

/// Goes down a tree with the dependences that meet there, of which each loop
/// and each sequence keeps few: as it is run, and far cheaper than to compare
/// times of the whole tree.
class OrderCheck {
public:
  explicit OrderCheck(const Dependences &dependences)
      : dependences(dependences) {}

  /// What is wrong at and below `node`, where `meeting` meets.
  std::optional<Violation> check(const isl::schedule_node &node,
                                 const isl::union_map &meeting) const;

private:
  std::optional<Violation> checkMark(const isl::schedule_node &node,
                                     const isl::union_map &meeting) const;
  std::optional<Violation> checkBand(const isl::schedule_node_band &band,
                                     const isl::union_map &meeting) const;
  std::optional<Violation> checkChildren(const isl::schedule_node &node,
                                         const isl::union_map &meeting) const;
  static Violation refuse(const isl::union_map &wrong) {
    return {"a dependence's source does not run before its sink",
            sample(wrong)};
  }

  const Dependences &dependences;
};

} // namespace

std::optional<Violation>
OrderCheck::check(const isl::schedule_node &node,
                  const isl::union_map &meeting) const {
  switch (isl_schedule_node_get_type(node.get())) {
  case isl_schedule_node_leaf:
    if (!meeting.is_empty())
      return refuse(meeting);
    return std::nullopt;
  case isl_schedule_node_mark:
    return checkMark(node, meeting);
  case isl_schedule_node_band:
    return checkBand(node.as<isl::schedule_node_band>(), meeting);
  case isl_schedule_node_sequence:
  case isl_schedule_node_set:
    return checkChildren(node, meeting);
  default:
    return check(node.child(0), meeting);
  }
}

std::optional<Violation>
OrderCheck::checkMark(const isl::schedule_node &node,
                      const isl::union_map &meeting) const {
  std::string mark = getMarkName(node);
  bool parallel = isParallelMark(mark);
  if (!parallel && mark != kVectorMark && mark != kSplitMark)
    return check(node.child(0), meeting);
  if (!node.child(0).isa<isl::schedule_node_band>())
    return Violation{"a mark '" + mark + "' stands above no band", mark};
  auto band = node.child(0).as<isl::schedule_node_band>();
  isl::union_map kept =
      parallel ? meeting : meeting.subtract(dependences.reduction);
  isl::union_map carried = kept.subtract(
      kept.eq_at(isl::multi_union_pw_aff(band.partial_schedule().at(0))));
  if (!carried.is_empty())
    return Violation{"a loop marked " + mark + " carries a dependence",
                     sample(carried)};
  return checkBand(band, meeting);
}

std::optional<Violation>
OrderCheck::checkBand(const isl::schedule_node_band &band,
                      const isl::union_map &meeting) const {
  if (meeting.is_empty())
    return check(band.child(0), meeting);
  isl::multi_union_pw_aff time = band.partial_schedule();
  isl::union_map wrong = isl::manage(
      isl_union_map_lex_gt_at_multi_union_pw_aff(meeting.copy(), time.copy()));
  if (!wrong.is_empty())
    return refuse(wrong);
  return check(band.child(0), meeting.eq_at(time));
}

std::optional<Violation>
OrderCheck::checkChildren(const isl::schedule_node &node,
                          const isl::union_map &meeting) const {
  bool ordered = node.isa<isl::schedule_node_sequence>();
  isl::union_map left = meeting;
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i) {
    isl::schedule_node_filter child =
        node.child(i).as<isl::schedule_node_filter>();
    isl::union_set here = child.filter();
    // What ends here and has not begun by now begins too late.
    isl::union_map ending = left.intersect_range(here);
    isl::union_map within = ending.intersect_domain(here);
    isl::union_map late = ending.subtract(within);
    if (!late.is_empty())
      return refuse(late);
    if (auto violation = check(child.child(0), within))
      return violation;
    left = left.subtract(ordered ? left.intersect_domain(here) : within);
  }
  return std::nullopt;
}

/// Whether each of the instances `here`, which reach `node`, runs there once:
/// isl leaves out what no part of a sequence takes, or a loop has no time for.
static std::optional<Violation> checkRuns(const isl::schedule_node &node,
                                          const isl::union_set &here) {
  auto refuse = [](const llvm::Twine &reason, const isl::union_set &wrong) {
    return Violation{reason.str(), toString(wrong.sample_point())};
  };
  switch (isl_schedule_node_get_type(node.get())) {
  case isl_schedule_node_leaf:
    return std::nullopt;
  case isl_schedule_node_band: {
    isl::union_set timed =
        node.as<isl::schedule_node_band>().partial_schedule().domain();
    if (isl::union_set left = here.subtract(timed); !left.is_empty())
      return refuse("an instance has no time in a loop", left);
    return checkRuns(node.child(0), here);
  }
  case isl_schedule_node_domain:
  case isl_schedule_node_mark:
    return checkRuns(node.child(0), here);
  case isl_schedule_node_sequence:
  case isl_schedule_node_set: {
    isl::union_set left = here;
    for (unsigned i = 0; i < unsigned(node.n_children()); ++i) {
      auto child = node.child(i).as<isl::schedule_node_filter>();
      isl::union_set part = here.intersect(child.filter());
      if (isl::union_set twice = part.subtract(left); !twice.is_empty())
        return refuse("an instance runs in two parts of a sequence", twice);
      left = left.subtract(part);
      if (auto violation = checkRuns(child.child(0), part))
        return violation;
    }
    if (!left.is_empty())
      return refuse("an instance runs in no part of a sequence", left);
    return std::nullopt;
  }
  default:
    return refuse("an instance reaches a node that is no loop, mark or "
                  "sequence",
                  here);
  }
}

std::optional<Violation> findViolation(const isl::schedule_node &node,
                                       const Dependences &dependences) {
  return OrderCheck(dependences)
      .check(node, meetingAt(node, dependences.all()));
}

std::optional<Violation> findViolation(const PolyScop &scop,
                                       const isl::schedule &schedule,
                                       const Dependences &dependences) {
  if (!schedule.domain().is_equal(scop.getDomain()))
    return Violation{"the schedule's domain is not the scop's",
                     toString(schedule.domain().subtract(scop.getDomain()))};
  if (auto violation = checkRuns(schedule.root(), schedule.domain()))
    return violation;
  return findViolation(schedule.root(), dependences);
}

} // namespace fusec::poly
