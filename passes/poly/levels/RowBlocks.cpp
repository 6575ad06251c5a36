// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: the outer band of a proposed tree, no marks.
// Out: tile loops (the outer band), then a sequence of parts of what stood in
// it, each with point loops of its own: around those without a column loop, or,
// where a part has one, at its leaves, with that loop's. A loop over parts of
// rows stands around such a sequence, below the loops over blocks of rows and
// above those over their tiles.
#include "passes/poly/levels/RowBlocks.h"
#include "dialects/TargetInfo.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/Strides.h"

#include <isl/schedule_node.h>

using namespace mlir;
using fusec::sched::ConfigAttr;
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
  /// All of them, but for those within others.
  SmallVector<isl::schedule_node> findAll(const isl::schedule_node &node) const;
  /// Whether `node` is a loop around several parts, some with columns.
  bool isPartLoop(const isl::schedule_node &node) const;

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

SmallVector<isl::schedule_node>
ColumnFinder::findAll(const isl::schedule_node &node) const {
  SmallVector<isl::schedule_node> result;
  node.foreach_descendant_top_down([&](isl::schedule_node below) {
    if (!below.isa<isl::schedule_node_band>() ||
        below.as<isl::schedule_node_band>().n_member() != 1 ||
        !hasBandBelow(below) || !wantsLanes(below))
      return true;
    result.push_back(below);
    return false;
  });
  return result;
}

isl::schedule_node ColumnFinder::find(const isl::schedule_node &node) const {
  SmallVector<isl::schedule_node> all = findAll(node);
  return all.empty() ? isl::schedule_node() : all.front();
}

bool ColumnFinder::isPartLoop(const isl::schedule_node &node) const {
  if (!node.isa<isl::schedule_node_band>() ||
      node.as<isl::schedule_node_band>().n_member() != 1 ||
      !node.child(0).isa<isl::schedule_node_sequence>())
    return false;
  SmallVector<isl::schedule_node> loops = findAll(node);
  return !loops.empty() && loops.front().tree_depth() > node.tree_depth() + 1;
}

/// What runs one after the other at `node`.
static SmallVector<isl::schedule_node>
getParts(const isl::schedule_node &node) {
  if (!node.isa<isl::schedule_node_sequence>())
    return {node};
  SmallVector<isl::schedule_node> parts;
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i)
    parts.push_back(node.child(i).child(0));
  return parts;
}

/// Whether other statements than those of `inside` read an array of theirs.
static bool isReadOutside(const PolyScop &poly, const isl::union_set &inside) {
  llvm::SmallDenseSet<Value> written;
  for (const PolyStmt &stmt : poly.getStmts())
    if (!inside.intersect(stmt.domain).is_empty())
      written.insert(stmt.op.getWrites().begin(), stmt.op.getWrites().end());
  return llvm::any_of(poly.getStmts(), [&](const PolyStmt &stmt) {
    return inside.intersect(stmt.domain).is_empty() &&
           llvm::any_of(stmt.op.getReads(),
                        [&](Value array) { return written.contains(array); });
  });
}

SmallVector<ColumnLoop> findColumnLoops(const PolyScop &poly,
                                        const isl::schedule &schedule) {
  isl::schedule_node outer = getOuterBand(schedule);
  // A schedule that was written by hand may name statements that are not there.
  if (outer.is_null() || !schedule.domain().is_equal(poly.getDomain()))
    return {};
  SmallVector<ColumnLoop> result;
  ColumnFinder finder(poly, schedule);
  for (const isl::schedule_node &loop : finder.findAll(outer.child(0))) {
    std::optional<ColumnLoop> heaviest;
    for (auto &[name, iterator] : ColumnFinder::getIterators(loop)) {
      StmtOp stmt = poly.getStmt(name).op;
      if (!heaviest || getInstances(stmt) > getInstances(heaviest->stmt))
        heaviest = ColumnLoop{stmt, iterator};
    }
    heaviest->makesRows = isReadOutside(poly, getDomain(loop));
    result.push_back(*heaviest);
  }
  return result;
}

std::map<std::string, unsigned> findPartLoop(const PolyScop &poly,
                                             const isl::schedule &schedule) {
  isl::schedule_node outer = getOuterBand(schedule);
  if (outer.is_null() || !schedule.domain().is_equal(poly.getDomain()))
    return {};
  ColumnFinder finder(poly, schedule);
  for (const isl::schedule_node &part : getParts(outer.child(0)))
    if (finder.isPartLoop(part))
      return ColumnFinder::getIterators(part);
  return {};
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

/// The statements at the column loop `loop` that are reduced along it.
static isl::union_set getReducedAlong(const PolyScop &poly,
                                      const isl::schedule_node &loop) {
  isl::union_set reduced(loop.ctx(), "{ }");
  std::map<std::string, unsigned> iterators = ColumnFinder::getIterators(loop);
  getDomain(loop).foreach_set([&](isl::set set) {
    StmtOp stmt = poly.getStmt(getTupleName(set)).op;
    auto found = iterators.find(stmt.getSymName().str());
    if (found != iterators.end() &&
        llvm::is_contained(stmt.getReduced(), found->second))
      reduced = reduced.unite(isl::union_set(set));
  });
  return reduced;
}

/// `schedule` with what is reduced along a column loop in a loop of its own
/// behind it: it needs all columns of a row, and would keep the tile's results
/// in memory.
static isl::schedule splitColumnLoops(const PolyScop &poly,
                                      isl::schedule schedule) {
  for (bool changed = true; changed;) {
    changed = false;
    ColumnFinder finder(poly, schedule);
    for (isl::schedule_node loop :
         finder.findAll(getOuterBand(schedule).child(0))) {
      isl::union_set reduced = getReducedAlong(poly, loop);
      if (reduced.is_empty() || getDomain(loop).is_subset(reduced))
        continue;
      schedule = isl::manage(isl_schedule_node_order_after(loop.release(),
                                                           reduced.release()))
                     .schedule();
      changed = true;
      break;
    }
  }
  return schedule;
}

/// Bytes of a row that `stmt` reduces and that lie side by side: its lanes
/// combine one after the other at the end. 0 where there is none.
static double getReducedRow(StmtOp stmt) {
  double bytes = 0;
  for (int64_t dim : stmt.getReduced())
    for (const Access &access : getAccesses(stmt))
      if (!access.write && getStride(access, unsigned(dim)) == 1)
        bytes = std::max(bytes, double(stmt.getExtents()[dim]) *
                                    double(stmt.getLaneBytes()));
  return bytes;
}

/// Whether `part` reduces rows of a block, of which `sizes` has the rows, and
/// others wait for that in a loop over rows of their own: a processor then
/// works on several rows, where the lanes of one combine one after the other.
/// What waits stays in the first-level cache.
static bool endsPhase(const PolyScop &poly, const isl::schedule_node &part,
                      ArrayRef<int64_t> sizes) {
  double rows = 1;
  for (int64_t size : sizes)
    rows *= double(std::max<int64_t>(1, size));
  const double most = double(getTargetInfo(poly.getOp()).firstCache) / 2;
  return llvm::any_of(poly.getStmts(), [&](const PolyStmt &stmt) {
    const double bytes = getReducedRow(stmt.op) * rows;
    return bytes > 0 && bytes <= most &&
           !getDomain(part).intersect(stmt.domain).is_empty();
  });
}

/// The parts at `points`, point loops of the outer band, that come before the
/// next part with a column loop and up to the next phase's end, or a part with
/// columns where it is the first one.
static isl::union_set getNextParts(const PolyScop &poly,
                                   const ColumnFinder &finder,
                                   const isl::schedule_node &points,
                                   ArrayRef<int64_t> sizes) {
  isl::union_set next(points.ctx(), "{ }");
  for (const isl::schedule_node &part : getParts(points.child(0))) {
    const bool hasColumns = !finder.find(part).is_null();
    if (!hasColumns || next.is_empty())
      next = next.unite(getDomain(part));
    if (hasColumns || endsPhase(poly, part, sizes))
      break;
  }
  return next;
}

/// The point loops `points` and the loop below them, a loop over parts of rows,
/// the other way round: the loop around tiles of `sizes` points. Returns the
/// point loops of those.
static isl::schedule_node sinkBelowParts(isl::schedule_node points,
                                         ArrayRef<int64_t> sizes) {
  isl::multi_union_pw_aff rows =
      points.as<isl::schedule_node_band>().partial_schedule();
  isl::schedule_node parts =
      isl::manage(isl_schedule_node_delete(points.release()));
  return tileBand(parts.child(0).insert_partial_schedule(rows), sizes).child(0);
}

/// Gives each part of what stands in the point loops `points` loops of its own,
/// of which `sizes` has the iterations. Returns the node at the place of
/// `points`, or null where a part has none.
static isl::schedule_node blockRows(const PolyScop &poly,
                                    const ColumnFinder &finder,
                                    isl::schedule_node points,
                                    ConfigAttr config,
                                    ArrayRef<int64_t> sizes) {
  const unsigned depth = points.tree_depth();
  for (;;) {
    const isl::union_set next = getNextParts(poly, finder, points, sizes);
    const bool isLast = getDomain(points).is_subset(next);
    if (!isLast)
      points = isl::manage(isl_schedule_node_order_before(points.release(),
                                                          next.copy()))
                   .parent()
                   .previous_sibling()
                   .child(0);
    const unsigned here = points.tree_depth();
    if (finder.isPartLoop(points.child(0))) {
      points = blockRows(poly, finder, sinkBelowParts(points, config.getTile()),
                         config, config.getTile());
      if (points.is_null())
        return {};
      points = points.ancestor(points.tree_depth() - here);
    } else if (isl::schedule_node loop = finder.find(points.child(0));
               !loop.is_null()) {
      // The point loops of what stands beside the columns would be lost.
      if (!getDomain(points).is_equal(getDomain(loop)))
        return {};
      points = sinkIntoColumns(finder, points, config.getColumns());
    }
    if (isLast)
      break;
    points = points.parent().next_sibling().child(0);
  }
  return points.ancestor(points.tree_depth() - depth);
}

isl::schedule tileRowBlocks(const PolyScop &poly, const isl::schedule &schedule,
                            ConfigAttr config) {
  if (findColumnLoops(poly, schedule).empty())
    return {};
  ColumnFinder finder(poly, schedule);
  SmallVector<int64_t> sizes(config.getTile());
  for (auto [size, tiles] : llvm::zip(sizes, config.getBlocks()))
    size *= std::max<int64_t>(1, tiles);
  isl::schedule_node points = blockRows(
      poly, finder,
      tileBand(getOuterBand(splitColumnLoops(poly, schedule)), sizes).child(0),
      config, sizes);
  return points.is_null() ? isl::schedule() : points.schedule();
}

} // namespace fusec::poly
