// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-split-borders: see passes/kernel/Passes.td.
#include "passes/kernel/IndexRanges.h"
#include "passes/kernel/Passes.h"
#include "passes/kernel/Tiles.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

namespace fusec::kernel {
#define GEN_PASS_DEF_KERNELSPLITBORDERS
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

namespace {

/// Finds where in the loops around a block its tests hold at all of its points.
class Interior {
public:
  /// The block runs where `elsewhere` does not hold, if that has expressions.
  Interior(Block &block, AffineForm elsewhere)
      : block(block), elsewhere(std::move(elsewhere)) {}

  /// Takes a test into account; false if it never holds at all points where
  /// those before do, or if that is not a matter of the loops around.
  bool add(InBoundsOp test);

  /// Where they hold.
  const AffineForm &getCondition() const { return condition; }

private:
  std::optional<AffineExpr> getLeast(AffineExpr expr, ValueRange operands);
  bool isNowhere(const AffineForm &condition);

  Block &block;
  AffineForm elsewhere;
  AffineForm condition;
};

/// Whether threads wait for each other there: what they have in shared memory
/// they test once, where they load it, and those of columns are not all in one
/// tile.
static bool waits(Block &tile) {
  return countColumns(&tile.front()) > 1 ||
         tile.walk([](BarrierOp) { return WalkResult::interrupt(); })
             .wasInterrupted();
}

struct KernelSplitBorders
    : fusec::kernel::impl::KernelSplitBordersBase<KernelSplitBorders> {
  void runOnOperation() override {
    for (Block *tile : findTiles(getOperation()))
      if (!waits(*tile))
        splitTile(*tile);
  }

  void splitTile(Block &tile);
  bool leaveOutSteps(Block &tile);
  bool splitSteps(Block &border, const AffineForm &elsewhere);
  bool splitStep(Block &step, const AffineForm &elsewhere);
};

} // namespace

static IntegerSet getSet(const AffineForm &condition) {
  SmallVector<bool> inequalities(condition.exprs.size(), false);
  return IntegerSet::get(condition.operands.size(), 0, condition.exprs,
                         inequalities);
}

static IfOp createBranch(OpBuilder &builder, AffineForm condition,
                         bool withElse) {
  condition.compose();
  return IfOp::create(builder,
                      builder.getInsertionBlock()->getParentOp()->getLoc(),
                      getSet(condition), condition.operands, withElse);
}

/// What is left of `expr`, linear in the indices of the loops in the block,
/// where these make it least.
std::optional<AffineExpr> Interior::getLeast(AffineExpr expr,
                                             ValueRange operands) {
  for (auto [position, operand] : llvm::enumerate(operands)) {
    if (!isInside(operand, block))
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
    if (llvm::is_contained(added.exprs, outside))
      continue;
    added.exprs.push_back(outside);
  }
  if (isNowhere(added))
    return false;
  condition = std::move(added);
  return true;
}

/// Whether a condition holds in no iteration of the loops around.
static bool isEmpty(const AffineForm &condition) {
  FlatLinearValueConstraints points(getSet(condition));
  for (auto [position, range] : llvm::enumerate(rangesOf(condition.operands))) {
    if (range.low)
      points.addBound(presburger::BoundType::LB, position, *range.low);
    if (range.high)
      points.addBound(presburger::BoundType::UB, position, *range.high);
  }
  return points.isIntegerEmpty();
}

/// The same with what is known of where the block runs.
bool Interior::isNowhere(const AffineForm &condition) {
  if (condition.exprs.empty())
    return false;
  if (isEmpty(condition))
    return true;
  return !elsewhere.exprs.empty() &&
         llvm::all_of(elsewhere.exprs, [&](AffineExpr expr) {
           AffineForm both = condition;
           SmallVector<AffineExpr> dims;
           for (Value operand : elsewhere.operands)
             dims.push_back(both.getDim(operand));
           both.exprs.push_back(-expr.replaceDims(dims) - 1);
           return isEmpty(both);
         });
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

/// Whether `value` is zero where `test` fails.
static bool isZeroWithout(Value value, InBoundsOp test) {
  Operation *op = value.getDefiningOp();
  if (auto load = dyn_cast_or_null<LoadOp>(op))
    return load.getMask() == test.getResult() &&
           (!load.getFillAttr() || matchPattern(load.getFillAttr(), m_Zero()) ||
            matchPattern(load.getFillAttr(), m_AnyZeroFloat()));
  if (isa_and_nonnull<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return isZeroWithout(op->getOperand(0), test);
  if (isa_and_nonnull<arith::MulFOp, MulRoundedOp, arith::MulIOp>(op))
    return llvm::any_of(op->getOperands(), [&](Value factor) {
      return isZeroWithout(factor, test);
    });
  if (isa_and_nonnull<TermsOp>(op))
    return llvm::all_of(op->getOperands(),
                        [&](Value term) { return isZeroWithout(term, test); });
  return false;
}

/// Whether `value` is what is at the place of `store`.
static bool isOldValue(Value value, StoreOp store) {
  auto load = value.getDefiningOp<LoadOp>();
  return load && load.getMemref() == store.getMemref() &&
         load.getMap() == store.getMap() &&
         llvm::equal(load.getIndices(), store.getIndices());
}

/// Whether `block` does nothing but add terms of a sum where `test` fails, each
/// of them zero times something. A product with an infinite weight is taken for
/// zero.
static bool addsNothingWithout(Block &block, InBoundsOp test) {
  auto keepsValue = [&](StoreOp store) {
    Operation *op = store.getValue().getDefiningOp();
    if (auto fma = dyn_cast_or_null<math::FmaOp>(op))
      return isOldValue(fma.getC(), store) &&
             (isZeroWithout(fma.getA(), test) ||
              isZeroWithout(fma.getB(), test));
    if (auto dot = dyn_cast_or_null<DotOp>(op))
      return isOldValue(dot.getSum(), store) &&
             (isZeroWithout(dot.getLhs(), test) ||
              isZeroWithout(dot.getRhs(), test));
    if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(op))
      return false;
    Value lhs = op->getOperand(0), rhs = op->getOperand(1);
    return (isOldValue(lhs, store) && isZeroWithout(rhs, test)) ||
           (isOldValue(rhs, store) && isZeroWithout(lhs, test));
  };
  return !block
              .walk([&](Operation *op) {
                if (auto store = dyn_cast<StoreOp>(op))
                  return keepsValue(store) ? WalkResult::advance()
                                           : WalkResult::interrupt();
                return isa<ForOp, LoadOp, YieldOp>(op) || isMemoryEffectFree(op)
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Moves what is in `block` into a branch to where `condition` holds, and keeps
/// it as it is elsewhere. Returns the branch; its first body has none of
/// `tests`.
static IfOp branchOff(Block &block, const AffineForm &condition,
                      ArrayRef<InBoundsOp> tests) {
  SmallVector<Operation *> originals;
  for (Operation &op : block.without_terminator())
    originals.push_back(&op);
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  IfOp branch = createBranch(builder, condition, /*withElse=*/true);
  builder.setInsertionPoint(branch.getBody().front().getTerminator());
  IRMapping mapping;
  for (Operation *op : originals)
    builder.clone(*op, mapping);
  for (InBoundsOp test : tests)
    drop(mapping.lookup(test.getResult()).getDefiningOp<InBoundsOp>());
  Operation *end = branch.getElseBody().front().getTerminator();
  for (Operation *op : originals)
    op->moveBefore(end);
  return branch;
}

/// Moves what is in `block` into a branch to where `condition` holds: elsewhere
/// nothing is done.
static void guard(Block &block, const AffineForm &condition) {
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  IfOp branch = createBranch(builder, condition, /*withElse=*/false);
  Operation *end = branch.getBody().front().getTerminator();
  for (Operation &op : llvm::make_early_inc_range(llvm::make_range(
           std::next(branch->getIterator()), std::prev(block.end()))))
    op.moveBefore(end);
}

/// Takes from `test` what is the same at all points of `block`, in which it is,
/// and returns it, without what always holds.
static AffineForm takeCommon(InBoundsOp test, Block &block) {
  IntegerSet set = test.getCondition();
  AffineForm common, varying = formOf(set, test.getOperands());
  if (llvm::is_contained(set.getEqFlags(), true))
    return common;
  varying.compose();
  common.operands = varying.operands;
  llvm::erase_if(varying.exprs, [&](AffineExpr expr) {
    for (auto [position, operand] : llvm::enumerate(varying.operands))
      if (expr.isFunctionOfDim(position) && isInside(operand, block))
        return false;
    IndexRange range = rangeOf(expr, rangesOf(varying.operands));
    if (!range.low || *range.low < 0)
      common.exprs.push_back(expr);
    return true;
  });
  common.compose();
  if (common.exprs.empty())
    return common;
  if (varying.exprs.empty()) {
    drop(test);
    return common;
  }
  varying.compose();
  OpBuilder builder(test);
  auto kept = InBoundsOp::create(builder, test.getLoc(), test.getType(),
                                 IntegerSetAttr::get(getSet(varying)),
                                 varying.operands, IntegerAttr());
  test.replaceAllUsesWith(kept.getResult());
  test.erase();
  return common;
}

/// Whether lanes differ in what `test` says.
static bool isOnLanes(InBoundsOp test) {
  AffineForm form = formOf(test.getCondition(), test.getOperands());
  form.compose();
  return llvm::any_of(form.operands, [](Value index) {
    auto loop = dyn_cast<ForOp>(index.getParentBlock()->getParentOp());
    return loop && loop.getIndex() == index &&
           loop.getMapping() == Mapping::vector;
  });
}

/// The tests in `block` of which `interior` can say where they hold, and
/// others.
static std::pair<SmallVector<InBoundsOp>, SmallVector<InBoundsOp>>
collectTests(Block &block, Interior &interior) {
  SmallVector<InBoundsOp> tests, others;
  block.walk([&](InBoundsOp test) {
    (interior.add(test) ? tests : others).push_back(test);
  });
  return {tests, others};
}

void KernelSplitBorders::splitTile(Block &tile) {
  // Tails are few: one copy of them is enough.
  if (auto branch = dyn_cast<IfOp>(tile.getParentOp());
      branch && tile.getParent() == &branch.getElseBody()) {
    leaveOutSteps(tile);
    return;
  }
  Interior interior(tile, /*elsewhere=*/{});
  auto [tests, others] = collectTests(tile, interior);
  if (tests.empty() && others.empty())
    return;
  if (tests.empty()) {
    bool leftOut = leaveOutSteps(tile);
    if (!splitSteps(tile, /*elsewhere=*/{}) && !leftOut)
      others.front().emitRemark(
          "tile not split: whatever the loops around it do, this test fails at "
          "some of its points, or depends on more than loops");
    return;
  }
  ++numSplit;
  Block *inner = &tile;
  if (interior.getCondition().exprs.empty()) {
    llvm::for_each(tests, drop);
  } else {
    IfOp branch = branchOff(tile, interior.getCondition(), tests);
    inner = &branch.getBody().front();
    Block &border = branch.getElseBody().front();
    leaveOutSteps(border);
    splitSteps(border, interior.getCondition());
  }
  if (!others.empty()) {
    leaveOutSteps(*inner);
    splitSteps(*inner, /*elsewhere=*/{});
  }
}

/// Leaves out the iterations of reductions in `tile` that add nothing but
/// padding, those of outer loops first.
bool KernelSplitBorders::leaveOutSteps(Block &tile) {
  bool any = false;
  tile.walk<WalkOrder::PreOrder>([&](ForOp loop) {
    if (loop.getCarried().empty() || loop.getMapping() == Mapping::vector)
      return;
    Block &step = loop.getBody().front();
    SmallVector<InBoundsOp> tests;
    step.walk([&](InBoundsOp test) { tests.push_back(test); });
    if (tests.size() != 1 || tests.front()->getBlock() == &step ||
        !addsNothingWithout(step, tests.front()))
      return;
    // The test of a scalar costs less than the branch.
    if (loop.getMapping() == Mapping::unroll && !isOnLanes(tests.front()))
      return;
    AffineForm common = takeCommon(tests.front(), step);
    if (common.exprs.empty())
      return;
    guard(step, common);
    any = true;
  });
  return any;
}

/// Splits the steps of the reductions in `border`, which has tests: the bodies
/// of their innermost loops that are not unrolled.
bool KernelSplitBorders::splitSteps(Block &border,
                                    const AffineForm &elsewhere) {
  SetVector<Block *> steps;
  border.walk([&](InBoundsOp test) {
    auto loop = test->getParentOfType<ForOp>();
    while (loop && loop.getMapping() != Mapping::sequential)
      loop = loop->getParentOfType<ForOp>();
    if (loop && border.findAncestorOpInBlock(*loop) &&
        !loop.getCarried().empty() &&
        test->getBlock() != &loop.getBody().front())
      steps.insert(&loop.getBody().front());
  });
  bool split = false;
  for (Block *step : steps)
    split |= splitStep(*step, elsewhere);
  return split;
}

bool KernelSplitBorders::splitStep(Block &step, const AffineForm &elsewhere) {
  Interior interior(step, elsewhere);
  auto [tests, others] = collectTests(step, interior);
  if (tests.empty())
    return false;
  ++numSplit;
  if (interior.getCondition().exprs.empty())
    llvm::for_each(tests, drop);
  else
    branchOff(step, interior.getCondition(), tests);
  return true;
}
