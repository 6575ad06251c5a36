// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/CpuConfigs.h"

#include "dialects/AffineRanges.h"
#include "passes/poly/configs/TileDepth.h"
#include "passes/poly/levels/Matrices.h"
#include "passes/poly/levels/Prefetch.h"
#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/Strides.h"

using namespace mlir;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

/// Bytes that `stmt` reads, in all of its reduction and in `counts` of its
/// other iterators, one each where that says nothing: as vectors along the
/// iterator `vector`, or of the operands that do not move with it.
static int64_t getBytes(StmtOp stmt, unsigned vector, bool asVectors,
                        const llvm::DenseMap<unsigned, int64_t> &counts) {
  SmallVector<IndexRange> ranges;
  for (auto [dim, extent] : llvm::enumerate(stmt.getExtents())) {
    bool moves = llvm::is_contained(stmt.getReduced(), int64_t(dim));
    auto found = counts.find(dim);
    int64_t count = found != counts.end() ? found->second : moves ? extent : 1;
    ranges.push_back({0, std::max<int64_t>(1, count) - 1});
  }
  int64_t result = 0;
  for (const Access &access : getAccesses(stmt)) {
    if (access.write ||
        (getStride(access, vector).value_or(1) != 0) != asVectors ||
        llvm::is_contained(stmt->getParentOfType<ScopOp>().getArrays(),
                           access.memref))
      continue;
    int64_t bytes = llvm::divideCeil(
        cast<MemRefType>(access.memref.getType()).getElementTypeBitWidth(), 8);
    for (AffineExpr expr : access.map.getResults()) {
      IndexRange range = rangeOf(expr, ranges);
      if (range.low && range.high)
        bytes *= *range.high - *range.low + 1;
    }
    result += bytes;
  }
  return result;
}

namespace {
/// Operations beside its multiply-adds that a contraction takes to convert f16
/// and bf16: for each vector that it loads along lanes, and for each scalar.
struct Conversions {
  double ofVector = 0, ofScalar = 0;
};
} // namespace

static Conversions countConversions(StmtOp stmt, unsigned vector) {
  Conversions conversions;
  for (const Access &access : getAccesses(stmt)) {
    Type element = cast<MemRefType>(access.memref.getType()).getElementType();
    if (access.write || !(element.isF16() || element.isBF16()))
      continue;
    if (getStride(access, vector).value_or(1) != 0)
      conversions.ofVector += 2;
    else
      conversions.ofScalar += 3;
  }
  return conversions;
}

/// Whether `stmt` loads vectors along `vector` from where an index says that
/// `row` changes: then rows share no loads.
static bool picksVectors(StmtOp stmt, unsigned vector, unsigned row) {
  return llvm::any_of(getAccesses(stmt), [&](const Access &access) {
    return access.isPickedAlong(row) && getStride(access, vector) != 0;
  });
}

/// Whether lanes along loop `member` of the band store their elements apart.
static bool storesApart(ScopOp scop, const OuterBand &band, unsigned member) {
  for (StmtOp stmt : scop.getBody().getOps<StmtOp>()) {
    std::optional<unsigned> iterator = band.getIterator(stmt, member);
    for (const Access &access : getAccesses(stmt))
      if (iterator && access.write && !isLocal(scop, access.memref) &&
          getStride(access, *iterator) != 1)
        return true;
  }
  return false;
}

namespace {

/// Of a contraction, with lanes along a member of the band.
class RegisterTiles : ConfigProposer {
public:
  RegisterTiles(const ScheduledScop &group, ConfigSpace &space, unsigned member)
      : ConfigProposer(group, space), member(member),
        vector(*band.getIterator(heaviest, member)) {}

  void run(ArrayRef<unsigned> reuses, double cost);

private:
  void addMatrices(const Unit &unit, int64_t vectors, int64_t rows,
                   ArrayRef<unsigned> order, double single, double cost);
  double getLineLoad(int64_t bytes) const;
  SmallVector<int64_t> getBlocks(ArrayRef<int64_t> tile,
                                 ArrayRef<unsigned> order) const;

  unsigned member;
  /// The iterator of the heaviest statement that it runs over.
  unsigned vector;
};

} // namespace

/// Blocks of tiles whose rows stay in the second-level cache for all of the
/// lanes' loop `member`: empty where all rows do, or no panel does. Of the
/// loops over tiles that stand in that one in `order`, the outermost is cut
/// first, into even parts, enough of them for threads.
SmallVector<int64_t> RegisterTiles::getBlocks(ArrayRef<int64_t> tile,
                                              ArrayRef<unsigned> order) const {
  ArrayRef<unsigned> inside =
      order.drop_until([&](unsigned m) { return m == member; }).drop_front();
  StmtOp stmt = heaviest;
  SmallVector<int64_t> blocks(band.size(), 0);
  auto getRowBytes = [&] {
    llvm::DenseMap<unsigned, int64_t> counts;
    for (unsigned m : inside)
      if (std::optional<unsigned> iterator = band.getIterator(stmt, m))
        counts[*iterator] =
            blocks[m] > 0 ? blocks[m] * tile[m] : band.getExtent(m);
    return getBytes(stmt, vector, /*asVectors=*/false, counts);
  };
  int64_t most = target.getPanelBytes(), bytes = getRowBytes(), tasks = 1;
  if (bytes <= most || getBytes(stmt, vector, /*asVectors=*/true,
                                {{vector, tile[member]}}) > most)
    return {};
  auto getTiles = [&](unsigned m) {
    return int64_t(countTiles(band.getExtent(m), tile[m]));
  };
  for (unsigned m : order.drop_back(inside.size()))
    tasks *= getTiles(m);
  for (unsigned m : inside) {
    int64_t tiles = getTiles(m);
    if (tiles == 1)
      continue;
    for (int64_t parts = llvm::divideCeil(bytes, most); bytes > most; ++parts) {
      int64_t enough = llvm::divideCeil(target.getEnoughIterations(), tasks);
      parts = std::min(std::max(parts, enough), tiles);
      blocks[m] = llvm::divideCeil(tiles, parts);
      bytes = getRowBytes();
      if (parts == tiles)
        break;
    }
    tasks *= llvm::divideCeil(tiles, blocks[m]);
    if (bytes <= most)
      break;
  }
  if (llvm::all_of(blocks, [](int64_t count) { return count == 0; }))
    blocks.clear();
  return blocks;
}

/// What it costs to load a line more than from the first-level cache, in
/// operations, where `bytes` are read again and again.
double RegisterTiles::getLineLoad(int64_t bytes) const {
  if (bytes <= target.getBlockBytes())
    return 0;
  return (bytes <= target.getPanelBytes() ? target.costs.secondCacheLoad
                                          : target.costs.farLoad) /
         target.costs.simple;
}

/// Rows times columns of sums in matrix registers, which take all terms at
/// once. The loop over rows is the last one in `order`; `single` is the cost of
/// all of them one at a time, against which the steps are counted.
///
/// Products are so fast that loads of both factors take as long. With the loop
/// over rows inside, columns may stay in the first-level cache and rows are
/// loaded for each of them; with that over columns inside, it is the other way
/// round. Columns follow each other in memory; rows lie apart, so that nothing
/// fetches their lines ahead.
void RegisterTiles::addMatrices(const Unit &unit, int64_t vectors, int64_t rows,
                                ArrayRef<unsigned> order, double single,
                                double cost) {
  const unsigned reuse = order.back();
  const InstructionSet &isa = *target.tiledFor;
  const int64_t size = vectors * target.lanes, extent = band.getExtent(reuse);
  const double registers = double(
      isa.countRegisters(target.getVectorBytes(heaviest.getLaneBytes())));
  SmallVector<int64_t> tile = getTile(member, size);
  tile[reuse] = rows;
  // What a line of the rows, and of the columns, costs where so many iterations
  // of the loops read them again and again.
  using Counts = llvm::DenseMap<unsigned, int64_t>;
  auto getRowLoad = [&](const Counts &counts) {
    return 2 *
           getLineLoad(getBytes(heaviest, vector, /*asVectors=*/false, counts));
  };
  auto getColumnLoad = [&](const Counts &counts) {
    return getLineLoad(getBytes(heaviest, vector, /*asVectors=*/true, counts));
  };
  Counts all, ofTile = {{vector, size}};
  ofTile[*band.getIterator(heaviest, reuse)] = rows;
  for (unsigned m : order.drop_until([&](unsigned m) { return m == member; }))
    if (std::optional<unsigned> iterator = band.getIterator(heaviest, m))
      all[*iterator] = band.getExtent(m);
  // A step multiplies a vector and `unit.rows` rows in a cycle; a line of a row
  // has what as many steps take as a vector has lanes.
  const double cycle = double(unit.rows) / unit.speed;
  auto getTotal = [&](double rowLoad, double columnLoad) {
    const double shared = target.costs.getSharedWeight();
    auto getStep = [&](int64_t count) {
      const double blocks = double(llvm::divideCeil(count, unit.rows));
      const double lines = blocks * double(unit.rows) / double(target.lanes);
      return cycle * (blocks * double(vectors) * registers +
                      (lines * (shared + rowLoad) +
                       double(vectors) * (shared + columnLoad)) /
                          double(isa.fmasPerCycle));
    };
    double steps = double(extent / rows) * getStep(rows);
    if (extent % rows != 0)
      steps += getStep(extent % rows);
    const double own = getVectorCost(scop, heaviest, vector);
    return cost - own +
           own * countTiles(band.getExtent(member), size) * steps / single;
  };
  CpuDecision decision = {tile, member};
  const bool isSorted = llvm::is_sorted(order);
  if (!isSorted) {
    addForCpu(group, space, "tiles", decision,
              getTotal(getRowLoad(ofTile), getColumnLoad(all)));
    decision.order = order;
  }
  addForCpu(group, space, "tiles", decision,
            getTotal(getRowLoad(all), getColumnLoad(ofTile)));
  SmallVector<int64_t> blocks = getBlocks(tile, order);
  if (blocks.empty())
    return;
  // Each block of rows loads the columns once.
  double again = getColumnLoad(all) / countTiles(extent, rows);
  for (auto [m, count] : llvm::enumerate(blocks))
    if (count > 0) {
      again *= countTiles(band.getExtent(m), tile[m] * count);
      all[*band.getIterator(heaviest, m)] = tile[m] * count;
    }
  decision.blocks = blocks;
  addForCpu(group, space, "tiles", decision,
            getTotal(getRowLoad(all), getColumnLoad(ofTile) + again));
}

/// Rows times columns of accumulators: each element of one operand is loaded
/// once for all columns, each of the other once for all rows. The rows are
/// those of the loops `reuses`: of the first, or of all of it and some of the
/// second.
void RegisterTiles::run(ArrayRef<unsigned> reuses, double cost) {
  unsigned reuse = reuses.front();
  int64_t extent = band.getExtent(member), inner = band.getExtent(reuse);
  int64_t outer = reuses.size() > 1 ? band.getExtent(reuses[1]) : 1;
  double own = getVectorCost(scop, heaviest, vector);
  const InstructionSet &isa = *target.tiledFor;
  // What a load that is shared costs against an operation on what it loads.
  const double loadWeight = target.costs.getSharedWeight();
  int64_t lane = heaviest.getLaneBytes();
  int64_t vectorBytes = target.getVectorBytes(lane);
  double registers = double(isa.countRegisters(vectorBytes));
  double inFlight = double(isa.countInFlight(isa.vectorBytes));
  double panelWeight = target.costs.secondCacheLoad / target.costs.simple;
  // What the lanes cost is counted for full vectors, but where one is all.
  double vectorsOf =
      extent <= target.lanes ? 1 : double(extent) / double(target.lanes);
  double single = vectorsOf * double(inner * outer) *
                  (registers + loadWeight * (1 + registers));
  TileDepth depths(poly, schedule, band, heaviest, vector);
  const Conversions conversions = countConversions(heaviest, vector);
  // Which vectors a row picks is loaded as a scalar, too.
  const bool picks =
      picksVectors(heaviest, vector, *band.getIterator(heaviest, reuse));
  const double scalars = picks ? 2 : 1;
  // Where nothing else is shared, rows share the lines that lanes store to.
  double storeLoad = 0;
  if (picks && storesApart(scop, band, member)) {
    storeLoad =
        double(target.lanes) * target.costs.farLoad / target.costs.simple;
    for (int64_t dim : heaviest.getReduced())
      storeLoad /= double(std::max<int64_t>(1, heaviest.getExtents()[dim]));
  }
  SmallVector<unsigned> inside;
  for (unsigned m = 0; m < band.size(); ++m)
    if (m != reuse)
      inside.push_back(m);
  inside.push_back(reuse);
  auto addTile = [&](int64_t vectors, int64_t rows, int64_t times) {
    int64_t size = vectors * target.lanes;
    double wide = registers * double(vectors);
    int64_t copies = countCopies(
        heaviest, isa.countCopies(rows * times, vectors * vectorBytes));
    SmallVector<int64_t> tile = getTile(member, size);
    tile[reuse] = rows;
    if (times > 1)
      tile[reuses[1]] = times;
    // One step of the reduction of one tile: multiply-adds, as long as one
    // takes at least, and loads.
    auto getTotal = [&](double panelLoad, double extra) {
      auto getStep = [&](int64_t count) {
        const double vectorLoads = picks ? wide * double(count) : wide;
        // Of a row that is picked the first line comes late, and is what
        // nothing foresees; the next ones follow it.
        const double panelLoads =
            picks ? double(count) + vectorLoads / 4 : vectorLoads;
        const double products =
            std::max(wide * double(count), inFlight) +
            loadWeight * (scalars * double(count) + vectorLoads) +
            conversions.ofScalar * double(count) +
            conversions.ofVector * vectorLoads;
        return count == 0 ? 0
                          : products + panelLoad * panelLoads +
                                storeLoad * wide + extra;
      };
      auto getSteps = [&](int64_t of, int64_t at, int64_t beside) {
        return double(of / at) * getStep(at * beside) +
               getStep(of % at * beside);
      };
      double steps = times == 1 ? double(outer) * getSteps(inner, rows, 1)
                                : getSteps(outer, times, inner);
      return cost - own + own * countTiles(extent, size) * steps / single;
    };
    double total =
        getTotal(depths.getPanelLoad(tile, 0), depths.getRowLoad(tile, 0));
    // With and without what the next tile reads fetched ahead: each line that
    // comes late is waited for.
    auto addOrdered = [&](double cost, ArrayRef<unsigned> order,
                          ArrayRef<int64_t> blocks, int64_t depth = 0) {
      SmallVector<int64_t> prefetch =
          findTilePrefetches(band, heaviest, tile, order, vector);
      CpuDecision decision = {tile, member, order};
      decision.unroll = copies;
      decision.blocks = blocks;
      decision.depth = depth;
      if (!prefetch.empty()) {
        decision.prefetch = prefetch;
        addForCpu(group, space, "tiles", decision, cost);
        decision.prefetch = {};
      }
      addForCpu(group, space, "tiles", decision,
                cost + countLines(scop, prefetch) * countTiles(extent, size) *
                           panelWeight);
    };
    // The reusing loop innermost: the panel that its tiles share (all of the
    // reduction, one tile wide) stays in the second-level cache. Otherwise the
    // rows do, and the panels are read again for each of their tiles.
    double again =
        own * loadWeight * depths.getPanelWeight() / double(rows * times);
    ArrayRef<unsigned> order;
    if (!llvm::is_sorted(inside))
      order = inside;
    // The rows are read again for each panel: from farther away where they are
    // more than that cache holds. Then blocks of them stay there.
    double far = 0;
    if (SmallVector<int64_t> blocks = getBlocks(tile, inside);
        !blocks.empty()) {
      far = own * loadWeight / double(size);
      double panels = 1;
      for (auto [m, count] : llvm::enumerate(blocks))
        if (count > 0)
          panels *= countTiles(band.getExtent(m), tile[m] * count);
      addOrdered(total + own * loadWeight * panels * depths.getPanelWeight() /
                             double(inner * outer),
                 order, blocks);
    }
    addOrdered(total + far, order, {});
    if (std::optional<BlockedTiles> blocked =
            depths.find(tile, member, inside, rows * times, wide))
      addOrdered(getTotal(blocked->panelLoad, blocked->extra), order,
                 blocked->blocks, blocked->depth);
    if (!order.empty())
      addOrdered(total + again, {}, {});
  };
  for (const Unit *unit : isa.units)
    if (unit->hasTiles() && inner >= unit->rows &&
        mayTake(heaviest, *unit, vector))
      for (int64_t vectors : {2, 1})
        for (int64_t rows : {2 * unit->rows, unit->rows})
          if (llvm::divideCeil(extent, target.lanes) % vectors == 0 &&
              (rows == unit->rows || inner > unit->rows))
            addMatrices(*unit, vectors, std::min(rows, inner), inside,
                        single / double(outer), cost);
  for (int64_t vectors = 1;
       vectors == 1 ||
       (isa.holds(vectors * vectorBytes) &&
        vectors <= int64_t(llvm::divideCeil(extent, target.lanes)));
       ++vectors) {
    int64_t most = target.getRows(lane, vectors);
    for (int64_t rows : getRowCounts(inner, most))
      addTile(vectors, rows, 1);
    for (int64_t times = std::min(most / std::max<int64_t>(1, inner), outer);
         times > 1; --times)
      addTile(vectors, inner, times);
  }
}

void proposeRegisterTiles(const ScheduledScop &group, unsigned member,
                          ArrayRef<unsigned> reuses, double cost,
                          ConfigSpace &space) {
  RegisterTiles(group, space, member).run(reuses, cost);
}

} // namespace fusec::poly
