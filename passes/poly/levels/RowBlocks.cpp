// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: the outer band of a proposed tree, no marks.
// Out: tile loops (the outer band), then a sequence of parts of what stood in
// it, each with point loops of its own: around it, or, where it has a column
// loop, at its leaves, with that loop's.
#include "passes/poly/levels/RowBlocks.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/CostModel.h"

#include <isl/schedule_node.h>

using namespace mlir;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {
namespace {

/// Finds column loops of a tree.
class ColumnFinder {
public:
  ColumnFinder(const PolyScop &poly, const isl::schedule &schedule)
      : poly(poly) {
    auto band = getOuterBand(schedule).as<isl::schedule_node_band>();
    for (unsigned m = 0; m < unsigned(band.n_member()); ++m)
      for (auto &[name, iterator] : getMemberIterators(band, m))
        outer[name].push_back(iterator);
  }

  /// The first column loop at or below `node`, or null.
  isl::schedule_node find(const isl::schedule_node &node) const;

  /// The iterator of each statement that the loop runs over.
  static std::map<std::string, unsigned>
  getIterators(const isl::schedule_node &loop) {
    return getMemberIterators(loop.as<isl::schedule_node_band>(), 0);
  }

private:
  bool wantsLanes(const isl::schedule_node &band) const;

  const PolyScop &poly;
  /// The iterators of the outer band for each statement.
  llvm::StringMap<SmallVector<unsigned>> outer;
};

} // namespace

/// Whether the loop `band`, which others stand in, is cheaper on lanes than
/// those.
bool ColumnFinder::wantsLanes(const isl::schedule_node &band) const {
  ScopOp scop = poly.getOp();
  std::map<std::string, unsigned> iterators = getIterators(band);
  double here = 0, below = 0;
  bool everywhere = true;
  getDomain(band).foreach_set([&](isl::set set) {
    StmtOp stmt = poly.getStmt(getTupleName(set)).op;
    auto found = iterators.find(stmt.getSymName().str());
    if (found == iterators.end()) {
      everywhere = false;
      return;
    }
    here += getVectorCost(scop, stmt, found->second);
    double best = getScalarCost(scop, stmt);
    auto taken = outer.find(stmt.getSymName());
    for (unsigned dim = 0; dim < stmt.getNumIterators(); ++dim)
      if (dim != found->second &&
          (taken == outer.end() || !llvm::is_contained(taken->second, dim)))
        best = std::min(best, getVectorCost(scop, stmt, dim));
    below += best;
  });
  return everywhere && here < below;
}

isl::schedule_node ColumnFinder::find(const isl::schedule_node &node) const {
  isl::schedule_node result;
  node.foreach_descendant_top_down([&](isl::schedule_node below) {
    if (!result.is_null() || !below.isa<isl::schedule_node_band>())
      return result.is_null();
    if (below.as<isl::schedule_node_band>().n_member() == 1 &&
        hasBandBelow(below) && wantsLanes(below))
      result = below;
    return result.is_null();
  });
  return result;
}

std::optional<ColumnLoop> findColumnLoop(const PolyScop &poly,
                                         const isl::schedule &schedule) {
  isl::schedule_node outer = getOuterBand(schedule);
  // A schedule that was written by hand may name statements that are not there.
  if (outer.is_null() || !schedule.domain().is_equal(poly.getDomain()))
    return std::nullopt;
  isl::schedule_node loop = ColumnFinder(poly, schedule).find(outer.child(0));
  if (loop.is_null())
    return std::nullopt;
  std::optional<ColumnLoop> result;
  for (auto &[name, iterator] : ColumnFinder::getIterators(loop)) {
    StmtOp stmt = poly.getStmt(name).op;
    if (!result || getInstances(stmt) > getInstances(result->stmt))
      result = ColumnLoop{stmt, iterator};
  }
  return result;
}

/// The part of the tree at `points`, point loops of the outer band, that comes
/// before all column loops, becomes one of its own. Returns the point loops of
/// the rest.
static isl::schedule_node splitBeforeColumns(const ColumnFinder &finder,
                                             isl::schedule_node points) {
  isl::schedule_node inside = points.child(0);
  if (!inside.isa<isl::schedule_node_sequence>())
    return points;
  isl::union_set before(points.ctx(), "{ }");
  for (unsigned i = 0; i < unsigned(inside.n_children()); ++i) {
    if (!finder.find(inside.child(i)).is_null())
      break;
    before = before.unite(getDomain(inside.child(i).child(0)));
  }
  if (before.is_empty())
    return points;
  return isl::manage(
      isl_schedule_node_order_before(points.release(), before.release()));
}

/// Sinks the point loops `points` into the first column loop below them, as
/// rows of its tiles. Returns the node at the place of `points`.
static isl::schedule_node sinkIntoColumns(const ColumnFinder &finder,
                                          isl::schedule_node points,
                                          int64_t columns) {
  isl::multi_union_pw_aff rows =
      points.as<isl::schedule_node_band>().partial_schedule();
  isl::schedule_node rest =
      isl::manage(isl_schedule_node_delete(points.release()));
  unsigned depth = rest.tree_depth();
  auto inner = tileBand(finder.find(rest), {columns})
                   .child(0)
                   .as<isl::schedule_node_band>();
  isl::multi_union_pw_aff both =
      rows.intersect_domain(getDomain(inner))
          .flat_range_product(inner.partial_schedule());
  isl::schedule_node tile =
      isl::manage(isl_schedule_node_delete(inner.release()));
  tile = tile.insert_partial_schedule(both);
  tile = isl::manage(isl_schedule_node_band_sink(tile.release()));
  return tile.ancestor(tile.tree_depth() - depth);
}

isl::schedule tileRowBlocks(const PolyScop &poly, const isl::schedule &schedule,
                            ArrayRef<int64_t> sizes, int64_t columns) {
  if (!findColumnLoop(poly, schedule))
    return {};
  ColumnFinder finder(poly, schedule);
  isl::schedule_node points = tileBand(getOuterBand(schedule), sizes).child(0);
  points = splitBeforeColumns(finder, points);
  if (!getDomain(points).is_equal(getDomain(finder.find(points.child(0)))))
    return {}; // The point loops of what stands beside the columns are lost.
  return sinkIntoColumns(finder, points, columns).schedule();
}

} // namespace fusec::poly
