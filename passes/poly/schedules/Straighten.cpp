// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant: no node but such bands changes, and these keep the number of
// their members.
#include "passes/poly/schedules/Straighten.h"
#include "passes/poly/tree/Bands.h"

#include <isl/aff.h>
#include <isl/schedule_node.h>
#include <isl/space.h>

#include <set>

using namespace mlir;

namespace fusec::poly {

/// The schedule with straight loops in place of `band`; null if the band is
/// straight, or has no such loops.
static isl::schedule straightenBand(const PolyScop &scop,
                                    const isl::schedule_node_band &band,
                                    const Dependences &dependences) {
  isl::union_set domain = getDomain(band);
  const PolyStmt *only = nullptr;
  for (const PolyStmt &stmt : scop.getStmts()) {
    if (domain.intersect(isl::union_set(stmt.domain)).is_empty())
      continue;
    if (only)
      return {};
    only = &stmt;
  }
  if (!only)
    return {};
  std::set<unsigned> dims;
  bool isStraight = true;
  for (unsigned m = 0; m < unsigned(band.n_member()); ++m) {
    std::map<std::string, MemberUse> uses = getMemberUses(band, m);
    auto found = uses.find(only->name);
    if (found == uses.end())
      return {};
    dims.insert(found->second.iterators.begin(), found->second.iterators.end());
    isStraight &= found->second.unit && !found->second.isSkewed();
  }
  if (isStraight || dims.size() != band.n_member())
    return {};
  isl::schedule_node node = isl::manage(isl_schedule_node_delete(band.copy()));
  node = node.insert_partial_schedule(makeLoops(*only, llvm::to_vector(dims)));
  auto straight = node.as<isl::schedule_node_band>();
  isl::union_map strict = dependences.withoutReductions();
  for (unsigned m = 0; m < dims.size(); ++m)
    if (carriedBy(straight, m, strict).is_empty())
      straight = straight.member_set_coincident(m, 1);
  isl::schedule result = straight.schedule();
  if (findViolation(scop, result, dependences))
    return {};
  return result;
}

isl::schedule straighten(const PolyScop &scop, isl::schedule schedule,
                         const Dependences &dependences) {
  for (isl::schedule next = schedule; !next.is_null();) {
    schedule = next;
    next = {};
    schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
      if (next.is_null() && node.isa<isl::schedule_node_band>())
        next = straightenBand(scop, node.as<isl::schedule_node_band>(),
                              dependences);
      return next.is_null();
    });
  }
  return schedule;
}

} // namespace fusec::poly
