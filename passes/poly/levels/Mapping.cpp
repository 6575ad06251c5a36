// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/levels/Mapping.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/levels/DepthBlocks.h"
#include "passes/poly/levels/RowBlocks.h"
#include "passes/poly/levels/SplitLoops.h"
#include "passes/poly/levels/ThreadTiles.h"
#include "passes/poly/levels/Units.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/Legality.h"

#include <isl/schedule_node.h>

using namespace mlir;
using fusec::sched::Combine;
using fusec::sched::ConfigAttr;
using fusec::sched::TeamLevelAttr;

namespace fusec::poly {

/// On a GPU tiles are of blocks, and each of their points a thread's, which
/// runs all that stands below the outer band, or shared by a block or warp.
static Rewritten tileForThreads(const isl::schedule &schedule,
                                ArrayRef<int64_t> sizes) {
  isl::schedule_node outer = getOuterBand(schedule);
  if (outer.is_null() || sizes.empty())
    return {schedule, ""};
  return {tileBand(outer, sizes).schedule(), ""};
}

Rewritten applyTiles(const PolyScop &poly, const isl::schedule &schedule,
                     ConfigAttr config) {
  ArrayRef<int64_t> sizes = config.getTile();
  if (!config.getPoints().empty()) {
    std::string refusal;
    isl::schedule tiled = tileForPoints(poly, schedule, config, refusal);
    if (tiled.is_null())
      return {std::nullopt, refusal};
    return {tiled, ""};
  }
  bool isGpu = getTargetInfo(poly.getOp()).kind == TargetKind::gpu;
  if (config.getSplit() > 0) {
    std::string refusal;
    auto band = findSplitLoop(poly, schedule, refusal);
    if (!band)
      return {std::nullopt, "no loop is split: " + refusal};
    if (isGpu && config.getCombine() == Combine::atomic)
      if (refusal = explainNotAdded(poly, *band); !refusal.empty())
        return {std::nullopt, "blocks add no parts to outputs: " + refusal};
    isl::schedule split = splitLoop(*band, config.getSplit()).schedule();
    return isGpu ? tileForThreads(split, sizes) : Rewritten{split, ""};
  }
  if (isGpu)
    return tileForThreads(schedule, sizes);
  if (sizes.empty())
    return {schedule, ""};
  if (config.getColumns() > 0) {
    if (!config.getBlocks().empty() && findPartLoop(poly, schedule).empty())
      return {std::nullopt, "blocks of rows share what a part of their rows "
                            "loads, and no loop is over parts of rows"};
    isl::schedule blocks = tileRowBlocks(poly, schedule, config);
    if (blocks.is_null())
      return {std::nullopt, "no loop below the outer band has columns for all "
                            "that follows it"};
    return {blocks, ""};
  }
  if (llvm::all_of(sizes, [](int64_t size) { return size == 1; }))
    return {schedule, ""};
  return {tileOuterBand(schedule, sizes), ""};
}

/// The loop below the innermost mark "vector" at or below `node` as one of
/// groups, and below it one of those of a group. Returns the node at the place
/// of `node`, as it is where the loop is none.
static isl::schedule_node groupLanes(const isl::schedule_node &node,
                                     int64_t width) {
  isl::schedule_node mark = node;
  while (
      mark.isa<isl::schedule_node_band>() ||
      (mark.isa<isl::schedule_node_mark>() && getMarkName(mark) != kVectorMark))
    mark = mark.child(0);
  if (getMarkName(mark) != kVectorMark)
    return node;
  unsigned depth = node.tree_depth();
  isl::schedule_node each = tileBand(mark.child(0), {width})
                                .as<isl::schedule_node_band>()
                                .member_set_ast_loop_atomic(0)
                                .child(0)
                                .as<isl::schedule_node_band>()
                                .member_set_ast_loop_atomic(0);
  each = each.insert_mark(isl::id(node.ctx(), kUnrollMark.str()));
  return each.ancestor(each.tree_depth() - depth);
}

isl::schedule_node putOnLanes(const isl::schedule_node_band &band,
                              ArrayRef<std::string> marks, unsigned member,
                              int64_t width) {
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, band.n_member()));
  llvm::erase(order, member);
  order.push_back(member);
  std::vector<std::string> marked = marks.vec();
  marked[member] = kVectorMark.str();
  isl::schedule_node loops = splitIntoLoops(band, order, marked);
  return width > 1 ? groupLanes(loops, width) : loops;
}

namespace {

class Mapper {
public:
  Mapper(const PolyScop &poly, ConfigAttr config, PickLanes pickLanes)
      : poly(poly), config(config), pickLanes(pickLanes) {
    for (int64_t size : config.getTile())
      widest = std::max(widest, size);
  }

  Rewritten map(const isl::schedule &schedule);

private:
  Rewritten mapToThreads(isl::schedule_node outer);
  isl::schedule_node mapInner(isl::schedule_node node, bool insideLoop,
                              bool isPointBand, bool isOnLanes = false);
  isl::schedule_node mapBand(const isl::schedule_node_band &band,
                             bool innermost, bool unrollOthers,
                             int64_t steps = 0);
  void unrollReduction(const isl::schedule_node_band &band,
                       std::vector<std::string> &marks, int64_t copies);

  const PolyScop &poly;
  ConfigAttr config;
  PickLanes pickLanes;
  int64_t widest = 1;
};

} // namespace

/// Marks the innermost loops of `band`, which stands around the points of a
/// tile and takes `copies` of them in each iteration, as far as the config
/// allows.
void Mapper::unrollReduction(const isl::schedule_node_band &band,
                             std::vector<std::string> &marks, int64_t copies) {
  for (unsigned m = marks.size(); m-- > 0;) {
    int64_t extent = getExtent(band, m);
    copies *= extent;
    if (extent > kMaxUnrolled || copies > config.getUnroll())
      return;
    marks[m] = kUnrollMark.str();
  }
}

isl::schedule_node Mapper::mapBand(const isl::schedule_node_band &band,
                                   bool innermost, bool unrollOthers,
                                   int64_t steps) {
  unsigned members = band.n_member();
  std::vector<std::string> marks(members);
  for (unsigned m = 0; m < members; ++m)
    // Loops of parts of a block that are not tiled have more iterations.
    if (unrollOthers && getExtent(band, m) <= widest)
      marks[m] = kUnrollMark.str();
  if (steps > 0)
    unrollReduction(band, marks, steps);
  if (innermost)
    if (std::optional<unsigned> member = pickLanes(band, marks))
      return putOnLanes(band, marks, *member, config.getWidth());
  return splitIntoLoops(band, llvm::to_vector(llvm::seq<unsigned>(0, members)),
                        marks);
}

/// Iterations of the loops below `band` but for those of points, which are
/// innermost.
static int64_t countSteps(const isl::schedule_node &band) {
  int64_t steps = 1;
  band.foreach_descendant_top_down([&](isl::schedule_node below) {
    if (below.isa<isl::schedule_node_band>() &&
        below.tree_depth() > band.tree_depth() && hasBandBelow(below)) {
      auto loops = below.as<isl::schedule_node_band>();
      for (unsigned m = 0; m < unsigned(loops.n_member()); ++m)
        steps *= getExtent(loops, m);
    }
    return true;
  });
  return steps;
}

/// Maps the bands at and below `node`, which may stand in a loop that is on
/// lanes; returns the node at its place.
isl::schedule_node Mapper::mapInner(isl::schedule_node node, bool insideLoop,
                                    bool isPointBand, bool isOnLanes) {
  unsigned depth = node.tree_depth();
  bool isBand = node.isa<isl::schedule_node_band>();
  bool innermost = isBand && !hasBandBelow(node);
  int64_t steps = isBand && isPointBand && !innermost ? countSteps(node) : 0;
  bool hasTeam = bool(config.getLevel<TeamLevelAttr>());
  bool hasLanes = !isOnLanes && (hasTeam || config.getLaneCount() > 1);
  // Threads may share a loop around others; a vector's lanes may not.
  std::vector<std::string> marks;
  std::optional<unsigned> member;
  if (isBand && hasLanes && !innermost && hasTeam) {
    auto band = node.as<isl::schedule_node_band>();
    marks.resize(band.n_member());
    member = pickLanes(band, marks);
  }
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i) {
    isl::schedule_node child = node.child(i);
    if (child.isa<isl::schedule_node_leaf>())
      continue;
    node = mapInner(child, insideLoop || isBand, isPointBand,
                    isOnLanes || member.has_value())
               .parent();
  }
  if (member)
    node = putOnLanes(node.as<isl::schedule_node_band>(), marks, *member,
                      config.getWidth());
  else if (isBand && hasLanes)
    node = mapBand(node.as<isl::schedule_node_band>(), innermost,
                   innermost && isPointBand &&
                       (insideLoop || config.getUnroll() > 1),
                   steps);
  else if (isBand)
    node = mapBand(node.as<isl::schedule_node_band>(), false, false);
  return node.ancestor(node.tree_depth() - depth);
}

/// What runs the points of a tile: a thread each, or a warp or the threads of a
/// column, which share what stands in them.
static StringRef getPointMark(ConfigAttr config) {
  if (!config.getLevel<TeamLevelAttr>())
    return kThreadMark;
  return config.hasColumns() ? kColumnMark : kWarpMark;
}

/// The tiles' loops are blocks.
Rewritten Mapper::mapToThreads(isl::schedule_node outer) {
  unsigned members = outer.as<isl::schedule_node_band>().n_member();
  SmallVector<unsigned> order(config.getOrder());
  if (order.empty())
    order = llvm::to_vector(llvm::seq<unsigned>(0, members));
  std::vector<std::string> blocks(members, kBlockMark.str());
  if (!config.getPoints().empty()) {
    outer = mapThreadTiles(poly, outer.child(0), config, order).parent();
    return {splitIntoLoops(outer.as<isl::schedule_node_band>(), order, blocks)
                .schedule(),
            ""};
  }
  isl::schedule_node points = outer.child(0);
  if (!points.isa<isl::schedule_node_band>() ||
      unsigned(points.as<isl::schedule_node_band>().n_member()) != members)
    return {std::nullopt, "its outer band has no loops for threads in it"};
  if (!points.child(0).isa<isl::schedule_node_leaf>())
    points = mapInner(points.child(0), /*insideLoop=*/true,
                      /*isPointBand=*/false)
                 .parent();
  std::vector<std::string> threads(members, getPointMark(config).str());
  isl::schedule_node tiles =
      splitIntoLoops(points.as<isl::schedule_node_band>(), order, threads)
          .parent();
  return {splitIntoLoops(tiles.as<isl::schedule_node_band>(), order, blocks)
              .schedule(),
          ""};
}

Rewritten Mapper::map(const isl::schedule &schedule) {
  isl::schedule_node outer = getOuterBand(schedule);
  if (getTargetInfo(poly.getOp()).kind == TargetKind::gpu && !outer.is_null() &&
      !config.getTile().empty())
    return mapToThreads(outer);
  ArrayRef<int64_t> tile = config.getTile();
  bool tiled = llvm::any_of(tile, [](int64_t size) { return size != 1; });
  if (outer.is_null() || tile.empty()) {
    isl::schedule_node top = schedule.root().child(0);
    return {top.isa<isl::schedule_node_leaf>()
                ? schedule
                : mapInner(top, false, false).schedule(),
            ""};
  }
  auto band = outer.as<isl::schedule_node_band>();
  unsigned members = band.n_member();
  if (!band.child(0).isa<isl::schedule_node_leaf>()) {
    // Point loops that sank stand inside of the tree's own loops.
    bool sunk = tiled && !band.child(0).isa<isl::schedule_node_band>();
    outer = mapInner(band.child(0), /*insideLoop=*/sunk, tiled).parent();
    band = outer.as<isl::schedule_node_band>();
  } else if (!config.getBlocks().empty() && !tiled) {
    return {std::nullopt, "no loop is tiled, of which blocks could be made"};
  } else if (!tiled && config.getLaneCount() > 1) {
    // Nothing but the outer band: its last loop runs on lanes.
    return {mapBand(band, /*innermost=*/true, false).schedule(), ""};
  }
  std::vector<std::string> marks(members, kParallelMark.str());
  SmallVector<unsigned> order(config.getOrder());
  if (order.empty())
    order = llvm::to_vector(llvm::seq<unsigned>(0, members));
  // Blocks of rows have their tiles already.
  if (ArrayRef<int64_t> blocks = config.getBlocks();
      !blocks.empty() && config.getColumns() == 0) {
    SmallVector<int64_t> sizes;
    for (int64_t count : blocks)
      sizes.push_back(std::max<int64_t>(1, count));
    auto inside = tileBand(band, sizes).child(0).as<isl::schedule_node_band>();
    isl::schedule_node top =
        config.getDepth() > 0
            ? blockReductions(poly, inside, order, config.getDepth())
            : splitIntoLoops(inside, order, std::vector<std::string>(members));
    if (top.is_null())
      return {std::nullopt, "no reduction in a tile has blocks of " +
                                std::to_string(config.getDepth()) +
                                " iterations"};
    band = top.parent().as<isl::schedule_node_band>();
    SmallVector<unsigned> outermost;
    llvm::copy_if(order, std::back_inserter(outermost),
                  [&](unsigned m) { return blocks[m] > 0; });
    llvm::erase_if(order, [&](unsigned m) { return blocks[m] > 0; });
    order.insert(order.begin(), outermost.begin(), outermost.end());
  }
  return {splitIntoLoops(band, order, marks).schedule(), ""};
}

Rewritten applyLoops(const PolyScop &poly, const isl::schedule &schedule,
                     ConfigAttr config, PickLanes pickLanes) {
  return Mapper(poly, config, pickLanes).map(schedule);
}

Rewritten applyLoops(const PolyScop &poly, const isl::schedule &schedule,
                     ConfigAttr config) {
  std::map<std::string, int64_t> wanted;
  for (auto [stmt, iterator] : llvm::zip(poly.getStmts(), config.getLanes()))
    wanted[stmt.name] = iterator;
  std::map<std::string, int64_t> left = wanted;
  auto pick = [&](const isl::schedule_node_band &band,
                  ArrayRef<std::string>) -> std::optional<unsigned> {
    for (unsigned m = 0; m < unsigned(band.n_member()); ++m) {
      std::map<std::string, unsigned> iterators = getMemberIterators(band, m);
      std::vector<std::string> here;
      bool fits = true;
      getDomain(band).foreach_set([&](isl::set set) {
        here.push_back(getTupleName(set));
        auto found = iterators.find(here.back());
        auto asked = wanted.find(here.back());
        fits &= found != iterators.end() && asked != wanted.end() &&
                asked->second == int64_t(found->second);
      });
      if (!fits)
        continue;
      for (const std::string &name : here)
        left[name] = -1;
      return m;
    }
    return std::nullopt;
  };
  Rewritten result = applyLoops(poly, schedule, config, pick);
  if (!result.schedule)
    return result;
  for (auto &[name, iterator] : left)
    if (iterator != -1)
      return {std::nullopt,
              "iterator " + std::to_string(iterator) + " of @" + name +
                  " cannot run on lanes: no innermost loop runs over it for "
                  "all that stands in it"};
  return applyUnits(poly, *result.schedule, config);
}

} // namespace fusec::poly
