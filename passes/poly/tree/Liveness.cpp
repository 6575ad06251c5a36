// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/tree/Liveness.h"
#include "passes/poly/tree/Legality.h"

#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>

namespace fusec::poly {

/// `node` without the bands below it that run on lanes: what is left is the
/// order in which whole vectors run.
static isl::schedule_node dropLanes(isl::schedule_node node) {
  if (getMarkName(node) == kVectorMark &&
      node.child(0).isa<isl::schedule_node_band>())
    return isl::manage(isl_schedule_node_delete(node.child(0).release()))
        .parent();
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i) {
    isl::schedule_node child = node.child(i);
    if (!child.isa<isl::schedule_node_leaf>())
      node = dropLanes(child).parent();
  }
  return node;
}

/// { [t] -> [t'] } as pairs of instances: { a -> b : time(a) order time(b) }.
static isl::union_map compare(const isl::union_map &time,
                              isl_map *(*order)(isl_space *)) {
  isl::set times = isl::manage(isl_set_from_union_set(time.range().release()));
  isl::union_map related(isl::manage(order(times.space().release())));
  return time.apply_range(related).apply_range(time.reverse());
}

isl::union_map getLiveTogether(const PolyScop &scop,
                               const isl::schedule_node &node,
                               mlir::BlockArgument array, bool lanesAtOnce) {
  isl::schedule_node below = lanesAtOnce ? dropLanes(node) : node;
  isl::union_map time = isl::manage(
      isl_schedule_node_get_subtree_schedule_union_map(below.get()));
  isl::union_map writes =
      scop.getWrites(array).intersect_domain(getDomain(node));
  isl::union_map flow = scop.getFlow(array);
  if (time.is_empty() || flow.is_empty())
    return isl::union_map(node.ctx(), "{ }");
  isl::union_map writesAt = time.intersect_domain(writes.domain());
  isl::union_map usesAt =
      time.intersect_domain(writes.domain().unite(flow.range()));
  // { write of e -> write of f : before a read of e, not before e }
  isl::union_map later =
      compare(usesAt, isl_map_lex_gt).intersect_range(writes.domain());
  isl::union_map meanwhile =
      flow.apply_range(later).intersect(compare(writesAt, isl_map_lex_le));
  if (getScheduleDepth(node) > 0)
    meanwhile = meanwhile.eq_at(node.prefix_schedule_multi_union_pw_aff());
  return writes.reverse().apply_range(meanwhile).apply_range(writes);
}

} // namespace fusec::poly
