// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/tree/LocalPlaces.h"
#include "passes/poly/tree/Liveness.h"

#include "llvm/Support/MathExtras.h"
#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>

using namespace mlir;
using fusec::sched::StmtOp;

namespace fusec::poly {

static bool accesses(StmtOp stmt, Value array) {
  return llvm::is_contained(stmt.getReads(), array) ||
         llvm::is_contained(stmt.getWrites(), array);
}

/// The deepest node below which all instances of `instances` run.
static isl::schedule_node findScope(const isl::schedule &schedule,
                                    const isl::union_set &instances) {
  isl::schedule_node node = schedule.root().child(0);
  for (;;) {
    if (node.isa<isl::schedule_node_sequence>() ||
        node.isa<isl::schedule_node_set>()) {
      isl::schedule_node inside;
      for (unsigned i = 0; i < unsigned(node.n_children()); ++i)
        if (instances.is_subset(getDomain(node.child(i).child(0))))
          inside = node.child(i).child(0);
      if (inside.is_null())
        return node;
      node = inside;
    } else if (node.isa<isl::schedule_node_leaf>()) {
      return node;
    } else {
      node = node.child(0);
    }
  }
}

/// Whether no value of `flow` goes from one iteration of the loops above `node`
/// to another.
static bool isPrivate(const isl::schedule_node &node,
                      const isl::union_map &flow) {
  return getScheduleDepth(node) == 0 ||
         flow.is_subset(flow.eq_at(node.prefix_schedule_multi_union_pw_aff()));
}

/// The node around the next loop above `node`, with the loop's mark.
static isl::schedule_node leaveLoop(isl::schedule_node node) {
  do
    node = node.parent();
  while (!node.isa<isl::schedule_node_band>());
  while (node.parent().isa<isl::schedule_node_mark>())
    node = node.parent();
  return node;
}

std::optional<SmallVector<int64_t>>
findFootprint(const PolyScop &scop, const isl::schedule_node &node,
              BlockArgument array) {
  SmallVector<int64_t> shape(cast<MemRefType>(array.getType()).getShape());
  if (getScheduleDepth(node) == 0 || shape.empty())
    return shape;
  isl::union_map touched = scop.getReads(array).unite(scop.getWrites(array));
  isl::union_map prefix =
      node.prefix_schedule_union_map().intersect_domain(touched.domain());
  isl::map footprint = isl::manage(
      isl_map_from_union_map(prefix.reverse().apply_range(touched).release()));
  isl::fixed_box box = footprint.range_simple_fixed_box_hull();
  if (!box.is_valid())
    return std::nullopt;
  for (unsigned d = 0; d < shape.size(); ++d)
    shape[d] = std::min<int64_t>(shape[d], box.size().at(d).num_si());
  return shape;
}

/// Extents that keep apart what is live together below `node`, at most those in
/// `shape`. A power of two is the cheaper divisor.
static void shrinkToLive(const PolyScop &scop, const isl::schedule_node &node,
                         BlockArgument array, MutableArrayRef<int64_t> shape) {
  isl::union_map together =
      getLiveTogether(scop, node, array, /*lanesAtOnce=*/false)
          .unite(getLiveTogether(scop, node, array, /*lanesAtOnce=*/true));
  isl::union_set apart = isl::manage(isl_union_map_deltas(together.release()));
  isl::set distances = isl::manage(isl_set_from_union_set(apart.release()));
  if (distances.is_null() || distances.is_empty())
    return;
  for (unsigned d = 0; d < shape.size(); ++d) {
    int64_t most = std::max(distances.dim_max_val(d).num_si(),
                            -distances.dim_min_val(d).num_si());
    shape[d] = std::min<int64_t>(shape[d], llvm::PowerOf2Ceil(most + 1));
  }
}

int64_t LocalPlace::getBytes(BlockArgument array) const {
  Type element = cast<MemRefType>(array.getType()).getElementType();
  int64_t bytes = (element.getIntOrFloatBitWidth() + 7) / 8;
  for (int64_t extent : shape)
    bytes *= extent;
  return bytes;
}

std::optional<LocalPlace> findLocalPlace(const PolyScop &scop,
                                         const isl::schedule &schedule,
                                         BlockArgument array,
                                         std::string &refusal) {
  isl::union_set instances(scop.getContext(), "{ }");
  for (const PolyStmt &stmt : scop.getStmts())
    if (accesses(stmt.op, array))
      instances = instances.unite(isl::union_set(stmt.domain));
  refusal.clear();
  if (instances.is_empty())
    return std::nullopt;
  LocalPlace place;
  place.node = findScope(schedule, instances);
  isl::union_map flow = scop.getFlow(array);
  // Loops below pass values on: fewer are live together than one iteration of
  // the loops above touches.
  bool rolls = false;
  while (!isPrivate(place.node, flow)) {
    place.node = leaveLoop(place.node);
    rolls = true;
  }
  std::optional<SmallVector<int64_t>> shape =
      findFootprint(scop, place.node, array);
  if (!shape) {
    refusal = "its footprint in one iteration has no fixed extent";
    return std::nullopt;
  }
  place.shape = *shape;
  if (rolls)
    shrinkToLive(scop, place.node, array, place.shape);
  return place;
}

} // namespace fusec::poly
