// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What nodes read: values by name, repetitions as far as they have to be
// written.
#include "compiler/export/Writer.h"

using namespace mlir;

namespace fusec {

Writer::Names Writer::names(ValueRange values) {
  Names all;
  for (Value value : values)
    all.push_back(name(value));
  return all;
}

std::string Writer::name(Value value) {
  if (!value)
    return "";
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  if (isa<fuse::ConstantOp, fuse::GetWeightOp>(op))
    return known[value] = constant(value, shapeOf(value));
  SmallVector<int64_t> shape;
  std::string part = repeated(value, shape);
  if (ArrayRef(shape) == shapeOf(value))
    return known[value] = part;
  onnx::GraphProto *before = std::exchange(current, graphs[op->getBlock()]);
  std::string whole = expand(part, shapeOf(value));
  current = before;
  return known[value] = whole;
}

std::string Writer::repeated(Value value, SmallVectorImpl<int64_t> &shape) {
  if (auto iota = value.getDefiningOp<fuse::IotaOp>()) {
    ArrayRef<int64_t> all = shapeOf(value);
    shape.assign(all.size() - iota.getAxis(), 1);
    shape[0] = all[iota.getAxis()];
    return numbers(shape, elementOf(value));
  }
  auto broadcast = value.getDefiningOp<fuse::BroadcastOp>();
  if (!broadcast) {
    shape.assign(shapeOf(value).begin(), shapeOf(value).end());
    return name(value);
  }
  Value operand = broadcast.getOperand();
  ArrayRef<int64_t> from = shapeOf(operand), dims = broadcast.getDims();
  int64_t rank = shapeOf(value).size();
  bool isTrailing = true;
  SmallVector<int64_t> laid(rank, 1);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    isTrailing &= dim == rank - int64_t(dims.size()) + int64_t(i);
    laid[dim] = from[i];
  }
  if (isTrailing)
    return repeated(operand, shape);
  shape.assign(llvm::find_if(laid, [](int64_t e) { return e != 1; }),
               laid.end());
  return reshaped(operand, shape);
}

std::string Writer::repeated(Value value) {
  SmallVector<int64_t> shape;
  return repeated(value, shape);
}

/// The shape that NumPy broadcasts both to, which fit.
static SmallVector<int64_t> broadcastShapes(ArrayRef<int64_t> a,
                                            ArrayRef<int64_t> b) {
  if (a.size() < b.size())
    std::swap(a, b);
  SmallVector<int64_t> shape(a);
  for (size_t i = 0; i < b.size(); ++i)
    if (int64_t &extent = shape[a.size() - 1 - i]; extent == 1)
      extent = b[b.size() - 1 - i];
  return shape;
}

Writer::Names Writer::repeatedTo(ValueRange values, ArrayRef<int64_t> shape) {
  Names all;
  SmallVector<int64_t> common;
  for (Value value : values) {
    SmallVector<int64_t> own;
    all.push_back(repeated(value, own));
    common = broadcastShapes(common, own);
  }
  if (ArrayRef(common) != shape)
    all[0] = name(values[0]);
  return all;
}

std::string Writer::reshaped(Value value, ArrayRef<int64_t> shape) {
  if (shapeOf(value) == shape)
    return name(value);
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<fuse::ConstantOp, fuse::GetWeightOp>(op))
    return constant(value, shape);
  std::string whole = name(value);
  onnx::GraphProto *before =
      std::exchange(current, graphs[value.getParentBlock()]);
  std::string result = reshape(whole, shape);
  current = before;
  return result;
}

std::string Writer::flattened(Value parameter) {
  if (!parameter)
    return "";
  int64_t count = fuse::getTensorType(parameter).getNumElements();
  if (auto reshape = parameter.getDefiningOp<fuse::ReshapeOp>())
    parameter = reshape.getOperand();
  return count == 1 ? reshaped(parameter, {}) : reshaped(parameter, {count});
}

} // namespace fusec
