// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-split-borders: see passes/kernel/Passes.td.
#include "passes/kernel/IndexRanges.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Tiles.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace fusec::kernel {
#define GEN_PASS_DEF_KERNELSPLITBORDERS
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

namespace {

/// Finds where in the loops around a tile its tests hold at all of its points.
class Interior {
public:
  explicit Interior(Block &tile) : tile(tile) {}

  /// Takes a test into account; false if it holds in no tile where those before
  /// do, or if that is not a matter of the loops around.
  bool add(InBoundsOp test);

  bool isEverywhere() const { return condition.exprs.empty(); }
  /// Creates a branch to where all tests hold.
  IfOp createBranch(OpBuilder &builder) const;

private:
  std::optional<AffineExpr> getLeast(AffineExpr expr, ValueRange operands);
  static IntegerSet getSet(const AffineForm &condition);
  static bool isNowhere(const AffineForm &condition);

  Block &tile;
  AffineForm condition;
};

struct KernelSplitBorders
    : fusec::kernel::impl::KernelSplitBordersBase<KernelSplitBorders> {
  void runOnOperation() override {
    for (Block *tile : findTiles(getOperation()))
      split(*tile);
  }

  void split(Block &tile);
};

} // namespace

/// What is left of `expr`, linear in the indices of the loops in the tile,
/// where these make it least.
std::optional<AffineExpr> Interior::getLeast(AffineExpr expr,
                                             ValueRange operands) {
  for (auto [position, operand] : llvm::enumerate(operands)) {
    if (!isInside(operand, tile))
      continue;
    std::optional<int64_t> slope = getSlope(expr, position);
    IndexRange range = rangeOf(operand);
    if (!slope || !range.low || !range.high)
      return std::nullopt;
    int64_t least = *slope >= 0 ? *range.low : *range.high;
    MLIRContext *context = expr.getContext();
    expr =
        simplifyAffineExpr(expr.replace(getAffineDimExpr(position, context),
                                        getAffineConstantExpr(least, context)),
                           operands.size(), 0);
  }
  return expr;
}

bool Interior::add(InBoundsOp test) {
  IntegerSet set = test.getCondition();
  if (llvm::is_contained(set.getEqFlags(), true))
    return false;
  AffineForm form = formOf(set, test.getOperands());
  form.compose();
  AffineForm added = condition;
  for (AffineExpr expr : form.exprs) {
    std::optional<AffineExpr> least = getLeast(expr, form.operands);
    if (!least)
      return false;
    IndexRange range = rangeOf(*least, rangesOf(form.operands));
    if (range.low && *range.low >= 0)
      continue;
    if (range.high && *range.high < 0)
      return false;
    SmallVector<AffineExpr> dims;
    for (auto [position, operand] : llvm::enumerate(form.operands))
      dims.push_back(least->isFunctionOfDim(position)
                         ? added.getDim(operand)
                         : getAffineConstantExpr(0, expr.getContext()));
    AffineExpr outside = least->replaceDims(dims);
    if (!llvm::is_contained(added.exprs, outside))
      added.exprs.push_back(outside);
  }
  if (isNowhere(added))
    return false;
  condition = std::move(added);
  return true;
}

IntegerSet Interior::getSet(const AffineForm &condition) {
  SmallVector<bool> inequalities(condition.exprs.size(), false);
  return IntegerSet::get(condition.operands.size(), 0, condition.exprs,
                         inequalities);
}

/// Whether a condition holds in no iteration of the loops around.
bool Interior::isNowhere(const AffineForm &condition) {
  if (condition.exprs.empty())
    return false;
  FlatLinearValueConstraints points(getSet(condition));
  for (auto [position, range] : llvm::enumerate(rangesOf(condition.operands))) {
    if (range.low)
      points.addBound(presburger::BoundType::LB, position, *range.low);
    if (range.high)
      points.addBound(presburger::BoundType::UB, position, *range.high);
  }
  return points.isIntegerEmpty();
}

IfOp Interior::createBranch(OpBuilder &builder) const {
  return IfOp::create(builder,
                      builder.getInsertionBlock()->getParentOp()->getLoc(),
                      getSet(condition), condition.operands,
                      /*withElse=*/true);
}

/// Replaces a test that holds.
static void drop(InBoundsOp test) {
  for (Operation *user : llvm::make_early_inc_range(test->getUsers()))
    if (auto load = dyn_cast<LoadOp>(user)) {
      load.getMaskMutable().clear();
      load.removeFillAttr();
    }
  if (!test->use_empty()) {
    OpBuilder builder(test);
    test.getResult().replaceAllUsesWith(arith::ConstantOp::create(
        builder, test.getLoc(), builder.getBoolAttr(true)));
  }
  test.erase();
}

void KernelSplitBorders::split(Block &tile) {
  // Tails are few: one copy of them is enough.
  if (auto branch = dyn_cast<IfOp>(tile.getParentOp());
      branch && tile.getParent() == &branch.getElseBody())
    return;
  Interior interior(tile);
  SmallVector<InBoundsOp> tests, others;
  for (Operation &op : tile)
    op.walk([&](InBoundsOp test) {
      (interior.add(test) ? tests : others).push_back(test);
    });
  if (tests.empty()) {
    if (!others.empty())
      others.front().emitRemark(
          "tile not split: whatever the loops around it do, this test fails at "
          "some of its points, or depends on more than loops");
    return;
  }
  ++numSplit;
  if (interior.isEverywhere()) {
    llvm::for_each(tests, drop);
    return;
  }
  SmallVector<Operation *> originals;
  for (Operation &op : tile.without_terminator())
    originals.push_back(&op);
  OpBuilder builder = OpBuilder::atBlockBegin(&tile);
  IfOp branch = interior.createBranch(builder);
  builder.setInsertionPoint(branch.getBody().front().getTerminator());
  IRMapping mapping;
  for (Operation *op : originals)
    builder.clone(*op, mapping);
  for (InBoundsOp test : tests)
    drop(mapping.lookup(test.getResult()).getDefiningOp<InBoundsOp>());
  Operation *end = branch.getElseBody().front().getTerminator();
  for (Operation *op : originals)
    op->moveBefore(end);
}
