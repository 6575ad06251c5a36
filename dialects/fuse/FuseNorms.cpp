// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the norms: axes and parameters that their formulas need.
#include "dialects/fuse/FuseOps.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

static LogicalResult verifyAxis(Operation *op, int64_t axis) {
  int64_t rank = getTensorType(op->getOperand(0)).getRank();
  if (axis >= 0 && axis < rank)
    return success();
  return op->emitOpError() << "has axis " << axis << " at rank " << rank;
}

LogicalResult GroupNormOp::verify() {
  auto x = getTensorType(getInput());
  int64_t groups = getGroups();
  if (x.getRank() < 2)
    return emitOpError("needs an input of rank 2 or more");
  if (groups < 1 || x.getDimSize(1) % groups != 0)
    return emitOpError() << "cannot split " << x.getDimSize(1)
                         << " channels into " << groups << " groups";
  for (Value parameter : {getScale(), getBias()})
    if (getTensorType(parameter).getShape() != x.getShape().slice(1, 1))
      return emitOpError() << "needs parameters of " << x.getDimSize(1)
                           << " elements, one per channel";
  return success();
}

LogicalResult RmsNormOp::verify() {
  if (failed(verifyAxis(*this, getAxis())))
    return failure();
  auto inner = getTensorType(getInput()).getShape().drop_front(getAxis());
  if (getTensorType(getScale()).getShape() != inner)
    return emitOpError() << "needs a scale of shape [" << inner << "]";
  return success();
}

LogicalResult MeanVarianceNormOp::verify() {
  int64_t previous = -1, rank = getTensorType(getOperand()).getRank();
  for (int64_t d : getDims()) {
    if (d <= previous || d >= rank)
      return emitOpError() << "needs increasing dims below the rank " << rank
                           << ", has [" << getDims() << "]";
    previous = d;
  }
  return success();
}

LogicalResult LpNormOp::verify() {
  if (getP() != 1 && getP() != 2)
    return emitOpError() << "has the order " << int64_t(getP())
                         << ", which is neither 1 nor 2";
  return verifyAxis(*this, getAxis());
}

LogicalResult LocalResponseNormOp::verify() {
  if (getTensorType(getOperand()).getRank() < 2 || int64_t(getSize()) < 1)
    return emitOpError("needs an operand with channels and a positive size");
  return success();
}

LogicalResult HardmaxOp::verify() { return verifyAxis(*this, getAxis()); }
