// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// isl as a proposer, and the shape that its trees are brought into.
//
// Tree invariant: the outer band holds exactly the leading coincident members
// of isl's first band; no statement stands in a loop that it lacks where it may
// stand outside.
#include "passes/poly/Propose.h"

#include <isl/aff.h>
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

/// isl gives statements that lack a loop (initialisations, epilogues) a
/// constant in it, which would be a condition inside of the loop. Takes the
/// first such statement that may leave its loop out of it; null if there is
/// none.
static isl::schedule hoistOne(const PolyScop &scop,
                              const isl::schedule &schedule,
                              const Dependences &dependences) {
  isl::schedule result;
  schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    if (!result.is_null() || !node.isa<isl::schedule_node_band>())
      return result.is_null();
    auto band = node.as<isl::schedule_node_band>();
    isl::union_set constant = getConstantPart(band);
    if (constant.is_empty())
      return true;
    if (getDomain(band).is_subset(constant)) {
      result = isl::manage(isl_schedule_node_delete(node.release())).schedule();
      return false;
    }
    constant.foreach_set([&](isl::set stmt) {
      for (bool before : {true, false}) {
        if (!result.is_null())
          return;
        isl::schedule moved =
            (before ? node.order_before(stmt) : node.order_after(stmt))
                .schedule();
        if (!findViolation(scop, moved, dependences))
          result = moved;
      }
    });
    return result.is_null();
  });
  return result;
}

static isl::schedule hoistConstants(const PolyScop &scop,
                                    isl::schedule schedule,
                                    const Dependences &dependences) {
  for (;;) {
    isl::schedule next = hoistOne(scop, schedule, dependences);
    if (next.is_null())
      return schedule;
    schedule = next;
  }
}

isl::schedule proposeWithIsl(const PolyScop &scop,
                             const Dependences &dependences) {
  isl::schedule_constraints constraints =
      isl::schedule_constraints::on_domain(scop.getDomain())
          .set_validity(dependences.all())
          .set_coincidence(dependences.withoutReductions())
          .set_proximity(dependences.flow.subtract(dependences.reduction));
  return hoistConstants(
      scop, splitOuterBand(constraints.compute_schedule(), dependences),
      dependences);
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

unsigned countLoopNests(const isl::schedule &schedule) {
  unsigned count = 0;
  schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    if (node.isa<isl::schedule_node_leaf>())
      return true;
    if (!node.isa<isl::schedule_node_band>())
      return true;
    bool innermost = true;
    node.child(0).foreach_descendant_top_down([&](isl::schedule_node below) {
      innermost &= !below.isa<isl::schedule_node_band>();
      return innermost;
    });
    count += innermost;
    return !innermost;
  });
  return count;
}

} // namespace fusec::poly
