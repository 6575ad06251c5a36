// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/loops/PieceLoops.h"
#include "passes/poly/tree/Legality.h"

#include <fmt/format.h>
#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>

using namespace mlir;

namespace fusec::poly {

/// { stmt[i] -> [t] } of the band below `mark`, which has one member.
static isl::union_map getTimes(const isl::schedule_node &mark) {
  auto band = mark.child(0).as<isl::schedule_node_band>();
  return band.partial_schedule()
      .at(0)
      .intersect_domain(getDomain(band))
      .as_union_map();
}

namespace {
/// The iterations of a loop in which its statements run.
struct Iterations {
  explicit Iterations(const isl::schedule_node &mark);

  int64_t begin = 0, last = -1;
  /// Whether all begin together, and none stands at one iteration of several.
  bool areShared = true;
};
} // namespace

Iterations::Iterations(const isl::schedule_node &mark) {
  std::vector<std::pair<int64_t, int64_t>> ranges;
  getTimes(mark).foreach_map([&](isl::map map) {
    isl::set times = map.range();
    ranges.emplace_back(times.dim_min_val(0).num_si(),
                        times.dim_max_val(0).num_si());
  });
  if (ranges.empty())
    return;
  std::tie(begin, last) = ranges.front();
  for (auto [first, end] : ranges) {
    begin = std::min(begin, first);
    last = std::max(last, end);
  }
  for (auto [first, end] : ranges)
    areShared &= first == begin && (end > first || last == begin);
}

SmallVector<LoopAround> takeLoopsAround(isl::schedule &schedule) {
  SmallVector<LoopAround> loops;
  bool areShared = true;
  for (isl::schedule_node node = schedule.root().child(0);
       isParallelMark(getMarkName(node)); node = node.child(0).child(0)) {
    Iterations iterations(node);
    if (iterations.begin != 0 || iterations.last < 0)
      return {};
    areShared &= iterations.areShared;
    loops.push_back({fmt::format("p{}", loops.size()), getMarkName(node),
                     iterations.last + 1});
  }
  if (areShared)
    return {};
  isl::schedule_node node = schedule.root().child(0);
  for (const LoopAround &loop : loops) {
    isl::union_set here =
        getTimes(node)
            .intersect_range(isl::union_set(
                schedule.ctx(),
                fmt::format("[{0}] -> {{ [t] : t = {0} }}", loop.name)))
            .domain();
    node = isl::manage(isl_schedule_node_delete(node.release())); // the mark
    // What is copied into a tile counts the loops around: above that the band
    // stays, with one iteration.
    bool stays = node.is_subtree_anchored();
    if (!stays)
      node = isl::manage(isl_schedule_node_delete(node.release()));
    node = isl::manage(
               isl_schedule_node_insert_filter(node.release(), here.release()))
               .child(0);
    if (stays)
      node = node.child(0);
  }
  schedule = node.schedule();
  return loops;
}

isl::set getBoundsOf(isl::ctx context, ArrayRef<LoopAround> loops) {
  std::string names, bounds = "0 = 0";
  for (const LoopAround &loop : loops) {
    names += (names.empty() ? "" : ", ") + loop.name;
    bounds += fmt::format(" and 0 <= {} < {}", loop.name, loop.extent);
  }
  return isl::set(context, fmt::format("[{}] -> {{ : {} }}", names, bounds));
}

} // namespace fusec::poly
