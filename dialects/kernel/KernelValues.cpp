// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/KernelSyntax.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

void ApplyOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  syntax::printResultName(*this, setName);
}

LogicalResult ApplyOp::verify() {
  if (getMap().getNumResults() != 1)
    return emitOpError() << "has a map of " << getMap().getNumResults()
                         << " results, expected one";
  return syntax::verifyMapOperands(*this, getMap(), getOperands().size(),
                                   "map");
}

void MinOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  syntax::printResultName(*this, setName);
}

LogicalResult MinOp::verify() {
  if (getMap().getNumResults() == 0)
    return emitOpError("has a map without results");
  return syntax::verifyMapOperands(*this, getMap(), getOperands().size(),
                                   "map");
}

LogicalResult InBoundsOp::verify() {
  IntegerSet set = getCondition();
  if (set.getNumSymbols() != 0)
    return emitOpError(
        "has symbols in its condition; write all operands as dims");
  if (set.getNumDims() != getOperands().size())
    return emitOpError() << "has " << getOperands().size()
                         << " operands for a condition of " << set.getNumDims()
                         << " dims";
  if (!getLaneDim()) {
    if (!getType().isInteger(1))
      return emitOpError()
             << "result is " << getType()
             << ", expected i1 (or 16 lanes of it with a lane_dim)";
    return success();
  }
  if (*getLaneDim() < 0 || *getLaneDim() >= int64_t(set.getNumDims()))
    return emitOpError() << "lane_dim is " << *getLaneDim()
                         << ", expected one of the " << set.getNumDims()
                         << " dims of the condition";
  if (!isa<VectorType>(getType()))
    return emitOpError() << "result is " << getType()
                         << ", expected 16 lanes of i1";
  return success();
}

LogicalResult TailMaskOp::verify() {
  if (getMap().getNumResults() == 0)
    return emitOpError("has a bound without results");
  return syntax::verifyMapOperands(*this, getMap(), getIndices().size(),
                                   "bound");
}

LogicalResult BroadcastOp::verify() {
  VectorType expected = getVectorOf(getValue().getType());
  if (getType() != expected)
    return emitOpError() << "result is " << getType() << ", expected "
                         << expected;
  return success();
}

LogicalResult ReduceOp::verify() {
  VectorType vector = getVector().getType();
  Type scalar = vector.getElementType();
  if (getType() != scalar)
    return emitOpError() << "result is " << getType() << ", expected "
                         << scalar;
  return syntax::verifyCombiner(*this, getCombiner(), vector);
}
