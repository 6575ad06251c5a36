// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the composites: shapes that their formulas need.
#include "dialects/fuse/CompositeShapes.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// The extent of a windowed dimension, by the formula of ONNX's Conv:
/// floor((in + low + high - dilation (size - 1) - 1) / stride) + 1.
static int64_t windowExtent(int64_t in, int64_t low, int64_t high, int64_t size,
                            int64_t dilation, int64_t stride) {
  int64_t room = in + low + high - dilation * (size - 1) - 1;
  return room < 0 ? 0 : room / stride + 1;
}

LogicalResult fuse::verifyMatmulShapes(Operation *op, ArrayRef<int64_t> a,
                                       ArrayRef<int64_t> b,
                                       ArrayRef<int64_t> result) {
  if (a.empty() || b.empty())
    return op->emitOpError("needs operands of rank 1 or more");
  int64_t k = b.size() == 1 ? b[0] : b[b.size() - 2];
  if (a.back() != k)
    return op->emitOpError() << "contracts " << a.back() << " with " << k;
  ArrayRef<int64_t> batchA = a.drop_back(std::min<size_t>(2, a.size()));
  ArrayRef<int64_t> batchB = b.drop_back(std::min<size_t>(2, b.size()));
  size_t rank = std::max(batchA.size(), batchB.size());
  SmallVector<int64_t> expected;
  for (size_t i = 0; i < rank; ++i) {
    auto at = [&](ArrayRef<int64_t> batch) {
      size_t skip = rank - batch.size();
      return i < skip ? 1 : batch[i - skip];
    };
    int64_t x = at(batchA), y = at(batchB);
    if (x != y && x != 1 && y != 1)
      return op->emitOpError()
             << "cannot broadcast batch extents " << x << " and " << y;
    expected.push_back(x == 1 ? y : x);
  }
  if (a.size() > 1)
    expected.push_back(a[a.size() - 2]);
  if (b.size() > 1)
    expected.push_back(b.back());
  if (result != ArrayRef<int64_t>(expected))
    return op->emitOpError() << "has result shape [" << result
                             << "] but computes [" << expected << "]";
  return success();
}

LogicalResult MatmulOp::verify() {
  return verifyMatmulShapes(*this, getTensorType(getLhs()).getShape(),
                            getTensorType(getRhs()).getShape(),
                            getTensorType(getResult()).getShape());
}

LogicalResult GemmOp::verify() {
  auto a = getTensorType(getLhs()), b = getTensorType(getRhs());
  auto y = getTensorType(getResult());
  if (a.getRank() != 2 || b.getRank() != 2 || y.getRank() != 2)
    return emitOpError("needs matrices");
  int64_t m = a.getDimSize(getTransLhs()), ka = a.getDimSize(!getTransLhs());
  int64_t kb = b.getDimSize(getTransRhs()), n = b.getDimSize(!getTransRhs());
  if (ka != kb)
    return emitOpError() << "contracts " << ka << " with " << kb;
  if (y.getDimSize(0) != m || y.getDimSize(1) != n)
    return emitOpError() << "has result shape [" << y.getShape()
                         << "] but computes [" << m << ", " << n << "]";
  if (getBias()) {
    ArrayRef<int64_t> c = getTensorType(getBias()).getShape();
    ArrayRef<int64_t> to = y.getShape();
    if (c.size() > 2 ||
        !llvm::all_of(
            llvm::zip(llvm::reverse(c), llvm::reverse(to)), [](auto p) {
              return std::get<0>(p) == 1 || std::get<0>(p) == std::get<1>(p);
            }))
      return emitOpError() << "cannot broadcast a bias of shape [" << c
                           << "] to [" << to << "]";
  }
  return success();
}

LogicalResult fuse::verifyConvShapes(Operation *op, const ConvShapes &conv) {
  auto [x, w, y] = std::tuple(conv.input, conv.weight, conv.result);
  int64_t spatial = x.getRank() - 2;
  if (spatial < 1 || w.getRank() != x.getRank() || y.getRank() != x.getRank())
    return op->emitOpError(
        "needs input, weight and result of one rank, 3 or more");
  for (ArrayRef<int64_t> list :
       {conv.strides, conv.dilations, conv.padLow, conv.padHigh})
    if (int64_t(list.size()) != spatial)
      return op->emitOpError() << "needs strides, dilations and pads for "
                               << spatial << " spatial dimensions";
  int64_t groups = conv.groups;
  if (groups < 1 || x.getDimSize(1) != w.getDimSize(1) * groups ||
      w.getDimSize(0) % groups != 0)
    return op->emitOpError()
           << "cannot split " << x.getDimSize(1) << " input and "
           << w.getDimSize(0) << " output channels into " << groups
           << " groups with " << w.getDimSize(1) << " input channels each";
  SmallVector<int64_t> expected = {x.getDimSize(0), w.getDimSize(0)};
  for (int64_t i = 0; i < spatial; ++i) {
    if (conv.strides[i] < 1 || conv.dilations[i] < 1 || w.getDimSize(i + 2) < 1)
      return op->emitOpError("needs positive strides, dilations and windows");
    expected.push_back(windowExtent(x.getDimSize(i + 2), conv.padLow[i],
                                    conv.padHigh[i], w.getDimSize(i + 2),
                                    conv.dilations[i], conv.strides[i]));
  }
  if (y.getShape() != ArrayRef<int64_t>(expected))
    return op->emitOpError() << "has result shape [" << y.getShape()
                             << "] but computes [" << expected << "]";
  return success();
}

LogicalResult ConvOp::verify() {
  if (failed(verifyConvShapes(*this, getConvShapes(*this))))
    return failure();
  auto w = getTensorType(getWeight());
  if (getBias() &&
      getTensorType(getBias()).getShape() != ArrayRef<int64_t>{w.getDimSize(0)})
    return emitOpError() << "needs a bias of " << w.getDimSize(0)
                         << " elements";
  return success();
}

LogicalResult BatchNormOp::verify() {
  auto x = getTensorType(getInput());
  if (x.getRank() < 2)
    return emitOpError("needs an input of rank 2 or more");
  for (Value parameter : {getScale(), getBias(), getMean(), getVariance()})
    if (getTensorType(parameter).getShape() != x.getShape().slice(1, 1))
      return emitOpError() << "needs parameters of " << x.getDimSize(1)
                           << " elements, one per channel";
  return success();
}

LogicalResult LayerNormOp::verify() {
  auto x = getTensorType(getInput());
  int64_t axis = getAxis();
  if (axis < 0 || axis >= x.getRank())
    return emitOpError() << "has axis " << axis << " at rank " << x.getRank();
  ArrayRef<int64_t> inner = x.getShape().drop_front(getAxis());
  for (Value parameter : {getScale(), getBias()})
    if (parameter && getTensorType(parameter).getShape() != inner)
      return emitOpError() << "needs scale and bias of shape [" << inner << "]";
  return success();
}

LogicalResult ReductionOp::verify() {
  auto from = getTensorType(getOperand());
  SmallVector<int64_t> expected(from.getShape());
  int64_t previous = -1;
  for (int64_t d : getDims()) {
    if (d <= previous || d >= from.getRank())
      return emitOpError() << "needs increasing dims below the rank "
                           << from.getRank() << ", has [" << getDims() << "]";
    expected[previous = d] = 1;
  }
  if (getTensorType(getResult()).getShape() == ArrayRef<int64_t>(expected))
    return success();
  return emitOpError() << "has result shape ["
                       << getTensorType(getResult()).getShape()
                       << "] but computes [" << expected << "]";
}

LogicalResult CumulateOp::verify() {
  if (getKind() != ReductionKind::sum && getKind() != ReductionKind::prod)
    return emitOpError() << "accumulates sums and products, not "
                         << stringifyReductionKind(getKind());
  int64_t rank = getType().getRank();
  if (int64_t(getAxis()) < 0 || int64_t(getAxis()) >= rank)
    return emitOpError() << "has axis " << int64_t(getAxis()) << " at rank "
                         << rank;
  return success();
}

template <typename Op> static LogicalResult verifyArg(Op op) {
  auto from = getTensorType(op.getOperand()),
       to = getTensorType(op.getResult());
  int64_t axis = op.getAxis();
  if (axis < 0 || axis >= from.getRank())
    return op.emitOpError()
           << "has axis " << axis << " at rank " << from.getRank();
  if (from.getDimSize(axis) == 0)
    return op.emitOpError() << "looks for an extreme of no elements";
  SmallVector<int64_t> expected(from.getShape());
  expected[axis] = 1;
  if (to.getShape() != ArrayRef<int64_t>(expected) ||
      !to.getElementType().isInteger(64))
    return op.emitOpError()
           << "needs a result of i64 and shape [" << expected << "]";
  return success();
}

LogicalResult ArgMaxOp::verify() { return verifyArg(*this); }

LogicalResult ArgMinOp::verify() { return verifyArg(*this); }

LogicalResult PoolOp::verify() {
  auto x = getTensorType(getInput()), y = getTensorType(getResult());
  size_t count = getSizes().size();
  for (ArrayRef<int64_t> list :
       {getStrides(), getDilations(), getPadLow(), getPadHigh()})
    if (list.size() != count)
      return emitOpError() << "needs strides, dilations and pads for " << count
                           << " windowed dimensions";
  if (int64_t(count) > x.getRank() || y.getRank() != x.getRank())
    return emitOpError() << "windows " << count << " dimensions at rank "
                         << x.getRank();
  for (size_t i = 0; i < count; ++i)
    if (getSizes()[i] < 1 || getStrides()[i] < 1 || getDilations()[i] < 1)
      return emitOpError("needs positive sizes, strides and dilations");
  return success();
}
