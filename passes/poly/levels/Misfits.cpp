// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a config does not fit a target, or the tree of a scop.
#include "dialects/TargetInfo.h"
#include "passes/poly/levels/Accumulators.h"
#include "passes/poly/levels/Mapping.h"
#include "passes/poly/levels/SplitLoops.h"
#include "passes/poly/levels/Streams.h"
#include "passes/poly/levels/ThreadTiles.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/OuterBand.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <fmt/format.h>
#include <isl/schedule_node.h>

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::Team;
using fusec::sched::TeamLevelAttr;

namespace fusec::poly {

/// Why it does not fit a GPU.
static std::string findGpuMisfit(const TargetInfo &target, ConfigAttr config) {
  const Multiprocessor &mp = *target.multiprocessor;
  int64_t threads = config.getThreads(), rows = config.countTilePoints();
  auto team = config.getLevel<TeamLevelAttr>();
  if (team && !llvm::isPowerOf2_64(threads))
    return fmt::format("a row is shared by a power of two of threads, not {}",
                       threads);
  if (config.hasColumns()) {
    if (rows == 1 || rows > threads / 2 || threads % (2 * rows) != 0)
      return fmt::format("columns are the points of a tile, a power of two "
                         "with two threads or more each: {} points for {} "
                         "threads are not",
                         rows, threads);
  } else if (team) {
    int64_t most = team.getOf() == Team::warp ? threads / mp.warp : 1;
    if (rows != most)
      return fmt::format("a {} has a point of the tile: {} threads take {}, "
                         "not {}",
                         stringifyTeam(team.getOf()).str(), threads, most,
                         rows);
  }
  if (threads != 1 && (threads % mp.warp != 0 || threads > mp.blockThreads))
    return fmt::format(
        "a block has 1 thread, or whole warps of {} up to {}, not {}", mp.warp,
        mp.blockThreads, threads);
  if (config.getSplit() > 0 && config.getPoints().empty() &&
      (!team || team.getOf() == Team::warp))
    return "what is split is a row that all threads of a block share, columns, "
           "or a tile whose threads have points";
  if (config.getSplit() % config.getWidth() != 0)
    return fmt::format("parts of {} iterations are no whole groups of {}",
                       config.getSplit(), config.getWidth());
  if (config.getStages() > 1 && mp.copyBytes == 0)
    return fmt::format("stages are loaded by copies while threads compute, "
                       "which {} does not have",
                       mp.architecture.str());
  if (std::string misfit = findPointMisfit(config); !misfit.empty())
    return misfit;
  return config.getMatrices().empty() ? "" : findMatrixMisfit(target, config);
}

static std::string findTargetMisfit(const PolyScop &poly, ConfigAttr config) {
  const TargetInfo &target = getTargetInfo(poly.getOp());
  ArrayRef<StringLiteral> kinds = getLevelKinds(target.kind);
  for (sched::LevelAttr level : config.getLevels())
    if (!llvm::is_contained(kinds, level.getKind()))
      return fmt::format("level '{}' has no place on target {}, whose levels "
                         "are {}",
                         level.getKind().str(), target.name.str(),
                         llvm::join(kinds, ", "));
  if (int64_t mostCopies = target.tiledFor->loopOperations;
      config.getUnroll() > mostCopies)
    return fmt::format("unroll is up to {}, not {}", mostCopies,
                       config.getUnroll());
  if (target.kind == TargetKind::gpu)
    return findGpuMisfit(target, config);
  if (config.getSplit() > 0 && !config.getTile().empty())
    return "it splits a reduction, and has a band that threads share";
  if (int64_t lanes = config.getLaneCount();
      lanes != 1 && lanes != target.lanes)
    return fmt::format("a unit has {} lanes, not {}", target.lanes, lanes);
  for (StringAttr unit : config.getProducts())
    if (!target.tiledFor->getUnit(unit))
      return fmt::format("instruction set {} has no unit '{}', but {}",
                         target.tiledFor->name.str(), unit.str(),
                         fmt::join(llvm::map_range(target.tiledFor->units,
                                                   [](const Unit *each) {
                                                     return each->name.str();
                                                   }),
                                   ", "));
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
    if (!config.hasColumns() || size == 1)
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
  if (!config.getMatrices().empty())
    if (std::string misfit = findMatrixMisfit(target, config, &band);
        !misfit.empty())
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
  // The tiles of a block of rows stand below.
  if (config.getColumns() > 0)
    return "";
  SmallVector<int64_t> tiles;
  for (unsigned m = 0; m < config.getBlocks().size(); ++m)
    tiles.push_back(getExtent(band, m));
  return findBlockMisfit(config, tiles);
}

} // namespace fusec::poly
