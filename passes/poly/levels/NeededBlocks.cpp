// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/levels/NeededBlocks.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/Running.h"

#include <numeric>

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::Difference;
using fusec::sched::StmtOp;

namespace fusec::poly {

/// How many iterations of an iterator are a block, and whether they are those
/// of a tile.
struct Block {
  int64_t size;
  bool isTile;
};

/// The blocks of the iterators of `stmt`: of loops below the band as many
/// iterations as run on lanes together.
static SmallVector<Block>
getBlocks(StmtOp stmt, const isl::schedule_node_band &band, ConfigAttr config) {
  const int64_t lanes = config.getLaneCount(), columns = config.getColumns();
  const int64_t together =
      columns > 0 ? std::lcm(columns, lanes)
                  : lanes * std::max<int64_t>(1, config.getAccumulators());
  SmallVector<Block> blocks(stmt.getNumIterators(), {together, false});
  for (auto [member, size] : llvm::enumerate(config.getTile())) {
    std::map<std::string, unsigned> iterators =
        getMemberIterators(band, unsigned(member));
    if (auto found = iterators.find(stmt.getSymName().str());
        found != iterators.end())
      blocks[found->second] = {size, true};
  }
  return blocks;
}

/// Whether `difference` bounds an iterator below those of the tile from above,
/// or, if none is there, any.
static bool isUpperBound(const Difference &difference, ArrayRef<Block> blocks) {
  return blocks[difference.plus].isTile || !blocks[difference.minus].isTile;
}

/// What is 0 or more at the points of blocks in some of which `difference` is:
/// a bound of one iterator, which changes from block to block of the other one,
/// and where one of the two numbers what is in a block, with that.
static AffineExpr getBound(const Difference &difference, ArrayRef<Block> blocks,
                           MLIRContext *context) {
  AffineExpr plus = getAffineDimExpr(difference.plus, context),
             minus = getAffineDimExpr(difference.minus, context);
  const int64_t ofPlus = blocks[difference.plus].size,
                ofMinus = blocks[difference.minus].size;
  // Of blocks in a tile, the one in which most is needed.
  AffineExpr shift = getAffineConstantExpr(0, context);
  if (difference.block) {
    AffineExpr block = getAffineDimExpr(*difference.block, context);
    if (auto [size, isTile] = blocks[*difference.block]; isTile)
      block =
          block.floorDiv(size) * size + (difference.length > 0 ? size - 1 : 0);
    shift = block * difference.length;
  }
  if (isUpperBound(difference, blocks)) {
    AffineExpr last = plus.floorDiv(ofPlus) * ofPlus + ofPlus - 1 +
                      difference.constant + shift;
    return last.floorDiv(ofMinus) * ofMinus + ofMinus - 1 - minus;
  }
  AffineExpr first =
      minus.floorDiv(ofMinus) * ofMinus - difference.constant - shift;
  return plus - first.floorDiv(ofPlus) * ofPlus;
}

/// What is 0 or more in blocks of `stmt` that are not left out.
static SmallVector<AffineExpr>
getBounds(StmtOp stmt, const isl::schedule_node_band &band, ConfigAttr config) {
  SmallVector<Block> blocks = getBlocks(stmt, band, config);
  SmallVector<AffineExpr> bounds;
  for (AffineExpr expr : stmt.getNeededExprs())
    bounds.push_back(
        getBound(*sched::readDifference(expr), blocks, expr.getContext()));
  return bounds;
}

void leaveOutBlocks(const PolyScop &poly, const isl::schedule &schedule,
                    ConfigAttr config) {
  sched::ScopOp scop = poly.getOp();
  isl::schedule_node outer = getOuterBand(schedule);
  if (getTargetInfo(scop).kind == TargetKind::gpu || outer.is_null() ||
      config.getTile().empty())
    return;
  auto band = outer.as<isl::schedule_node_band>();
  for (const PolyStmt &stmt : poly.getStmts())
    if (SmallVector<AffineExpr> bounds = getBounds(stmt.op, band, config);
        !bounds.empty())
      stmt.op.setRunsAttr(AffineMapAttr::get(AffineMap::get(
          stmt.op.getNumIterators(), 0, bounds, scop.getContext())));
  isl::union_set running = getRunning(poly);
  const bool isAll = poly.getDomain().is_subset(running);
  if (!isAll && !findMissing(poly, running))
    return;
  if (!isAll)
    scop.emitRemark("all instances run: blocks of what is needed are not the "
                    "same in all statements");
  for (const PolyStmt &stmt : poly.getStmts())
    stmt.op.removeRunsAttr();
}

} // namespace fusec::poly
