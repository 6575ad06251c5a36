// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/Precision.h"

#include "dialects/NarrowFloats.h"
#include "passes/graph/ConstantData.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cmath>

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

/// Whether a comparison asks for NaN or infinity, which no last bit makes but
/// in types of 16 bits, whose largest number is an ordinary one.
static bool asksForNonFinite(Operation *op) {
  auto cmp = dyn_cast<CmpOp>(op);
  if (!cmp || (cmp.getPredicate() != CmpPredicate::eq &&
               cmp.getPredicate() != CmpPredicate::ne))
    return false;
  std::optional<double> bound = getUniformFloat(cmp.getRhs());
  if (wasNarrow(cmp.getLhs()))
    return false;
  return cmp.getLhs() == cmp.getRhs() || (bound && !std::isfinite(*bound));
}

bool fusec::fuse::decidesByLastBit(Operation *op) {
  if (isa<func::ReturnOp>(op) || asksForNonFinite(op) ||
      llvm::none_of(op->getOperands(), isFloat))
    return false;
  return !isa<PrimitiveOpInterface, ReshapeOp>(op) ||
         op->hasTrait<Discontinuous>() ||
         !llvm::all_of(op->getResults(), isFloat);
}

/// Constants, weights and arguments are not computed, nor are views of them.
static bool isGiven(Value value) {
  Operation *op = value.getDefiningOp();
  return !op || !op->getNumOperands() ||
         (op->getNumOperands() == 1 && isa<BroadcastOp, ReshapeOp>(op) &&
          isGiven(op->getOperand(0)));
}

size_t fusec::fuse::markPrecise(Value value) {
  size_t marked = 0;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!isFloat(next) || isGiven(next))
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
