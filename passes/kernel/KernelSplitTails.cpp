// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-split-tails: see passes/kernel/Passes.td.
#include "passes/kernel/IndexRanges.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Tiles.h"

namespace fusec::kernel {
#define GEN_PASS_DEF_KERNELSPLITTAILS
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

using namespace mlir;
using namespace fusec::kernel;

namespace {

/// A loop of a tile that runs `full` times, or less in the last tile.
struct TileLoop {
  ForOp loop;
  int64_t full;
  /// The other results of its bound: the tile is full where all are >= `full`.
  AffineForm rest;
  /// The trip count of the last tile, if the others are full.
  std::optional<int64_t> tail;

  bool isRow() { return loop.getMapping() == Mapping::unroll; }
};

/// The bounds that a copy of the tile's body gets.
enum class RowBounds { full, tail, asIs };

/// Splits one tile: the operations of a block that allocates accumulators.
class TileSplitter {
public:
  TileSplitter(Block &tile, MutableArrayRef<TileLoop> loops)
      : tile(tile), loops(loops) {}

  void run();

private:
  IfOp createFullCheck(OpBuilder &builder, bool rowsOnly);
  void createCopy(Block &target, RowBounds rows, bool fullLanes);

  Block &tile;
  MutableArrayRef<TileLoop> loops;
  SmallVector<Operation *> originals;
};

struct KernelSplitTails
    : fusec::kernel::impl::KernelSplitTailsBase<KernelSplitTails> {
  void runOnOperation() override {
    for (Block *tile : findTiles(getOperation())) {
      SmallVector<TileLoop> loops = collectLoops(*tile);
      if (loops.empty())
        continue;
      TileSplitter(*tile, loops).run();
      ++numSplit;
    }
    getOperation().walk([&](ForOp loop) {
      if (loop.getMapping() == Mapping::unroll &&
          loop.getUpperMap().getNumResults() > 1 &&
          !loop->getParentOfType<IfOp>())
        loop.emitRemark(
            "tail not split: no loop around accumulates into a local array "
            "that the tile could keep in registers");
    });
  }

  static SmallVector<TileLoop> collectLoops(Block &tile);
};

} // namespace

/// Whether `form`, one expression, is positive wherever its operands' loops
/// run.
static bool isPositive(const AffineForm &form) {
  AffineExpr expr = form.exprs.front();
  if (fusec::rangeOf(expr, rangesOf(form.operands)).low.value_or(0) > 0)
    return true;
  // What falls with an index is least in the last iteration, which other
  // indices may decide.
  for (auto [dim, operand] : llvm::enumerate(form.operands)) {
    auto arg = dyn_cast<BlockArgument>(operand);
    auto loop = arg ? dyn_cast<ForOp>(arg.getOwner()->getParentOp()) : ForOp();
    if (!loop || loop.getStep() != 1 ||
        fusec::getSlope(expr, dim).value_or(0) >= 0)
      continue;
    AffineForm last = form;
    SmallVector<AffineExpr> dims;
    for (Value outer : loop.getUpperOperands())
      dims.push_back(last.getDim(outer));
    for (AffineExpr bound : loop.getUpperMap().getResults()) {
      AffineExpr least = simplifyAffineExpr(
          expr.replace(getAffineDimExpr(dim, expr.getContext()),
                       bound.replaceDims(dims) - 1),
          last.operands.size(), 0);
      if (fusec::rangeOf(least, rangesOf(last.operands)).low.value_or(0) > 0)
        return true;
    }
  }
  return false;
}

/// The trip count of a tile that is not full, where that is the same for all:
/// the bound is what is left, in steps of a full tile or more.
static std::optional<int64_t> getTail(const AffineForm &rest, int64_t full) {
  if (rest.exprs.size() != 1 || !isPositive(rest))
    return std::nullopt;
  AffineExpr expr = rest.exprs.front();
  SmallVector<AffineExpr> zeros(rest.operands.size(),
                                getAffineConstantExpr(0, expr.getContext()));
  auto first = dyn_cast<AffineConstantExpr>(expr.replaceDims(zeros));
  if (!first)
    return std::nullopt;
  int64_t step = fusec::rangeOf(simplifyAffineExpr(expr - first.getValue(),
                                                   rest.operands.size(), 0),
                                rangesOf(rest.operands))
                     .divisor;
  int64_t tail = step > 0 ? llvm::mod(first.getValue(), step) : 0;
  if (step < full || tail == 0 || tail >= full)
    return std::nullopt;
  return tail;
}

SmallVector<TileLoop> KernelSplitTails::collectLoops(Block &tile) {
  SmallVector<TileLoop> loops;
  for (Operation &top : tile) {
    top.walk<WalkOrder::PreOrder>([&](ForOp loop) {
      bool inTile = loop.getMapping() == Mapping::unroll ||
                    loop.getMapping() == Mapping::vector;
      if (!inTile || loop.getConstantLower() != 0 || loop.getStep() != 1)
        return;
      AffineForm upper(loop.getUpperMap(), loop.getUpperOperands());
      upper.compose();
      TileLoop result{loop, INT64_MAX, upper, std::nullopt};
      result.rest.exprs.clear();
      for (AffineExpr expr : upper.exprs) {
        if (auto constant = dyn_cast<AffineConstantExpr>(expr))
          result.full = std::min(result.full, constant.getValue());
        else
          result.rest.exprs.push_back(expr);
      }
      bool visible = llvm::none_of(
          upper.operands, [&](Value value) { return isInside(value, tile); });
      if (result.full == INT64_MAX || result.rest.exprs.empty() || !visible)
        return;
      result.tail = getTail(result.rest, result.full);
      loops.push_back(result);
    });
  }
  return loops;
}

/// Creates the branch for tiles whose rows (and lanes) are all there.
IfOp TileSplitter::createFullCheck(OpBuilder &builder, bool rowsOnly) {
  AffineForm condition;
  for (TileLoop &loop : loops) {
    if (rowsOnly && !loop.isRow())
      continue;
    SmallVector<AffineExpr> dims;
    for (Value operand : loop.rest.operands)
      dims.push_back(condition.getDim(operand));
    for (AffineExpr expr : loop.rest.exprs) {
      AffineExpr slack = expr.replaceDims(dims) - loop.full;
      if (!llvm::is_contained(condition.exprs, slack))
        condition.exprs.push_back(slack);
    }
  }
  SmallVector<bool> inequalities(condition.exprs.size(), false);
  auto set = IntegerSet::get(condition.operands.size(), 0, condition.exprs,
                             inequalities);
  return IfOp::create(builder, tile.getParentOp()->getLoc(), set,
                      condition.operands,
                      /*withElse=*/true);
}

/// Copies the tile's operations with the wanted bounds into `target`.
void TileSplitter::createCopy(Block &target, RowBounds rows, bool fullLanes) {
  OpBuilder builder(target.getTerminator());
  IRMapping mapping;
  for (Operation *op : originals)
    builder.clone(*op, mapping);
  for (TileLoop &loop : loops) {
    // The copy's index is what the original's was mapped to.
    auto index =
        cast<BlockArgument>(mapping.lookup<Value>(loop.loop.getIndex()));
    auto copy = cast<ForOp>(index.getOwner()->getParentOp());
    auto setTrips = [&](int64_t trips) {
      copy.setUpper(builder.getConstantAffineMap(trips), {});
    };
    if (!loop.isRow() && fullLanes)
      setTrips(loop.full);
    if (loop.isRow() && rows == RowBounds::full)
      setTrips(loop.full);
    if (loop.isRow() && rows == RowBounds::tail && loop.tail)
      setTrips(*loop.tail);
  }
}

void TileSplitter::run() {
  for (Operation &op : tile.without_terminator())
    originals.push_back(&op);
  bool hasRows = false, hasLanes = false;
  SmallVector<AffineForm> rowConditions;
  for (TileLoop &loop : loops) {
    hasRows |= loop.isRow();
    hasLanes |= !loop.isRow();
    bool known = llvm::any_of(rowConditions, [&](const AffineForm &form) {
      return form.exprs == loop.rest.exprs &&
             form.operands == loop.rest.operands;
    });
    if (loop.isRow() && !known)
      rowConditions.push_back(loop.rest);
  }
  // Of two row dims one may be full where the other is not.
  RowBounds tailRows =
      rowConditions.size() == 1 ? RowBounds::tail : RowBounds::asIs;

  OpBuilder builder = OpBuilder::atBlockBegin(&tile);
  IfOp full = createFullCheck(builder, /*rowsOnly=*/false);
  createCopy(full.getBody().front(), RowBounds::full, /*fullLanes=*/true);
  Block &partial = full.getElseBody().front();
  if (hasRows && hasLanes) {
    builder.setInsertionPoint(partial.getTerminator());
    IfOp fullRows = createFullCheck(builder, /*rowsOnly=*/true);
    createCopy(fullRows.getBody().front(), RowBounds::full,
               /*fullLanes=*/false);
    createCopy(fullRows.getElseBody().front(), tailRows, /*fullLanes=*/false);
  } else {
    createCopy(partial, tailRows, /*fullLanes=*/false);
  }
  for (Operation *op : llvm::reverse(originals))
    op->erase();
}
