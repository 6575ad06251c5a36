// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a config does not fit a target, or the tree of a scop.
#include "dialects/TargetInfo.h"
#include "passes/poly/Accumulators.h"
#include "passes/poly/Bands.h"
#include "passes/poly/Mapping.h"
#include "passes/poly/OuterBand.h"
#include "passes/poly/SplitLoops.h"
#include "passes/poly/Streams.h"
#include "passes/poly/ThreadTiles.h"

#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>
#include <isl/schedule_node.h>

using namespace mlir;
using fusec::sched::Combine;
using fusec::sched::ConfigAttr;

namespace fusec::poly {

/// Why it does not fit a GPU, where `vector` counts the threads of a block.
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
  if (int64_t columns = config.getColumns(); columns > 0) {
    if (!isShared)
      return "the threads of columns share loops, and it has none on lanes";
    if (columns != rows || columns == 1 || threads % (2 * columns) != 0)
      return fmt::format("columns are the points of a tile, a power of two "
                         "with two threads or more each: {} of {} points for "
                         "{} threads are not",
                         columns, rows, threads);
  } else if (isShared && rows != 1 && rows * mp.warp != threads)
    return fmt::format(
        "rows have a block or a warp each: {} threads take 1 row "
        "or {}, not {}",
        threads, threads / mp.warp, rows);
  if (threads != 1 && (threads % mp.warp != 0 || threads > mp.blockThreads))
    return fmt::format(
        "vector is 1 or whole warps of {} threads up to {}, not {}", mp.warp,
        mp.blockThreads, threads);
  if (config.getSplit() > 0 && config.getPoints().empty() &&
      (!isShared || (rows != 1 && config.getColumns() == 0)))
    return "what is split is a row that all threads of a block share, columns, "
           "or a tile whose threads have points";
  if (!config.getBlocks().empty() || !config.getPrefetch().empty() ||
      !config.getStream().empty())
    return "blocks, prefetch and stream are of a CPU";
  if (config.getWidth() > 1 && !isShared)
    return "width is of loops that threads share";
  if (config.getSplit() % config.getWidth() != 0)
    return fmt::format("parts of {} iterations are no whole groups of {}",
                       config.getSplit(), config.getWidth());
  if (config.getDepth() > 0 && config.getPoints().empty())
    return "depth is of tiles whose threads have several points";
  if (config.getStages() > 1 && mp.copyBytes == 0)
    return fmt::format("stages are loaded by copies while threads compute, "
                       "which {} does not have",
                       mp.architecture.str());
  return findPointMisfit(config);
}

static std::string findTargetMisfit(const PolyScop &poly, ConfigAttr config) {
  const TargetInfo &target = getTargetInfo(poly.getOp());
  if (int64_t mostCopies = target.tiledFor->loopOperations;
      config.getUnroll() > mostCopies)
    return fmt::format("unroll is up to {}, not {}", mostCopies,
                       config.getUnroll());
  if (target.kind == TargetKind::gpu)
    return findGpuMisfit(target, config);
  if (!config.getPoints().empty() || config.getWidth() != 1 ||
      config.getCombine() != Combine::atomic)
    return "points, width and combine are of a GPU";
  if (config.getSplit() > 0 && !config.getTile().empty())
    return "it splits a reduction, and has a band that threads share";
  if (int64_t vector = config.getVector();
      vector != 1 && vector != target.lanes)
    return fmt::format("vector is 1 or {}, not {}", target.lanes, vector);
  int64_t mostColumns = target.tiledFor->registers * target.lanes;
  if (int64_t columns = config.getColumns();
      columns % target.lanes != 0 || columns > mostColumns)
    return fmt::format("columns are a multiple of {} up to {}, not {}",
                       target.lanes, mostColumns, columns);
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

/// Why a block of a GPU does not have all columns of its tile: all threads of a
/// block wait for each other.
static std::string findColumnMisfit(ConfigAttr config, const OuterBand &band,
                                    const isl::schedule &schedule) {
  for (auto [m, size] : llvm::enumerate(config.getTile())) {
    if (config.getColumns() == 0 || size == 1)
      continue;
    if (band.getExtent(m) % size != 0)
      return fmt::format("blocks of {} columns are not whole ones of a loop of "
                         "{}",
                         size, band.getExtent(m));
    if (!band.isUniform(schedule, m))
      return "its statements do not all have the same columns";
  }
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
  const TargetInfo &target = getTargetInfo(poly.getOp());
  if (std::string misfit = findColumnMisfit(config, band, schedule);
      target.kind == TargetKind::gpu && !misfit.empty())
    return misfit;
  int64_t lanes = target.lanes;
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

/// Why loops that threads share have no groups of several iterations.
static std::string findWidthMisfit(sched::ScopOp scop, ConfigAttr config) {
  const int64_t width = config.getWidth();
  for (auto [stmt, lane] :
       llvm::zip(scop.getBody().getOps<sched::StmtOp>(), config.getLanes()))
    if (int64_t extent = lane < 0 ? 0 : stmt.getExtents()[lane];
        width > 1 && lane >= 0 && (extent % width != 0 || extent == width))
      return fmt::format("the {} iterations of @{} that threads share are not "
                         "several groups of {}",
                         extent, stmt.getSymName().str(), width);
  return "";
}

std::string findLaneMisfit(sched::ScopOp scop, ConfigAttr config) {
  std::string misfit = findAccumulatorMisfit(scop, config);
  if (misfit.empty())
    misfit = findWidthMisfit(scop, config);
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

} // namespace fusec::poly
