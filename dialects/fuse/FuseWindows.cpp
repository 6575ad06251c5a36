// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the composites over windows.
#include "dialects/fuse/FuseOps.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

LogicalResult ConvTransposeOp::verify() {
  auto x = getTensorType(getInput()), w = getTensorType(getWeight());
  auto y = getTensorType(getResult());
  size_t spatial = x.getRank() - 2;
  if (x.getRank() < 3 || w.getRank() != x.getRank() ||
      y.getRank() != x.getRank())
    return emitOpError("needs input, weight and result of one rank, 3 or more");
  for (ArrayRef<int64_t> list : {getStrides(), getDilations(), getPadLow()})
    if (list.size() != spatial)
      return emitOpError() << "needs strides, dilations and pads for "
                           << spatial << " spatial dimensions";
  for (size_t i = 0; i < spatial; ++i)
    if (getStrides()[i] < 1 || getDilations()[i] < 1 || getPadLow()[i] < 0 ||
        w.getDimSize(i + 2) < 1)
      return emitOpError("needs positive strides, dilations and windows, and "
                         "pads of 0 or more");
  int64_t groups = getGroups();
  if (groups < 1 || x.getDimSize(1) != w.getDimSize(0) ||
      x.getDimSize(1) % groups != 0)
    return emitOpError() << "cannot split " << x.getDimSize(1)
                         << " input channels into " << groups
                         << " groups for a weight of " << w.getDimSize(0);
  int64_t channels = w.getDimSize(1) * groups;
  if (y.getDimSize(0) != x.getDimSize(0) || y.getDimSize(1) != channels)
    return emitOpError() << "needs a result of " << x.getDimSize(0) << " x "
                         << channels << " images";
  if (getBias() &&
      getTensorType(getBias()).getShape() != ArrayRef<int64_t>{channels})
    return emitOpError() << "needs a bias of " << channels << " elements";
  return success();
}

/// The rules that all pooling operations share; `outer` dimensions, at least,
/// are not windowed.
template <typename Op> static LogicalResult verifyPool(Op op, int64_t outer) {
  auto x = getTensorType(op.getInput()), y = getTensorType(op.getResult());
  size_t count = op.getSizes().size();
  for (ArrayRef<int64_t> list :
       {op.getStrides(), op.getDilations(), op.getPadLow()})
    if (list.size() != count)
      return op.emitOpError() << "needs strides, dilations and pads for "
                              << count << " windowed dimensions";
  if (int64_t(count) + outer > x.getRank() || y.getRank() != x.getRank())
    return op.emitOpError()
           << "windows " << count << " dimensions at rank " << x.getRank();
  for (size_t i = 0; i < count; ++i)
    if (op.getSizes()[i] < 1 || op.getStrides()[i] < 1 ||
        op.getDilations()[i] < 1)
      return op.emitOpError("needs positive sizes, strides and dilations");
  ArrayRef<int64_t> from = x.getShape().drop_back(count);
  if (y.getShape().drop_back(count) != from)
    return op.emitOpError("changes a dimension that it does not window");
  return success();
}

LogicalResult LpPoolOp::verify() {
  if (int64_t(getP()) < 1)
    return emitOpError() << "has the order " << int64_t(getP())
                         << "; it needs one above 0";
  return verifyPool(*this, 0);
}

LogicalResult MaxPoolIndicesOp::verify() {
  auto indices = getTensorType(getIndices());
  if (!indices.getElementType().isInteger(64) ||
      indices.getShape() != getTensorType(getResult()).getShape())
    return emitOpError("needs i64 indices of the result's shape");
  if (getTensorType(getInput()).getRank() != int64_t(getSizes().size()) + 2)
    return emitOpError("needs to window all dimensions but the first two");
  return verifyPool(*this, 2);
}
