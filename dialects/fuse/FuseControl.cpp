// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Accessors and verifiers of conditions, loops and choices.
#include "dialects/Alternatives.h"
#include "dialects/fuse/FuseOps.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Checks that `type` is `element` of rank 0.
static LogicalResult verifyScalar(Operation *op, Type type, Type element,
                                  StringRef what) {
  Type expected = RankedTensorType::get({}, element);
  if (type == expected)
    return success();
  return op->emitOpError() << "has a " << what << " of type " << type
                           << ", expected " << expected;
}

/// The yield that ends `region`, or null.
static YieldOp findYield(Region &region) {
  Block &block = region.front();
  return block.empty() ? YieldOp() : dyn_cast<YieldOp>(block.back());
}

//===----------------------------------------------------------------------===//
// fuse.if
//===----------------------------------------------------------------------===//

YieldOp IfOp::getThenYield() {
  return cast<YieldOp>(getThenBody().front().getTerminator());
}
YieldOp IfOp::getElseYield() {
  return cast<YieldOp>(getElseBody().front().getTerminator());
}

LogicalResult IfOp::verify() {
  if (failed(verifyScalar(*this, getCondition().getType(),
                          IntegerType::get(getContext(), 1), "condition")))
    return failure();
  for (auto [region, name] : {std::pair(&getThenBody(), "a then"),
                              std::pair(&getElseBody(), "an else")}) {
    YieldOp yield = findYield(*region);
    if (!yield || TypeRange(yield.getValues()) != TypeRange(getResultTypes()))
      return emitOpError() << "needs " << name
                           << " body that yields one value of the same type "
                              "per result";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// fuse.loop
//===----------------------------------------------------------------------===//

YieldOp LoopOp::getYield() {
  return cast<YieldOp>(getBody().front().getTerminator());
}
Value LoopOp::getNextCondition() {
  return getCondition() ? getYield().getValues().front() : Value();
}
OperandRange LoopOp::getNextCarried() {
  return getYield().getValues().slice(getCondition() ? 1 : 0, getNumCarried());
}
OperandRange LoopOp::getRows() {
  return getYield().getValues().take_back(getNumStacks());
}

/// Checks that `numbers` increase and lie in [0, count).
static LogicalResult verifyNumbers(Operation *op, ArrayRef<int64_t> numbers,
                                   size_t count, StringRef what) {
  int64_t last = -1;
  for (int64_t number : numbers) {
    if (number <= last || number >= static_cast<int64_t>(count))
      return op->emitOpError()
             << "has " << what << " [" << numbers
             << "], expected increasing numbers below " << count;
    last = number;
  }
  return success();
}

/// The type of a row of `type` if that has `trips` rows, else null.
static Type getRowType(Type type, int64_t trips) {
  auto tensor = cast<RankedTensorType>(type);
  if (tensor.getRank() == 0 || tensor.getDimSize(0) != trips)
    return {};
  return tensor.clone(tensor.getShape().drop_front());
}

LogicalResult LoopOp::verify() {
  MLIRContext *context = getContext();
  Type boolean = IntegerType::get(context, 1);
  Type integer = IntegerType::get(context, 64);
  if (!getTrips() && !getCount() && !getCondition())
    return emitOpError("never ends: it has neither trips nor a count nor a "
                       "condition");
  if (getTrips() && *getTrips() < 0)
    return emitOpError() << "has " << *getTrips() << " trips";
  if (getCount() &&
      failed(verifyScalar(*this, getCount().getType(), integer, "count")))
    return failure();
  if (getCondition() && failed(verifyScalar(*this, getCondition().getType(),
                                            boolean, "condition")))
    return failure();
  unsigned carried = getNumCarried();
  if (getNumResults() < carried)
    return emitOpError() << "has " << getNumResults()
                         << " results, fewer than its " << carried
                         << " carried values";
  if (!getTrips() && (getNumStacks() || !getSlices().empty()))
    return emitOpError("needs trips for its slices and stacks");
  if (failed(verifyNumbers(*this, getReversedSlices(), getSlices().size(),
                           "reversed_slices")) ||
      failed(verifyNumbers(*this, getReversedStacks(), getNumStacks(),
                           "reversed_stacks")))
    return failure();

  // What the body takes and yields.
  SmallVector<Type> taken = {RankedTensorType::get({}, integer)}, yielded;
  if (getCondition())
    yielded.push_back(RankedTensorType::get({}, boolean));
  llvm::append_range(taken, getInits().getTypes());
  llvm::append_range(yielded, getInits().getTypes());
  for (auto [number, slice] : llvm::enumerate(getSlices())) {
    taken.push_back(getRowType(slice.getType(), *getTrips()));
    if (!taken.back())
      return emitOpError() << "slices operand " << number << " of type "
                           << slice.getType() << ", which has not "
                           << *getTrips() << " rows";
  }
  for (unsigned i = 0; i < getNumStacks(); ++i) {
    yielded.push_back(getRowType(getStack(i).getType(), *getTrips()));
    if (!yielded.back())
      return emitOpError() << "stacks " << getStack(i).getType()
                           << ", which has not " << *getTrips() << " rows";
  }
  for (unsigned i = 0; i < carried; ++i)
    if (getResult(i).getType() != getInits()[i].getType())
      return emitOpError() << "carries " << getInits()[i].getType()
                           << " but results in " << getResult(i).getType();
  if (TypeRange(getBody().getArgumentTypes()) != TypeRange(taken))
    return emitOpError("needs a body that takes the iteration, its carried "
                       "values and a row per slice");
  YieldOp yield = findYield(getBody());
  if (!yield || TypeRange(yield.getValues()) != TypeRange(yielded))
    return emitOpError("needs a body that yields the next condition (if there "
                       "is one), its carried values and a row per stack");
  return success();
}

//===----------------------------------------------------------------------===//
// fuse.choice
//===----------------------------------------------------------------------===//

LogicalResult ChoiceOp::verify() {
  if (failed(verifyAlternatives(*this, getAlgorithms(), getAlternatives())))
    return failure();
  for (auto [region, name] : llvm::zip(getAlternatives(), getAlgorithms())) {
    YieldOp yield = findYield(region);
    if (!yield || TypeRange(yield.getValues()) != TypeRange(getResultTypes()))
      return emitOpError() << "needs alternative " << name
                           << " to yield one value of the same type per result";
  }
  return success();
}
