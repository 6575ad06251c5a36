// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree invariant in: single loops below marks, local arrays below theirs.
// Out: what stands in the loops around a tile with accumulators is a sequence
// of copies of it: for the tiles in which all loops on lanes and all unrolled
// ones run from their first value to their last, for those in which only the
// latter do, and for the others.
#include "passes/poly/Passes.h"
#include "passes/poly/Steps.h"
#include "passes/poly/arrays/Locals.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/Carries.h"
#include "passes/poly/tree/Legality.h"

#include <isl/map.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>

namespace fusec::poly {
#define GEN_PASS_DEF_SCHEDSPLITTAILS
#include "passes/poly/Passes.h.inc"
} // namespace fusec::poly

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace {

class TailSplitter {
public:
  explicit TailSplitter(const PolyScop &poly) : poly(poly) {}

  /// Splits the outermost tiles at and below `node`; returns the node at its
  /// place.
  isl::schedule_node split(isl::schedule_node node);

private:
  bool beginsAccumulators(const isl::schedule_node &node) const;
  bool isAccumulated(BlockArgument array, const isl::schedule_node &mark) const;
  bool reduces(const isl::schedule_node_band &loop, BlockArgument array) const;
  isl::schedule_node splitTile(isl::schedule_node tile) const;

  const PolyScop &poly;
};

} // namespace

/// Whether `loop` runs over a reduction into an element of `array`.
bool TailSplitter::reduces(const isl::schedule_node_band &loop,
                           BlockArgument array) const {
  for (auto &[name, use] : getMemberUses(loop, 0)) {
    StmtOp stmt = poly.getStmt(name).op;
    for (auto [number, written] : llvm::enumerate(stmt.getWrites())) {
      AffineMap map = stmt.getWriteMap(number);
      if (written == array &&
          llvm::any_of(use.iterators,
                       [&](unsigned dim) {
                         return llvm::is_contained(stmt.getReduced(),
                                                   int64_t(dim));
                       }) &&
          llvm::none_of(use.iterators,
                        [&](unsigned dim) { return map.isFunctionOfDim(dim); }))
        return true;
    }
  }
  return false;
}

/// Whether a loop below `mark` that is not on lanes accumulates into the array.
bool TailSplitter::isAccumulated(BlockArgument array,
                                 const isl::schedule_node &mark) const {
  bool found = false;
  mark.foreach_descendant_top_down([&](isl::schedule_node below) {
    found |= below.isa<isl::schedule_node_band>() &&
             getMarkName(below.parent()) != kVectorMark &&
             reduces(below.as<isl::schedule_node_band>(), array);
    return !found;
  });
  return found;
}

/// Whether accumulators begin to live at `node`, without another loop around.
bool TailSplitter::beginsAccumulators(const isl::schedule_node &node) const {
  bool found = false;
  node.foreach_descendant_top_down([&](isl::schedule_node below) {
    if (below.isa<isl::schedule_node_band>())
      return false;
    std::string mark = getMarkName(below);
    if (isLocalMark(mark))
      found |= isAccumulated(readLocalMark(poly.getOp(), mark)->array, below);
    return !found;
  });
  return found;
}

isl::schedule_node TailSplitter::split(isl::schedule_node node) {
  if (node.parent().isa<isl::schedule_node_band>() && beginsAccumulators(node))
    return splitTile(node);
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i)
    if (isl::schedule_node child = node.child(i);
        !child.isa<isl::schedule_node_leaf>())
      node = split(child).parent();
  return node;
}

/// { [t] } of the `depth` loops around a tile in which `loop`, somewhere below,
/// does not run from the first value that it ever has to the last.
static isl::set findShort(const isl::schedule_node_band &loop, unsigned depth) {
  isl::union_map around =
      loop.prefix_schedule_union_map().intersect_domain(getDomain(loop));
  isl::union_map member(
      isl::union_pw_aff(loop.partial_schedule().at(0)).as_union_map());
  isl::map values = isl::manage(
      isl_map_from_union_map(around.reverse().apply_range(member).release()));
  isl::set whole = values.domain();
  for (auto *getEnd : {isl_set_lexmin, isl_set_lexmax}) {
    isl::set end = isl::manage(getEnd(values.range().release()));
    whole = whole.intersect(values.intersect_range(end).domain());
  }
  isl::set result = values.domain().subtract(whole);
  unsigned dims = unsigned(isl_set_dim(result.get(), isl_dim_set));
  return isl::manage(isl_set_project_out(result.release(), isl_dim_set, depth,
                                         dims - depth))
      .coalesce();
}

/// The instances of `part` among `all`, as bounds of iterators where that is
/// what they are: isl does not put together what several loops around decide.
static isl::union_set simplify(const isl::union_set &part,
                               const isl::union_set &all) {
  isl::union_set result(part.ctx(), "{ }");
  part.foreach_set([&](isl::set set) {
    isl::set box = isl::set::universe(set.space());
    for (unsigned dim = 0; dim < unsigned(set.tuple_dim()); ++dim) {
      box = isl::manage(isl_set_lower_bound_val(
          box.release(), isl_dim_set, dim, set.dim_min_val(dim).release()));
      box = isl::manage(isl_set_upper_bound_val(
          box.release(), isl_dim_set, dim, set.dim_max_val(dim).release()));
    }
    isl::set around = all.extract_set(set.space());
    bool isBox = around.intersect(box).is_equal(set);
    result = result.unite(isl::union_set((isBox ? box : set).gist(around)));
  });
  return result;
}

isl::schedule_node TailSplitter::splitTile(isl::schedule_node tile) const {
  unsigned depth = getScheduleDepth(tile);
  isl::union_set instances = getDomain(tile);
  isl::union_map around =
      tile.prefix_schedule_union_map().intersect_domain(instances);
  isl::set tiles =
      isl::manage(isl_set_from_union_set(around.range().release()));
  std::vector<isl::set> lanes, rows;
  tile.foreach_descendant_top_down([&](isl::schedule_node below) {
    std::string mark = getMarkName(below);
    if ((mark != kUnrollMark && mark != kVectorMark) ||
        !below.child(0).isa<isl::schedule_node_band>())
      return true;
    isl::set found =
        findShort(below.child(0).as<isl::schedule_node_band>(), depth);
    std::vector<isl::set> &ends = mark == kVectorMark ? lanes : rows;
    // Of a loop that no tile has all of, there is nothing to tell apart.
    if (!found.is_empty() && !tiles.is_subset(found) &&
        llvm::none_of(ends, [&](isl::set end) { return end.is_equal(found); }))
      ends.push_back(found);
    return true;
  });
  // From the last copy to the first, which is that of full tiles.
  std::vector<isl::union_set> parts;
  isl::set left = tiles;
  auto add = [&](const isl::set &part) {
    if (part.is_empty())
      return;
    parts.push_back(simplify(
        around.intersect_range(isl::union_set(part)).domain(), instances));
  };
  for (const std::vector<isl::set> &ends : {rows, lanes})
    for (const isl::set &end : ends) {
      add(end.intersect(left));
      left = left.subtract(end).coalesce();
    }
  add(left);
  bool areConvex = llvm::all_of(parts, [](isl::union_set part) {
    bool isOne = true;
    part.foreach_set([&](isl::set set) { isOne &= set.n_basic_set() == 1; });
    return isOne;
  });
  if (!areConvex) {
    ScopOp scop = poly.getOp();
    scop.emitRemark("tile not split: where its loops end early is no one "
                    "condition on the loops around");
    return tile;
  }
  if (parts.size() < 2)
    return tile;
  isl::union_set_list filters(tile.ctx(), 0);
  for (const isl::union_set &part : llvm::reverse(parts))
    filters = filters.add(part);
  return isl::manage(
      isl_schedule_node_insert_sequence(tile.release(), filters.release()));
}

LogicalResult fusec::poly::splitTails(PolyContext &context, ScopOp scop) {
  // Threads compute whole tiles, with conditions where somebody sees it.
  if (scop.getConfigAttr() && !scop.getConfigAttr().getPoints().empty())
    return success();
  PolyScop poly(context, scop);
  isl::schedule schedule = getSchedule(context.get(), scop);
  // Of one that was written by hand, --sched-verify says what is wrong.
  if (failed(findLocals(scop, schedule)))
    return failure();
  isl::schedule_node top = schedule.root().child(0);
  if (schedule.domain().is_equal(poly.getDomain()) &&
      !top.isa<isl::schedule_node_leaf>())
    setSchedule(scop, TailSplitter(poly).split(top).schedule());
  return success();
}

namespace {

struct SchedSplitTailsPass
    : fusec::poly::impl::SchedSplitTailsBase<SchedSplitTailsPass> {
  using SchedSplitTailsBase::SchedSplitTailsBase;

  void runOnOperation() override {
    auto work = [&](PolyContext &context, ScopOp scop) -> LogicalResult {
      if (!scop.getScheduleAttr() || scop.getArrays().empty())
        return success();
      return runOrFallBack(context, scop, IslLimit::of(operations, limit),
                           "telling tails apart", StepsBefore::split,
                           splitTails);
    };
    if (failed(forEachScop(getOperation(), getAnalysis<PolyContexts>(), work)))
      signalPassFailure();
  }
};

} // namespace
