// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/Mapping.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/Accumulators.h"
#include "passes/poly/Bands.h"
#include "passes/poly/DepthBlocks.h"
#include "passes/poly/Legality.h"
#include "passes/poly/OuterBand.h"
#include "passes/poly/RowBlocks.h"
#include "passes/poly/SplitLoops.h"
#include "passes/poly/Streams.h"
#include "passes/poly/ThreadTiles.h"

#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>
#include <isl/schedule_node.h>

using namespace mlir;
using fusec::sched::ConfigAttr;

namespace fusec::poly {

bool sharesRows(const TargetInfo &target, ConfigAttr config) {
  return target.kind == TargetKind::gpu && config.getVector() > 1 &&
         (config.getLanes().empty() ||
          llvm::any_of(config.getLanes(),
                       [](int64_t lane) { return lane >= 0; }));
}

/// The same on a GPU, where `vector` counts the threads of a block.
static std::string findGpuMisfit(const TargetInfo &target, ConfigAttr config) {
  const Multiprocessor &mp = *target.multiprocessor;
  int64_t threads = config.getVector();
  bool isShared = sharesRows(target, config);
  int64_t rows = 1;
  for (int64_t size : config.getTile())
    rows *= size;
  if (isShared && !llvm::isPowerOf2_64(threads))
    return fmt::format("a row is shared by a power of two of threads, not {}",
                       threads);
  if (isShared && rows != 1 && rows * mp.warp != threads)
    return fmt::format(
        "rows have a block or a warp each: {} threads take 1 row "
        "or {}, not {}",
        threads, threads / mp.warp, rows);
  if (threads != 1 && (threads % mp.warp != 0 || threads > mp.blockThreads))
    return fmt::format(
        "vector is 1 or whole warps of {} threads up to {}, not {}", mp.warp,
        mp.blockThreads, threads);
  if (config.getSplit() > 0 && (!isShared || rows != 1))
    return "what is split is a row that all threads of a block share";
  if (config.getColumns() > 0 || !config.getBlocks().empty() ||
      !config.getPrefetch().empty() || !config.getStream().empty())
    return "columns, blocks, prefetch and stream are of a CPU";
  if (config.getDepth() > 0 && config.getPoints().empty())
    return "depth is of tiles whose threads have several points";
  return findPointMisfit(config);
}

static std::string findTargetMisfit(const PolyScop &poly, ConfigAttr config) {
  const TargetInfo &target = getTargetInfo(poly.getOp());
  if (target.kind == TargetKind::gpu)
    return findGpuMisfit(target, config);
  if (!config.getPoints().empty())
    return "points are of the threads of a GPU";
  if (int64_t vector = config.getVector();
      vector != 1 && vector != target.lanes)
    return fmt::format("vector is 1 or {}, not {}", target.lanes, vector);
  int64_t mostColumns = target.tiledFor->registers * target.lanes;
  if (int64_t columns = config.getColumns();
      columns % target.lanes != 0 || columns > mostColumns)
    return fmt::format("columns are a multiple of {} up to {}, not {}",
                       target.lanes, mostColumns, columns);
  if (int64_t mostCopies = target.tiledFor->loopOperations;
      config.getUnroll() > mostCopies)
    return fmt::format("unroll is up to {}, not {}", mostCopies,
                       config.getUnroll());
  return "";
}

/// Why blocks are none of the tiles, of which there are `tiles` of each loop.
static std::string findBlockMisfit(ConfigAttr config, ArrayRef<int64_t> tiles) {
  for (auto [count, whole] : llvm::zip(config.getBlocks(), tiles))
    // All tiles may share the blocks of a reduction.
    if (count > 0 && count >= whole + (config.getDepth() > 0))
      return fmt::format("a block of {} tiles is no part of the {} that a loop "
                         "has",
                         count, whole);
  return "";
}

static std::string sayTileCount(size_t sizes, size_t loops) {
  return fmt::format("it has {} tile sizes for {} loops", sizes, loops);
}

std::string findMisfit(const PolyScop &poly, const isl::schedule &schedule,
                       ConfigAttr config) {
  OuterBand band(poly.getOp(), schedule);
  if (config.getTile().size() != band.size())
    return sayTileCount(config.getTile().size(), band.size());
  if (std::string misfit = findTargetMisfit(poly, config); !misfit.empty())
    return misfit;
  int64_t lanes = getTargetInfo(poly.getOp()).lanes;
  SmallVector<int64_t> tiles;
  for (auto [m, size] : llvm::enumerate(config.getTile())) {
    int64_t extent = band.getExtent(m);
    int64_t most = std::max<int64_t>(
        1, llvm::alignTo(std::max<int64_t>(0, extent), lanes));
    if (size > most)
      return fmt::format("tile size {} is more than {}, for a loop of {}", size,
                         most, extent);
    tiles.push_back(llvm::divideCeil(std::max<int64_t>(1, extent), size));
  }
  if (std::string misfit = findBlockMisfit(config, tiles); !misfit.empty())
    return misfit;
  if (config.getSplit() > 0 && countParts(poly, schedule, config) == 1)
    return fmt::format("parts of {} iterations are no part of the loop that is "
                       "split",
                       config.getSplit());
  if (size_t lanes = config.getLanes().size();
      lanes != 0 && lanes != poly.getStmts().size())
    return fmt::format("it has lanes of {} statements, and the group has {}",
                       lanes, poly.getStmts().size());
  return "";
}

std::string findLaneMisfit(sched::ScopOp scop, ConfigAttr config) {
  std::string misfit = findAccumulatorMisfit(scop, config);
  return misfit.empty() ? findStreamMisfit(scop, config) : misfit;
}

std::string findTiledMisfit(const PolyScop &poly, const isl::schedule &schedule,
                            ConfigAttr config) {
  if (std::string misfit = findTargetMisfit(poly, config); !misfit.empty())
    return misfit;
  size_t sizes = config.getTile().size();
  // Without tiles, the band of the tree is one like others.
  if (sizes == 0)
    return "";
  isl::schedule_node outer = getOuterBand(schedule);
  if (outer.is_null())
    return sayTileCount(sizes, 0);
  auto band = outer.as<isl::schedule_node_band>();
  if (sizes != size_t(band.n_member()))
    return sayTileCount(sizes, band.n_member());
  SmallVector<int64_t> tiles;
  for (unsigned m = 0; m < config.getBlocks().size(); ++m)
    tiles.push_back(getExtent(band, m));
  return findBlockMisfit(config, tiles);
}

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
    isl::schedule split = splitLoop(*band, config.getSplit());
    return isGpu ? tileForThreads(split, sizes) : Rewritten{split, ""};
  }
  if (isGpu)
    return tileForThreads(schedule, sizes);
  if (sizes.empty())
    return {schedule, ""};
  if (config.getColumns() > 0) {
    isl::schedule blocks =
        tileRowBlocks(poly, schedule, sizes, config.getColumns());
    if (blocks.is_null())
      return {std::nullopt, "no loop below the outer band has columns for all "
                            "that follows it"};
    return {blocks, ""};
  }
  if (llvm::all_of(sizes, [](int64_t size) { return size == 1; }))
    return {schedule, ""};
  return {tileOuterBand(schedule, sizes), ""};
}

isl::schedule_node putOnLanes(const isl::schedule_node_band &band,
                              ArrayRef<std::string> marks, unsigned member) {
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(0, band.n_member()));
  llvm::erase(order, member);
  order.push_back(member);
  std::vector<std::string> marked = marks.vec();
  marked[member] = kVectorMark.str();
  return splitIntoLoops(band, order, marked);
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
                              bool isPointBand);
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
      return putOnLanes(band, marks, *member);
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

/// Maps the bands at and below `node`; returns the node at its place.
isl::schedule_node Mapper::mapInner(isl::schedule_node node, bool insideLoop,
                                    bool isPointBand) {
  unsigned depth = node.tree_depth();
  bool isBand = node.isa<isl::schedule_node_band>();
  bool innermost = isBand && !hasBandBelow(node);
  int64_t steps = isBand && isPointBand && !innermost ? countSteps(node) : 0;
  for (unsigned i = 0; i < unsigned(node.n_children()); ++i) {
    isl::schedule_node child = node.child(i);
    if (child.isa<isl::schedule_node_leaf>())
      continue;
    node = mapInner(child, insideLoop || isBand, isPointBand).parent();
  }
  const TargetInfo &target = getTargetInfo(poly.getOp());
  bool hasLanes = target.kind == TargetKind::gpu ? sharesRows(target, config)
                                                 : config.getVector() > 1;
  if (isBand && hasLanes)
    node = mapBand(node.as<isl::schedule_node_band>(), innermost,
                   innermost && isPointBand && insideLoop, steps);
  else if (isBand)
    node = mapBand(node.as<isl::schedule_node_band>(), false, false);
  return node.ancestor(node.tree_depth() - depth);
}

/// The tiles' loops are blocks, those of their points threads, or warps that
/// share what stands in them.
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
  StringRef mark =
      sharesRows(getTargetInfo(poly.getOp()), config) ? kWarpMark : kThreadMark;
  std::vector<std::string> threads(members, mark.str());
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
  } else if (!tiled && config.getVector() > 1) {
    // Nothing but the outer band: its last loop runs on lanes.
    return {mapBand(band, /*innermost=*/true, false).schedule(), ""};
  }
  std::vector<std::string> marks(members, kParallelMark.str());
  SmallVector<unsigned> order(config.getOrder());
  if (order.empty())
    order = llvm::to_vector(llvm::seq<unsigned>(0, members));
  if (ArrayRef<int64_t> blocks = config.getBlocks(); !blocks.empty()) {
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
  return result;
}

} // namespace fusec::poly
