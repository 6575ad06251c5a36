// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/Precision.h"

#include "dialects/NarrowFloats.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

/// Whether the value is, up to its sign and its type, one of a type of 16 bits.
static bool wasNarrow(Value value) {
  Operation *op = value.getDefiningOp();
  while (!getNarrowFloat(value.getType()) && op &&
         isa<CastOp, AbsOp, NegOp, BroadcastOp, ReshapeOp>(op)) {
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  return bool(getNarrowFloat(value.getType()));
}

/// Whether a comparison asks for NaN, which no last bit makes but in types of
/// 16 bits, whose largest number is an ordinary one.
static bool asksForNan(Operation *op) {
  auto cmp = dyn_cast<CmpOp>(op);
  return cmp && cmp.getLhs() == cmp.getRhs() && !wasNarrow(cmp.getLhs());
}

bool fusec::fuse::decidesByLastBit(Operation *op) {
  // These hand on what they take.
  if (isa<func::ReturnOp, YieldOp, GroupOp, IfOp, ChoiceOp, LoopOp>(op) ||
      asksForNan(op) || llvm::none_of(op->getOperands(), isFloat))
    return false;
  return !isa<PrimitiveOpInterface, ReshapeOp>(op) ||
         op->hasTrait<Discontinuous>() ||
         !llvm::all_of(op->getResults(), isFloat);
}

/// The values that `value` stands for, where it enters or leaves the body of a
/// group, an alternative, a branch or an iteration; else none.
static SmallVector<Value, 2> getStandingFor(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    unsigned number = argument.getArgNumber();
    if (isa<GroupOp>(parent))
      return {parent->getOperand(number)};
    auto loop = dyn_cast<LoopOp>(parent);
    if (!loop || argument == loop.getIteration())
      return {};
    unsigned carried = number - 1, slice = carried - loop.getNumCarried();
    if (carried < loop.getNumCarried())
      return {loop.getInits()[carried], loop.getNextCarried()[carried]};
    return {loop.getSlices()[slice]};
  }
  Operation *op = value.getDefiningOp();
  unsigned number = cast<OpResult>(value).getResultNumber();
  if (auto loop = dyn_cast<LoopOp>(op)) {
    if (number < loop.getNumCarried())
      return {loop.getInits()[number], loop.getNextCarried()[number]};
    return {loop.getRows()[number - loop.getNumCarried()]};
  }
  SmallVector<Value, 2> yielded;
  if (isa<GroupOp, IfOp, ChoiceOp>(op))
    for (Region &body : op->getRegions())
      yielded.push_back(body.front().getTerminator()->getOperand(number));
  return yielded;
}

/// Constants, weights and arguments are not computed, nor are views of them.
static bool isGiven(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    return !isa<LoopOp>(parent) && llvm::all_of(getStandingFor(value), isGiven);
  }
  Operation *op = value.getDefiningOp();
  return !op->getNumOperands() ||
         (op->getNumOperands() == 1 && isa<BroadcastOp, ReshapeOp>(op) &&
          isGiven(op->getOperand(0)));
}

size_t fusec::fuse::markPrecise(Value value) {
  size_t marked = 0;
  SmallVector<Value> open{value};
  llvm::SmallDenseSet<Value> passed;
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!isFloat(next))
      continue;
    if (SmallVector<Value, 2> behind = getStandingFor(next); !behind.empty()) {
      if (passed.insert(next).second)
        llvm::append_range(open, behind);
      continue;
    }
    if (isGiven(next))
      continue;
    Operation *op = next.getDefiningOp();
    if (isPrecise(op))
      continue;
    op->setAttr(kPreciseAttr, UnitAttr::get(op->getContext()));
    ++marked;
    llvm::append_range(open, op->getOperands());
  }
  return marked;
}

void PrecisionKeeper::touch(Operation *op) {
  precise |= isPrecise(op) || decidesByLastBit(op);
}

void PrecisionKeeper::notifyPatternBegin(const Pattern &, Operation *op) {
  precise = false;
  changed.clear();
  touch(op);
}

void PrecisionKeeper::notifyPatternEnd(const Pattern &, LogicalResult) {
  for (Operation *op : changed) {
    if (precise)
      llvm::for_each(op->getResults(), markPrecise);
    if (isPrecise(op) || decidesByLastBit(op)) // It may read something new.
      llvm::for_each(op->getOperands(), markPrecise);
  }
  changed.clear();
}

void PrecisionKeeper::notifyOperationInserted(Operation *op,
                                              OpBuilder::InsertPoint) {
  changed.insert(op);
}

void PrecisionKeeper::notifyOperationModified(Operation *op) {
  // Whether it decides is asked when the pattern is done: of two operands that
  // are the same value one is replaced first.
  precise |= isPrecise(op);
  changed.insert(op);
}

void PrecisionKeeper::notifyOperationReplaced(Operation *op,
                                              ValueRange values) {
  touch(op);
  if (isPrecise(op))
    llvm::for_each(values, markPrecise);
}

void PrecisionKeeper::notifyOperationErased(Operation *op) {
  changed.remove(op);
}
