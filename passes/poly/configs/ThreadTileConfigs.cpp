// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The configs of a GPU whose blocks share what a contraction reads: each
// element of an operand is loaded once for a block into shared memory, and from
// there once for all points that a thread has in registers.
#include "passes/poly/configs/GpuConfigs.h"
#include "passes/poly/configs/TileSpace.h"
#include "passes/poly/levels/DepthBlocks.h"
#include "passes/poly/levels/SplitLoops.h"
#include "passes/poly/levels/ThreadTiles.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/Strides.h"

#include <limits>

using namespace mlir;
using fusec::sched::Combine;
using fusec::sched::ConfigAttr;

namespace fusec::poly {

namespace {

class ThreadTileProposer : GpuProposer {
public:
  using GpuProposer::GpuProposer;

  void run();

private:
  const MatrixUnit *findMatrixUnit(unsigned rows, unsigned columns,
                                   unsigned term);
};

} // namespace

/// The unit that multiplies what the heaviest statement reads, with members
/// `rows` and `columns` of the band as its rows and columns, and iterator
/// `term` along its terms; or null.
const MatrixUnit *ThreadTileProposer::findMatrixUnit(unsigned rows,
                                                     unsigned columns,
                                                     unsigned term) {
  auto contraction = heaviest.getContraction();
  if (!contraction || contraction->factors.size() != 2)
    return nullptr;
  const Type sum = contraction->after.getType();
  if (scop.getOrdered() && isa<FloatType>(sum))
    return nullptr;
  SmallVector<StringRef> types;
  bool hasRows = false, hasColumns = false, areAlong = true;
  for (Value factor : contraction->factors) {
    auto read = dyn_cast<BlockArgument>(factor);
    if (!read)
      return nullptr;
    const unsigned number = read.getArgNumber();
    Value array = heaviest.getReads()[number];
    const TypeInfo *info =
        getTypeInfo(cast<MemRefType>(array.getType()).getElementType());
    if (!llvm::is_contained(scop.getInputs(), array) || !info)
      return nullptr;
    types.push_back(info->name);
    auto getStrideOf = [&](unsigned iterator) {
      return getStride({array, heaviest.getReadMap(number), false}, iterator);
    };
    const bool isAlong = getStrideOf(term) == 1;
    areAlong &= isAlong;
    hasRows |= isAlong && getStrideOf(*band.getIterator(heaviest, rows)) != 0;
    const unsigned column = *band.getIterator(heaviest, columns);
    hasColumns |=
        getStrideOf(column) == 1 || (isAlong && getStrideOf(column) != 0);
  }
  for (const MatrixUnit *unit : target.multiprocessor->matrixUnits)
    if (llvm::all_of(types,
                     [&](StringRef type) { return unit->takes(type); }) &&
        unit->sums == getTypeInfo(sum)->name && hasRows && hasColumns &&
        (areAlong || unit->bytes > 1))
      return unit;
  return nullptr;
}

void ThreadTileProposer::run() {
  const unsigned along = findLanes();
  auto refuse = [&](const Twine &reason) { space.refuse("tiles", reason); };
  std::optional<unsigned> iterator = band.getIterator(heaviest, along);
  if (!heaviest.isReduction() || !iterator)
    return refuse("its heaviest statement reduces nothing in loops of threads");
  SmallVector<unsigned> rows = band.findReuses(heaviest, *iterator);
  if (rows.empty())
    return refuse("no operand is read by several threads");
  SmallVector<unsigned> columns =
      band.findReuses(heaviest, *band.getIterator(heaviest, rows.front()));
  if (!llvm::is_contained(columns, along))
    return refuse("what neighbouring threads read is shared by none");
  llvm::erase_if(columns, [&](unsigned m) {
    return m == along || llvm::is_contained(rows, m);
  });
  columns.insert(columns.begin(), along);
  isl::schedule_node reduction =
      findReduction(schedule, poly.getStmt(heaviest.getSymName()));
  if (reduction.is_null())
    return refuse("its reduction has no loop");
  auto outermost =
      getMemberIterators(reduction.as<isl::schedule_node_band>(), 0);
  auto reduced = outermost.find(heaviest.getSymName().str());
  if (reduced == outermost.end())
    return refuse("the loop of its reduction is askew");
  SmallVector<Value> arrays(llvm::map_range(
      scop.getArrays(), [](BlockArgument array) { return Value(array); }));
  TileSpace tiles(band, heaviest, target, arrays, reduced->second);
  const SmallVector<int64_t> members = getOrder(along);
  std::string refusal, whole;
  auto loop = findSplitLoop(poly, schedule, whole, /*ofTiles=*/true);
  SmallVector<std::pair<StringRef, Combine>> combines;
  if (loop)
    combines.push_back({"tiles_last_block", Combine::last_block});
  if (loop && explainNotAdded(poly, *loop).empty())
    combines.push_back({"tiles_atomic", Combine::atomic});
  bool isAny = false;
  llvm::DenseSet<Attribute> known;
  // Where it is expected to take less than `least`, with fewer stages.
  auto add = [&](ConfigAttr config, StringRef family,
                 std::optional<double> predicted, double &least,
                 int64_t parts = 1) {
    isAny |= predicted.has_value();
    if (!predicted || *predicted >= least)
      return;
    least = *predicted;
    insert(config, family, along, *predicted, parts);
  };
  // Parts of the reduction for blocks: as many as are expected to take least.
  auto addParts = [&](const TileSpace &tiles, ConfigAttr config,
                      StringRef family, Combine combine, double &least) {
    const Multiprocessor &mp = *target.multiprocessor;
    std::optional<double> best;
    int64_t bestParts = 0, bestSplit = 0, own = 1;
    for (int64_t points : config.getPoints())
      own *= points;
    double access = target.costs.vectorAccess / target.costs.simple;
    int64_t most = tiles.getMostParts(config.getTile(), config.getThreads(),
                                      config.getDepth());
    for (int64_t wanted = 2; wanted <= most; ++wanted) {
      // Of many, those that are twice as many tell more.
      if (wanted > 4)
        wanted = std::min(2 * (wanted - 1), most);
      int64_t split = tiles.getSplit(wanted, config.getDepth());
      auto parts = int64_t(countTiles(getExtent(*loop, 0), split));
      auto predicted =
          tiles.predict(splitAmongBlocks(config, split, combine), refusal);
      if (!predicted || parts < 2)
        break;
      // The last block waits for what the others have stored.
      double more = combine == Combine::atomic
                        ? double(parts * mp.atomicCycles)
                        : getTicketSteps() + double(parts * mp.memoryLatency) +
                              double(parts * own) * access;
      *predicted += (more + double(own) * access) * target.costs.simple;
      if (best && *best <= *predicted)
        break;
      best = predicted;
      bestParts = parts;
      bestSplit = split;
    }
    add(splitAmongBlocks(config, bestSplit, combine), family, best, least,
        bestParts);
  };
  auto addTile = [&](const TileSpace &tiles, const Shares &down,
                     const Shares &across, int64_t depth,
                     const MatrixUnit *unit = nullptr) {
    SmallVector<int64_t> tile = getTile(), points = getTile();
    int64_t threads = 1;
    for (const Shares *shares : {&down, &across})
      for (const Share &share : *shares) {
        tile[share.member] = share.threads * share.points;
        points[share.member] = share.points;
        threads *= share.threads;
      }
    if (threads < target.multiprocessor->warp)
      return;
    MLIRContext *context = scop.getContext();
    threads = llvm::alignTo(threads, target.multiprocessor->warp);
    auto thread = sched::ThreadLevelAttr::get(
        context, points, target.tiledFor->loopOperations,
        unit ? StringRef(unit->name) : StringRef());
    auto withStages = [&](int64_t stages) {
      return ConfigAttr::of(context, "default",
                            {sched::BlockLevelAttr::get(context, threads, tile,
                                                        members, depth, stages),
                             thread});
    };
    // Short loops have one tile, whatever a block may have.
    if (!known.insert(withStages(1)).second)
      return;
    SmallVector<double> least(1 + combines.size(),
                              std::numeric_limits<double>::infinity());
    if (unit && !findMatrixMisfit(target, withStages(1), &band).empty())
      return;
    const int64_t mostStages =
        depth > 0 && (unit || tiles.canCopyAsync()) ? 3 : 1;
    for (int64_t stages = 1; stages <= mostStages; ++stages) {
      ConfigAttr config = withStages(stages);
      add(config, "tiles", tiles.predict(config, refusal), least[0]);
      for (auto [number, way] : llvm::enumerate(combines))
        addParts(tiles, config, way.first, way.second, least[1 + number]);
    }
  };
  for (int64_t pointsDown : {8, 4, 2, 1})
    for (int64_t pointsAcross : {8, 4, 2, 1})
      for (int64_t threadsDown : {16, 8, 4})
        for (int64_t threadsAcross : {32, 16, 8})
          for (const Shares &down :
               tiles.getShares(rows, threadsDown, pointsDown))
            for (const Shares &across :
                 tiles.getShares(columns, threadsAcross, pointsAcross))
              for (int64_t depth : {tiles.getDepth(32), tiles.getDepth(16),
                                    tiles.getDepth(8), int64_t(0)})
                addTile(tiles, down, across, depth);
  const unsigned term =
      findMatrixTerms(heaviest, *band.getIterator(heaviest, rows.front()))
          .value_or(reduced->second);
  TileSpace ofTerms(band, heaviest, target, arrays, term);
  // Blocks share the outermost loop.
  if (term != reduced->second)
    combines.clear();
  if (const MatrixUnit *unit = findMatrixUnit(rows.front(), along, term))
    for (int64_t pointsDown : {16, 8, 4})
      for (int64_t pointsAcross : {8, 4, 2})
        for (int64_t warpsDown : {1, 2, 4})
          for (int64_t warpsAcross : {1, 2, 4})
            for (int64_t depth : {64, 32, 16})
              if (auto whole = ofTerms.getEvenDepth(depth))
                addTile(
                    ofTerms,
                    {{rows.front(), warpsDown * unit->rowThreads, pointsDown}},
                    {{along, warpsAcross * unit->columnThreads, pointsAcross}},
                    *whole, unit);
  if (!isAny)
    refuse("a block would take " +
           (refusal.empty() ? "less than a warp" : refusal));
}

void proposeThreadTiles(const ScheduledScop &group, ConfigSpace &space) {
  if (group.band.size() > 0)
    ThreadTileProposer(group, space).run();
}

} // namespace fusec::poly
