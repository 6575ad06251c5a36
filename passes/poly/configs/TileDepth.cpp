// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/TileDepth.h"

#include "passes/poly/configs/WorkingSet.h"
#include "passes/poly/levels/DepthBlocks.h"
#include "passes/poly/tree/Bands.h"

using namespace mlir;
using fusec::sched::StmtOp;

namespace fusec::poly {

TileDepth::TileDepth(const PolyScop &poly, const isl::schedule &schedule,
                     const OuterBand &band, StmtOp stmt, unsigned vector)
    : band(band), stmt(stmt), vector(vector),
      target(getTargetInfo(poly.getOp())),
      arrays(poly.getOp().getArrays().begin(), poly.getOp().getArrays().end()) {
  isl::schedule_node loop =
      findReduction(schedule, poly.getStmt(stmt.getSymName()));
  if (loop.is_null() || stmt.getReduced().empty())
    return;
  reduced = getMemberIterators(loop.as<isl::schedule_node_band>(), 0)
                .at(stmt.getSymName().str());
  canBlock =
      getOuterBand(schedule).child(0).isa<isl::schedule_node_sequence>() &&
      llvm::is_contained(arrays, stmt.getWrites().front());
}

SmallVector<int64_t> TileDepth::getCounts(ArrayRef<int64_t> tile,
                                          int64_t depth) const {
  SmallVector<int64_t> counts(stmt.getExtents());
  for (unsigned m = 0; m < band.size(); ++m)
    if (std::optional<unsigned> iterator = band.getIterator(stmt, m))
      counts[*iterator] = std::min(counts[*iterator], tile[m]);
  if (reduced && depth > 0)
    counts[*reduced] = std::min(counts[*reduced], depth);
  return counts;
}

SmallVector<Access> TileDepth::getOperands(bool asVectors) const {
  SmallVector<Access> result;
  for (const Access &access : getAccesses(stmt))
    if (!access.write && !llvm::is_contained(arrays, access.memref) &&
        (getStride(access, vector).value_or(1) != 0) == asVectors)
      result.push_back(access);
  return result;
}

bool TileDepth::isPacked(const Access &access) const {
  auto scop = stmt->getParentOfType<sched::ScopOp>();
  auto argument = dyn_cast<BlockArgument>(access.memref);
  auto type = cast<MemRefType>(access.memref.getType());
  // Rows of one vector are as good as panels, and stay.
  return argument && getStride(access, vector) == 1 && type.getRank() > 1 &&
         type.getShape().back() > target.lanes &&
         llvm::is_contained(scop.getWeights().value_or(ArrayRef<int64_t>()),
                            int64_t(argument.getArgNumber()));
}

bool TileDepth::isForeseen(const Access &access) const {
  if (isPacked(access))
    return true;
  int64_t expected = 0;
  for (int64_t dim : llvm::reverse(stmt.getReduced())) {
    int64_t step = WorkingSet::getStep(access, unsigned(dim));
    if (step == 0)
      continue;
    if (expected == 0 ? step > target.foreseenStride : step != expected)
      return false;
    expected = step * stmt.getExtents()[dim];
  }
  return true;
}

/// Whether what tiles of `counts` use stays in the second-level cache, with
/// room for the other operand.
static bool isNear(const Access &access, ArrayRef<int64_t> counts,
                   const TargetInfo &target) {
  WorkingSet set(access, counts, target.getSecondCache());
  return set.ways <= target.secondWays / 2;
}

/// Bytes of what tiles of `counts` use of a weight that lies in panels.
static int64_t getPackedBytes(const Access &access, ArrayRef<int64_t> counts) {
  int64_t bytes = llvm::divideCeil(
      cast<MemRefType>(access.memref.getType()).getElementTypeBitWidth(), 8);
  for (auto [dim, count] : llvm::enumerate(counts))
    if (WorkingSet::getStep(access, dim) != 0)
      bytes = llvm::SaturatingMultiply<uint64_t>(bytes,
                                                 std::max<int64_t>(1, count));
  return bytes;
}

/// Bytes of what tiles of `counts` may read of an array of which indices pick
/// rows: of all its rows, the elements in the tiles' columns.
static int64_t getPickedBytes(const Access &access, ArrayRef<int64_t> counts) {
  auto type = cast<MemRefType>(access.memref.getType());
  int64_t bytes = getPackedBytes(access, counts);
  for (auto [expr, extent] :
       llvm::zip(access.map.getResults(), type.getShape()))
    if (expr.getKind() == AffineExprKind::SymbolId)
      bytes = llvm::SaturatingMultiply<uint64_t>(bytes, extent);
  return bytes;
}

double TileDepth::getPanelLoad(ArrayRef<int64_t> tile, int64_t depth) const {
  double load = 0;
  SmallVector<int64_t> counts = getCounts(tile, depth);
  for (const Access &access : getOperands(/*asVectors=*/true)) {
    if (access.map.getNumSymbols() > 0) {
      // What is picked is in no order: the more there is of it, the less of it
      // the first-level cache has.
      double share = double(getPickedBytes(access, counts)) /
                     double(target.getPanelBytes());
      load =
          std::max(load, std::min(1.0, share) * target.costs.secondCacheLoad);
      continue;
    }
    WorkingSet first(access, counts, target.getFirstCache());
    bool isFirst =
        isPacked(access)
            ? getPackedBytes(access, counts) <= target.getBlockBytes()
            : first.bytes <= target.getBlockBytes() &&
                  (depth == 0 || first.ways <= target.firstWays);
    bool isFar = !isForeseen(access) && !isNear(access, counts, target);
    load = std::max(load, isFar     ? target.costs.farLoad
                          : isFirst ? 0
                                    : target.costs.secondCacheLoad);
  }
  return load / target.costs.simple;
}

double TileDepth::getRowLoad(ArrayRef<int64_t> tile, int64_t depth) const {
  auto getLines = [&](const Access &access, ArrayRef<int64_t> counts) {
    double steps = 1;
    for (int64_t dim : stmt.getReduced())
      steps *= double(std::max<int64_t>(1, counts[dim]));
    WorkingSet set(access, counts, target.getSecondCache());
    return double(set.bytes / target.cacheLine) / steps;
  };
  SmallVector<int64_t> counts = getCounts(tile, depth);
  double lines = 0;
  for (const Access &access : getOperands(/*asVectors=*/false)) {
    double here = getLines(access, counts);
    // Of a line in which a block ends, the rest is loaded again.
    lines += !isForeseen(access) && !isNear(access, counts, target)
                 ? here
                 : here - std::min(here, getLines(access, getCounts(tile, 0)));
  }
  return (std::min(1.0, lines) * target.costs.farLoad +
          countEvicted(tile) * target.costs.secondCacheLoad) /
         target.costs.simple;
}

double TileDepth::countEvicted(ArrayRef<int64_t> tile) const {
  SmallVector<int64_t> counts = getCounts(tile, 0);
  for (int64_t dim : stmt.getReduced())
    counts[dim] = 1;
  int64_t lines = 0;
  for (const Access &access : getOperands(/*asVectors=*/false)) {
    WorkingSet set(access, counts, target.getFirstCache());
    bool isShared = llvm::any_of(stmt.getReduced(), [&](int64_t dim) {
      int64_t step = WorkingSet::getStep(access, unsigned(dim));
      return step > 0 && step < target.cacheLine;
    });
    if (isShared && set.ways > target.firstWays)
      lines += set.bytes / target.cacheLine;
  }
  return double(lines);
}

double TileDepth::getPanelWeight() const {
  // Weights that stay in a cache are read from memory once.
  auto isInMemory = [&](const Access &access) {
    auto type = cast<MemRefType>(access.memref.getType());
    int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
    return isPacked(access) && bits / 8 > target.getPanelBytes();
  };
  return llvm::any_of(getOperands(/*asVectors=*/true), isInMemory)
             ? target.costs.memoryLoad / target.costs.farLoad
             : 1;
}

std::optional<BlockedTiles> TileDepth::find(ArrayRef<int64_t> tile,
                                            unsigned member,
                                            ArrayRef<unsigned> order,
                                            int64_t rows, double wide) const {
  double far = target.costs.farLoad / target.costs.simple;
  double rowLoad = getRowLoad(tile, 0);
  if (!canBlock || (getPanelLoad(tile, 0) < far && rowLoad == 0))
    return std::nullopt;
  BlockedTiles best;
  if (!findBlocks(tile, member, order, best))
    return std::nullopt;
  double inner = 1;
  for (int64_t dim : stmt.getReduced())
    if (unsigned(dim) != *reduced)
      inner *= double(stmt.getExtents()[dim]);
  double least = getPanelLoad(tile, 0) * wide + rowLoad;
  for (int64_t depth = 4; depth < stmt.getExtents()[*reduced]; depth *= 2) {
    double load = getPanelLoad(tile, depth);
    // The block comes from afar once, accumulators come and go.
    double extra = far * wide / double(best.tiles) +
                   target.costs.getSharedWeight() * 2 * double(rows) * wide /
                       (double(depth) * inner) +
                   getRowLoad(tile, depth);
    if (load * wide + extra >= least)
      continue;
    least = load * wide + extra;
    best.depth = depth;
    best.panelLoad = load;
    best.extra = extra;
  }
  if (best.depth == 0)
    return std::nullopt;
  return best;
}

/// All tiles of the loops that stand in the one over panels, as far as their
/// accumulators are a local array and threads have enough to do.
bool TileDepth::findBlocks(ArrayRef<int64_t> tile, unsigned member,
                           ArrayRef<unsigned> order,
                           BlockedTiles &result) const {
  ArrayRef<unsigned> inside =
      order.drop_until([&](unsigned m) { return m == member; }).drop_front();
  auto getTiles = [&](unsigned m) {
    return int64_t(countTiles(band.getExtent(m), tile[m]));
  };
  int64_t bytes =
      llvm::divideCeil(cast<MemRefType>(stmt.getWrites().front().getType())
                           .getElementTypeBitWidth(),
                       8);
  int64_t tasks = 1;
  for (unsigned m : order)
    bytes *= tile[m];
  for (unsigned m : order.drop_back(inside.size()))
    tasks *= getTiles(m);
  result.blocks.assign(band.size(), 0);
  result.tiles = 1;
  // The outermost one is cut first, into even parts.
  auto isSmall = [&] {
    int64_t parts = tasks;
    for (unsigned m : inside)
      parts *= llvm::divideCeil(getTiles(m), result.blocks[m]);
    return bytes * result.tiles <= target.stackBytes &&
           parts >= target.getEnoughIterations();
  };
  for (unsigned m : inside)
    result.blocks[m] = getTiles(m);
  auto count = [&] {
    result.tiles = 1;
    for (unsigned m : inside)
      result.tiles *= result.blocks[m];
  };
  count();
  for (unsigned m : inside) {
    int64_t tiles = getTiles(m), beside = result.tiles / result.blocks[m];
    int64_t most = std::max<int64_t>(1, target.stackBytes / (bytes * beside));
    for (int64_t parts = std::max<int64_t>(2, llvm::divideCeil(tiles, most));
         parts <= tiles && !isSmall(); ++parts) {
      result.blocks[m] = llvm::divideCeil(tiles, parts);
      count();
    }
  }
  return result.tiles > 1 && bytes * result.tiles <= target.stackBytes;
}

} // namespace fusec::poly
