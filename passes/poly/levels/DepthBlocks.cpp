// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: the loops over the tiles of a block, then a sequence of
// single loops with those over points innermost.
// Out: the sequence, in each part of it the loops over tiles; around them, in
// the part of a reduction, the loop over blocks of its iterations.
#include "passes/poly/levels/DepthBlocks.h"
#include "passes/poly/tree/Bands.h"

#include <isl/schedule_node.h>

using namespace mlir;

namespace fusec::poly {

static bool reduces(const PolyStmt &stmt, unsigned iterator) {
  return llvm::is_contained(stmt.op.getReduced(), int64_t(iterator));
}

/// Whether `node` is a loop over what all statements in it reduce, with the
/// loops over points in it.
static bool isReduction(const PolyScop &poly, const isl::schedule_node &node) {
  if (!node.isa<isl::schedule_node_band>() || !hasBandBelow(node))
    return false;
  auto iterators = getMemberIterators(node.as<isl::schedule_node_band>(), 0);
  bool all = true;
  getDomain(node).foreach_set([&](isl::set set) {
    const PolyStmt &stmt = poly.getStmt(getTupleName(set));
    auto found = iterators.find(stmt.name);
    all &= found != iterators.end() && reduces(stmt, found->second);
  });
  return all;
}

isl::schedule_node blockReductions(const PolyScop &poly,
                                   const isl::schedule_node_band &inside,
                                   ArrayRef<unsigned> order, int64_t depth) {
  unsigned members = inside.n_member();
  isl::schedule_node node =
      isl::manage(isl_schedule_node_delete(inside.copy()));
  if (!node.isa<isl::schedule_node_sequence>())
    return {};
  bool found = false;
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i) {
    isl::schedule_node part = node.child(i).child(0);
    if (isReduction(poly, part) &&
        getExtent(part.as<isl::schedule_node_band>(), 0) > depth) {
      part = tileBand(part, {depth}).child(0);
      found = true;
    }
    auto tiles = part.insert_partial_schedule(inside.partial_schedule())
                     .as<isl::schedule_node_band>();
    for (unsigned m = 0; m < members; ++m)
      if (inside.member_get_coincident(m))
        tiles = tiles.member_set_coincident(m, 1);
    part = splitIntoLoops(tiles, order, std::vector<std::string>(members));
    node = part.ancestor(part.tree_depth() - node.tree_depth());
  }
  return found ? node : isl::schedule_node();
}

isl::schedule_node findReduction(const isl::schedule &schedule,
                                 const PolyStmt &stmt) {
  isl::schedule_node result;
  schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    if (!result.is_null() ||
        !isl::union_set(stmt.domain).is_subset(getDomain(node)))
      // By isl's definition no instance reaches the root.
      return result.is_null() && !node.has_parent();
    if (node.isa<isl::schedule_node_band>()) {
      auto iterators =
          getMemberIterators(node.as<isl::schedule_node_band>(), 0);
      auto found = iterators.find(stmt.name);
      if (found != iterators.end() && reduces(stmt, found->second))
        result = node;
    }
    return result.is_null();
  });
  return result;
}

} // namespace fusec::poly
