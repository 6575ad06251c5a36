// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows of the outer band that share a loop below it, whose columns run on
// lanes.
#include "passes/poly/configs/CpuConfigs.h"
#include "passes/poly/tree/Strides.h"

using namespace mlir;
using fusec::sched::StmtOp;

namespace fusec::poly {

namespace {

class RowProposer : ConfigProposer {
public:
  using ConfigProposer::ConfigProposer;

  void run(ArrayRef<ColumnLoop> columns);

private:
  double getCostOfProducts(ArrayRef<ColumnLoop> columns) const;
  int64_t getBytesOfPart(bool staysWithin) const;
  int64_t getTilesPerBlock(int64_t extent, int64_t rows) const;
};

} // namespace

/// Iterations of the shortest of `columns`.
static int64_t getFewestColumns(ArrayRef<ColumnLoop> columns) {
  int64_t fewest = INT64_MAX;
  for (ColumnLoop loop : columns)
    fewest = std::min(fewest, loop.stmt.getExtents()[loop.iterator]);
  return fewest;
}

/// Tiles of `size` columns for each vector of `lanes` of `columns`, on average.
static double getTilesPerVector(ArrayRef<ColumnLoop> columns, int64_t size,
                                int64_t lanes) {
  double tiles = 0;
  for (ColumnLoop loop : columns) {
    const int64_t extent = loop.stmt.getExtents()[loop.iterator];
    tiles += countTiles(extent, size) / countTiles(extent, lanes);
  }
  return tiles / double(columns.size());
}

/// The most bytes that a row has of one array for one part of it, of arrays
/// that are accessed within the loop over parts alone; or for all parts, of
/// those that are needed behind it, too.
int64_t RowProposer::getBytesOfPart(bool staysWithin) const {
  int64_t most = 0;
  for (BlockArgument array : scop.getArrays()) {
    const int64_t element =
        (cast<MemRefType>(array.getType()).getElementTypeBitWidth() + 7) / 8;
    bool isWithin = true;
    int64_t bytes = 0;
    for (StmtOp stmt : scop.getBody().getOps<StmtOp>())
      for (const Access &access : getAccesses(stmt)) {
        if (access.memref != array)
          continue;
        auto part = group.parts.find(stmt.getSymName().str());
        isWithin &= part != group.parts.end();
        int64_t elements = element;
        for (auto [dim, extent] : llvm::enumerate(stmt.getExtents()))
          if (!band.contains(stmt, dim) && access.map.isFunctionOfDim(dim) &&
              (!staysWithin || part == group.parts.end() ||
               part->second != dim))
            elements *= extent;
        bytes = std::max(bytes, elements);
      }
    if (isWithin == staysWithin)
      most = std::max(most, bytes);
  }
  return most;
}

/// Tiles of `rows` of the loop of `extent` iterations that share the loads of a
/// part: as many as what they leave for behind the parts has room for, in two
/// blocks at least.
int64_t RowProposer::getTilesPerBlock(int64_t extent, int64_t rows) const {
  if (group.parts.empty())
    return 0;
  const int64_t bytes = getBytesOfPart(/*staysWithin=*/false) * rows;
  const int64_t most = target.getRowBlockBytes() / std::max<int64_t>(1, bytes);
  const int64_t tiles = llvm::divideCeil(extent, rows);
  return std::clamp<int64_t>(most, 1, llvm::divideCeil(tiles, 2));
}

/// Operations of the products that make rows or multiply them, with lanes along
/// the best of their loops below the band.
double RowProposer::getCostOfProducts(ArrayRef<ColumnLoop> columns) const {
  double cost = 0;
  for (ColumnLoop loop : columns)
    if (!band.findReuses(loop.stmt, loop.iterator).empty())
      cost += band.getInnerCost(loop.stmt);
  return cost;
}

/// Rows that share the loads of the products with them: as many as stay in the
/// first-level cache, or where tiles of a product make them, in the
/// second-level one. There vectors of a row share its elements, too.
void RowProposer::run(ArrayRef<ColumnLoop> columns) {
  double cost = band.getInnerCost();
  const bool hasTiles = llvm::any_of(
      columns, [](const ColumnLoop &loop) { return loop.makesRows; });
  // The last of the products with rows: what joins parts of these shares no
  // loads.
  ColumnLoop last = columns.back();
  for (ColumnLoop loop : columns)
    if (!band.findReuses(loop.stmt, loop.iterator).empty())
      last = loop;
  int64_t lane = last.stmt.getLaneBytes();
  const double weight = target.costs.getSharedWeight();
  // Of tiles, what they multiply is loaded less often than a point at a time.
  const double products = hasTiles ? getCostOfProducts(columns) : cost;
  const double alone =
      hasTiles ? 1 + weight * (1 + 1 / double(target.tiledFor->countRegisters(
                                           target.getVectorBytes(lane))))
               : 1;
  auto addBlock = [&](ArrayRef<int64_t> tile, ArrayRef<int64_t> blocks,
                      int64_t vectors, double factor) {
    CpuDecision decision = {llvm::to_vector(tile)};
    decision.columns = vectors * target.lanes;
    decision.blocks = blocks;
    addForCpu(group, space, "rows", decision,
              cost - products + products * factor / alone);
  };
  auto getNarrow = [&](int64_t rows) {
    return std::max<int64_t>(1, target.getVectorsInFlight(lane) / rows);
  };
  SmallVector<unsigned> reuses = band.findReuses(last.stmt, last.iterator);
  if (reuses.empty())
    return addBlock(getTile(), {}, getNarrow(1), 1);
  // Of the loops that could give rows, the nearest that has enough of them.
  auto enough = llvm::find_if(reuses, [&](unsigned member) {
    return band.getExtent(member) >= target.getRows(lane);
  });
  unsigned reuse = enough == reuses.end() ? reuses.front() : *enough;
  int64_t extent = band.getExtent(reuse);
  int64_t fits =
      (hasTiles ? target.getRowBlockBytes() : target.getBlockBytes()) /
      std::max<int64_t>(1, group.parts.empty()
                               ? band.getBytesPerRow()
                               : getBytesOfPart(/*staysWithin=*/true));
  auto addBlocks = [&](int64_t mostRows, std::optional<int64_t> vectors) {
    int64_t most = std::clamp<int64_t>(fits, 1, mostRows);
    // Each block loads the matrix again, of tiles from the second-level cache,
    // where a line takes as long as a load.
    const double loads = vectors ? 2 * weight : weight;
    auto getSteps = [&](int64_t rows) {
      return double(extent) + loads * countTiles(extent, rows);
    };
    // Vectors of a tile share each element of a row, in each tile anew.
    const double elements =
        vectors ? weight * getTilesPerVector(columns, *vectors * target.lanes,
                                             target.lanes)
                : 0;
    double least = vectors ? double(extent) : getSteps(most);
    for (int64_t rows : getRowCounts(extent, most)) {
      SmallVector<int64_t> blocks;
      if (int64_t tiles = getTilesPerBlock(extent, rows); tiles > 1) {
        blocks.assign(band.size(), 0);
        blocks[reuse] = tiles;
      }
      addBlock(getTile(reuse, rows), blocks, vectors.value_or(getNarrow(rows)),
               getSteps(rows) / least + elements);
    }
    if (most < mostRows)
      space.refuse("rows_" + Twine(mostRows),
                   "more than " + Twine(most) +
                       " rows do not stay in the cache");
  };
  if (!hasTiles)
    return addBlocks(target.getRows(lane), std::nullopt);
  for (int64_t vectors = 1; target.getRows(lane, vectors) * vectors >=
                                target.getVectorsInFlight(lane) &&
                            vectors * target.lanes <= getFewestColumns(columns);
       ++vectors)
    addBlocks(target.getRows(lane, vectors), vectors);
}

void proposeRows(const ScheduledScop &group, ConfigSpace &space) {
  if (!group.columns.empty())
    RowProposer(group, space).run(group.columns);
}

} // namespace fusec::poly
