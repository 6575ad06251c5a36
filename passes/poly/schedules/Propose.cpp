// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// isl as a proposer, and the shape that its trees are brought into.
//
// Tree invariant: the outer band holds exactly the leading coincident members
// of isl's first band; no statement stands in a loop that it lacks, or in which
// it meets others once at most, where it may stand outside.
#include "passes/poly/schedules/Propose.h"
#include "passes/poly/schedules/Straighten.h"
#include "passes/poly/schedules/Windows.h"

#include <isl/aff.h>
#include <isl/options.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>

using namespace mlir;

namespace fusec::poly {

static isl::schedule_node getOuterNode(const isl::schedule &schedule) {
  return schedule.root().child(0);
}

/// Splits the outer band behind its leading parallel members. isl calls a
/// member coincident that carries a reduction only, since the reduction's own
/// dependences are left out there; threads need all of them.
static isl::schedule splitOuterBand(const isl::schedule &schedule,
                                    const Dependences &dependences) {
  isl::schedule_node node = getOuterNode(schedule);
  if (!node.isa<isl::schedule_node_band>())
    return schedule;
  auto band = node.as<isl::schedule_node_band>();
  isl::union_map all = dependences.all();
  unsigned members = band.n_member(), parallel = 0;
  while (parallel < members && band.member_get_coincident(parallel) &&
         carriedBy(band, parallel, all).is_empty())
    ++parallel;
  for (unsigned m = parallel; m < members; ++m)
    band = band.member_set_coincident(m, 0);
  if (parallel == 0 || parallel == members)
    return band.schedule();
  return band.split(parallel).schedule();
}

/// The statements of `band` that all of its members send to one point.
static isl::union_set getConstantPart(const isl::schedule_node_band &band) {
  isl::union_set result(band.ctx(), "{ }");
  isl::union_map time = isl::manage(
      isl_union_map_from_multi_union_pw_aff(band.partial_schedule().release()));
  getDomain(band).foreach_set([&](isl::set instances) {
    isl::union_set points = isl::union_set(instances).apply(time);
    if (isl_set_is_singleton(
            isl::manage(isl_set_from_union_set(points.release())).get()))
      result = result.unite(isl::union_set(instances));
  });
  return result;
}

/// The statements of `band` that meet others of it in one point at most, as
/// where isl lets one run backwards before another runs forwards: what one loop
/// gives them is conditions.
static isl::union_set getApartPart(const isl::schedule_node_band &band) {
  isl::union_set result(band.ctx(), "{ }"), domain = getDomain(band);
  isl::union_map time = isl::manage(
      isl_union_map_from_multi_union_pw_aff(band.partial_schedule().release()));
  domain.foreach_set([&](isl::set instances) {
    isl::union_set others = domain.subtract(isl::union_set(instances));
    if (others.is_empty())
      return;
    isl::union_set shared =
        isl::union_set(instances).apply(time).intersect(others.apply(time));
    if (shared.is_empty() ||
        isl_set_is_singleton(
            isl::manage(isl_set_from_union_set(shared.release())).get()))
      result = result.unite(isl::union_set(instances));
  });
  return result;
}

/// isl gives statements that lack a loop (initialisations, epilogues) a
/// constant in it, which would be a condition inside of the loop. Takes the
/// first such statement that may leave its loop out of it, else the first that
/// may leave others alone there; null if there is none. The first `done` nodes
/// from the top have no such statement; those in front of it join them.
static isl::schedule hoistOne(const PolyScop &scop,
                              const isl::schedule &schedule,
                              const Dependences &dependences, unsigned &done) {
  isl::schedule result;
  unsigned number = 0;
  schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    if (!result.is_null())
      return false;
    if (number++ < done || !node.isa<isl::schedule_node_band>())
      return true;
    auto band = node.as<isl::schedule_node_band>();
    isl::union_set constant = getConstantPart(band);
    if (!constant.is_empty() && getDomain(band).is_subset(constant)) {
      result = isl::manage(isl_schedule_node_delete(node.release())).schedule();
      return false;
    }
    auto hoist = [&](isl::set stmt) {
      for (bool before : {true, false}) {
        if (!result.is_null())
          return;
        isl::schedule moved =
            (before ? node.order_before(stmt) : node.order_after(stmt))
                .schedule();
        if (!findViolation(scop, moved, dependences))
          result = moved;
      }
    };
    constant.foreach_set(hoist);
    if (result.is_null())
      getApartPart(band).foreach_set(hoist);
    return result.is_null();
  });
  done = number - 1;
  return result;
}

static isl::schedule hoistConstants(const PolyScop &scop,
                                    isl::schedule schedule,
                                    const Dependences &dependences) {
  for (unsigned done = 0;;) {
    isl::schedule next = hoistOne(scop, schedule, dependences, done);
    if (next.is_null())
      return schedule;
    schedule = next;
  }
}

/// What isl's scheduler makes of the statements of `windows`. With `shifts`
/// it may run a statement some iterations behind another.
static isl::schedule computeSchedule(const PolyScop &scop,
                                     const Dependences &dependences,
                                     const Windows &windows, bool shifts) {
  isl::schedule_constraints constraints =
      isl::schedule_constraints::on_domain(windows.collapse(scop.getDomain()))
          .set_validity(windows.collapse(dependences.all()))
          .set_coincidence(windows.collapse(dependences.withoutReductions()))
          .set_proximity(windows.collapse(
              dependences.flow.subtract(dependences.reduction)));
  isl_ctx *context = scop.getContext().get();
  isl_options_set_schedule_max_constant_term(context, shifts ? -1 : 0);
  isl_options_set_schedule_whole_component(context, shifts);
  isl::schedule schedule = windows.expand(constraints.compute_schedule());
  return straighten(
      scop,
      hoistConstants(scop, splitOuterBand(schedule, dependences), dependences),
      dependences);
}

std::vector<isl::schedule> proposeWithIsl(const PolyScop &scop,
                                          const Dependences &dependences) {
  Windows windows(scop);
  std::vector<isl::schedule> proposals = {
      computeSchedule(scop, dependences, windows, /*shifts=*/false)};
  if (windows.areThere())
    proposals.push_back(
        computeSchedule(scop, dependences, windows, /*shifts=*/true));
  return proposals;
}

isl::schedule proposeNaively(const PolyScop &scop) {
  isl::schedule schedule = isl::schedule::from_domain(scop.getDomain());
  isl::schedule_node node = getOuterNode(schedule);
  isl::union_set_list filters(scop.getContext(), 0);
  for (const PolyStmt &stmt : scop.getStmts())
    filters = filters.add(isl::union_set(stmt.domain).universe());
  node = node.insert_sequence(filters);
  for (auto [index, stmt] : llvm::enumerate(scop.getStmts())) {
    if (stmt.op.getNumIterators() == 0)
      continue;
    isl::multi_union_pw_aff identity = isl::manage(
        isl_multi_union_pw_aff_from_multi_pw_aff(isl_multi_pw_aff_identity(
            isl_space_map_from_set(stmt.domain.space().release()))));
    identity = isl::manage(
        isl_multi_union_pw_aff_reset_tuple_id(identity.release(), isl_dim_set));
    isl::schedule_node leaf = node.child(index).child(0);
    node = leaf.insert_partial_schedule(identity).parent().parent();
  }
  return node.schedule();
}

} // namespace fusec::poly
