// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/PrefetchTiles.h"

#include "dialects/AffineRanges.h"
#include "dialects/TargetInfo.h"
#include "passes/kernel/AffineForms.h"
#include "passes/kernel/Tiles.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

namespace {

/// A load of one element for all lanes of a tile, in a reduction whose steps
/// lie so far apart that no processor foresees them.
class TileLoad {
public:
  TileLoad(LoadOp load, Block &tile, ForOp tiles)
      : load(load), tile(tile), tiles(tiles) {}

  bool analyse();
  /// Returns how many prefetches it took.
  unsigned prefetch();

private:
  std::optional<int64_t> getStep(ForOp loop) const;
  bool addInner(ForOp loop, int64_t step);

  LoadOp load;
  Block &tile;
  /// The loop over tiles that stands next around this one.
  ForOp tiles;
  AffineForm place;
  AffineExpr element;
  int64_t lineElements = 1;
  /// The innermost loop with each step in another cache line.
  ForOp reduction;
  /// From the first element that an iteration of it reads in a line to the
  /// last, and where such lines begin.
  int64_t span = 0;
  SmallVector<int64_t> rows = {0};
  /// From a tile to the next one.
  int64_t advance = 0;
};

} // namespace

/// Elements from one iteration of `loop` to the next.
std::optional<int64_t> TileLoad::getStep(ForOp loop) const {
  auto found = llvm::find(place.operands, loop.getIndex());
  if (found == place.operands.end())
    return 0;
  std::optional<int64_t> slope =
      fusec::getSlope(element, found - place.operands.begin());
  if (!slope)
    return std::nullopt;
  return *slope * loop.getStep();
}

/// Adds what the iterations of `loop`, inside of the reduction, read.
bool TileLoad::addInner(ForOp loop, int64_t step) {
  std::optional<int64_t> trips = loop.getConstantTripCount();
  if (loop.getConstantLower() != 0 || !trips || *trips < 1 || step < 0)
    return false;
  if (step < lineElements) {
    span += (*trips - 1) * step;
    return true;
  }
  SmallVector<int64_t> begins = std::exchange(rows, {});
  for (int64_t begin : begins)
    for (int64_t trip = 0; trip < *trips; ++trip)
      rows.push_back(begin + trip * step);
  return true;
}

bool TileLoad::analyse() {
  MemRefType type = load.getMemRefType();
  const TargetInfo &target = getTargetInfo(load);
  const TypeInfo *info = getTypeInfo(type.getElementType());
  int64_t bytes = info ? info->storageBytes() : 0;
  if (load.isVector() || bytes == 0)
    return false;
  lineElements = std::max<int64_t>(1, target.cacheLine / bytes);
  place = AffineForm(load.getMap(), load.getIndices());
  place.compose();
  if (place.exprs.empty())
    return false;
  element = place.linearize(type.getShape());
  std::optional<int64_t> toNext = getStep(tiles);
  if (!toNext || *toNext <= 0)
    return false;
  advance = *toNext;
  for (auto loop = load->getParentOfType<ForOp>();
       loop && tile.findAncestorOpInBlock(*loop);
       loop = loop->getParentOfType<ForOp>()) {
    std::optional<int64_t> step = getStep(loop);
    if (!step)
      return false;
    if (loop.getMapping() == Mapping::sequential &&
        std::abs(*step) >= lineElements) {
      reduction = loop;
      return true;
    }
    if (!addInner(loop, *step))
      return false;
  }
  return false;
}

unsigned TileLoad::prefetch() {
  OpBuilder builder(load->getContext());
  builder.setInsertionPointToStart(&reduction.getBody().front());
  // What is inside of the reduction is at its first iteration, the tile is the
  // next one.
  SmallVector<AffineExpr> dims;
  for (auto [dim, operand] : llvm::enumerate(place.operands)) {
    AffineExpr own = builder.getAffineDimExpr(dim);
    if (operand == tiles.getIndex())
      own = own + tiles.getStep();
    else if (reduction.getBody().isAncestor(operand.getParentRegion()) &&
             operand != reduction.getIndex())
      own = builder.getAffineConstantExpr(0);
    dims.push_back(own);
  }
  AffineForm first = place;
  for (AffineExpr &expr : first.exprs)
    expr = expr.replaceDims(dims);
  // This tile has brought in what both read.
  int64_t lines = llvm::divideCeil(std::min(advance, span + 1), lineElements);
  unsigned count = 0;
  for (int64_t row : rows)
    for (int64_t line = lines; line-- > 0; ++count) {
      AffineForm at = first;
      at.exprs.back() = at.exprs.back() + (row + span - line * lineElements);
      at.compose();
      PrefetchOp::create(builder, load.getLoc(), load.getMemref(),
                         at.getMap(builder.getContext()), at.operands,
                         /*write=*/false);
    }
  return count;
}

unsigned fusec::kernel::prefetchTiles(FuncOp func, Value array) {
  unsigned count = 0;
  for (Block *tile : findTiles(func)) {
    auto tiles = dyn_cast<ForOp>(tile->getParentOp());
    if (!tiles)
      tiles = tile->getParentOp()->getParentOfType<ForOp>();
    if (!tiles)
      continue;
    std::optional<TileLoad> first;
    tile->walk([&](LoadOp load) {
      TileLoad found(load, *tile, tiles);
      if (!first && load.getMemref() == array && found.analyse())
        first.emplace(found);
    });
    if (first)
      count += first->prefetch();
  }
  return count;
}
