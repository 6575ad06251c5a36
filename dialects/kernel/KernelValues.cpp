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
  return syntax::verifyMaskVector(*this, getType(), "result");
}

LogicalResult TailMaskOp::verify() {
  if (getMap().getNumResults() == 0)
    return emitOpError("has a bound without results");
  if (failed(syntax::verifyMapOperands(*this, getMap(), getIndices().size(),
                                       "bound")))
    return failure();
  return syntax::verifyMaskVector(*this, getType(), "result");
}

LogicalResult IotaOp::verify() {
  Type i32 = IntegerType::get(getContext(), 32),
       i64 = IntegerType::get(getContext(), 64);
  if (getType() != getVectorOf(i32) && getType() != getVectorOf(i64))
    return emitOpError() << "result is " << getType()
                         << ", expected 16 lanes of i32 or i64";
  return success();
}

LogicalResult BroadcastOp::verify() {
  Type scalar = getValue().getType();
  if (!isComputeType(scalar) || isa<VectorType>(scalar))
    return emitOpError() << "value is " << scalar
                         << ", expected a scalar compute type";
  if (getType() != getVectorOf(scalar))
    return emitOpError() << "result is " << getType() << ", expected "
                         << getVectorOf(scalar);
  return success();
}

LogicalResult MulRoundedOp::verify() {
  Type scalar = getElementTypeOrSelf(getType());
  if ((!scalar.isF32() && !scalar.isF64()) || !isComputeType(getType()))
    return emitOpError() << "result is " << getType()
                         << ", expected f32, f64 or 16 lanes of one";
  return success();
}

/// Checks that `op` computes pairs, or sums of their products.
static LogicalResult verifyPairs(Operation *op) {
  Type type = op->getResult(0).getType(),
       i32 = IntegerType::get(op->getContext(), 32);
  if (type != i32 && type != getVectorOf(i32))
    return op->emitOpError()
           << "result is " << type << ", expected i32 or 16 lanes of it";
  return success();
}

LogicalResult PairsOp::verify() { return verifyPairs(*this); }

LogicalResult DotOp::verify() { return verifyPairs(*this); }

LogicalResult ReduceOp::verify() {
  VectorType vector = cast<VectorType>(getVector().getType());
  if (!isComputeType(vector))
    return emitOpError() << "operand is " << vector
                         << ", expected 16 lanes of a compute type";
  Type scalar = vector.getElementType();
  if (getType() != scalar)
    return emitOpError() << "result is " << getType() << ", expected "
                         << scalar;
  return syntax::verifyCombiner(*this, getCombiner(), vector);
}
