// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions and poolings.
#include "compiler/export/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

/// "pads" of ONNX: all lows, then all highs.
SmallVector<int64_t> joinPads(ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  SmallVector<int64_t> pads(low);
  llvm::append_range(pads, high);
  return pads;
}

/// A list that need not be there if all of it is `usual`: programs have kernels
/// that do not know it.
void setList(NodeHandle &node, llvm::StringRef name, ArrayRef<int64_t> values,
             int64_t usual) {
  if (!llvm::all_equal(values) || values.empty() || values[0] != usual)
    node.integers(name, values);
}

template <typename Op>
LogicalResult writeConvolution(Op op, Writer &w, llvm::StringRef type,
                               Writer::Names operands) {
  NodeHandle node = w.node(type, std::move(operands), op->getResults());
  setList(node, "strides", op.getStrides(), 1);
  setList(node, "dilations", op.getDilations(), 1);
  setList(node, "pads", joinPads(op.getPadLow(), op.getPadHigh()), 0);
  if (op.getGroups() != 1)
    node.integer("group", op.getGroups());
  return success();
}

LogicalResult writeConv(fuse::ConvOp op, Writer &w) {
  return writeConvolution(op, w, "Conv", w.names(op->getOperands()));
}

LogicalResult writeConvInteger(fuse::ConvIntegerOp op, Writer &w) {
  return writeConvolution(op, w, "ConvInteger",
                          {w.name(op.getInput()), w.name(op.getWeight()),
                           w.flattened(op.getInputZero()),
                           w.flattened(op.getWeightZero())});
}

LogicalResult writeQLinearConv(fuse::QLinearConvOp op, Writer &w) {
  Writer::Names operands;
  for (Value operand : op->getOperands())
    operands.push_back(operand == op.getInput() || operand == op.getWeight()
                           ? w.name(operand)
                           : w.flattened(operand));
  return writeConvolution(op, w, "QLinearConv", operands);
}

/// The result's extents are free; ONNX has pads that crop it at the end, and
/// zeros that are added there, fewer than a stride or a dilation.
LogicalResult writeConvTranspose(fuse::ConvTransposeOp op, Writer &w) {
  ArrayRef<int64_t> in = shapeOf(op.getInput()).drop_front(2),
                    window = shapeOf(op.getWeight()).drop_front(2),
                    out = shapeOf(op.getResult()).drop_front(2);
  SmallVector<int64_t> high, added;
  for (size_t d = 0; d < in.size(); ++d) {
    int64_t stride = op.getStrides()[d], dilation = op.getDilations()[d];
    int64_t all = (in[d] - 1) * stride + (window[d] - 1) * dilation + 1;
    int64_t cropped = all - op.getPadLow()[d] - out[d];
    high.push_back(std::max<int64_t>(cropped, 0));
    added.push_back(std::max<int64_t>(-cropped, 0));
    if (op.getPadLow()[d] < 0 || added.back() >= std::max(stride, dilation))
      return failure();
  }
  NodeHandle node =
      w.node("ConvTranspose", w.names(op->getOperands()), op->getResults());
  setList(node, "strides", op.getStrides(), 1);
  setList(node, "dilations", op.getDilations(), 1);
  setList(node, "pads", joinPads(op.getPadLow(), high), 0);
  setList(node, "output_padding", added, 0);
  if (op.getGroups() != 1)
    node.integer("group", op.getGroups());
  return success();
}

/// Windows that an operator of ONNX places as the operation does.
struct PoolWindow {
  SmallVector<int64_t> pads;
  bool hangsOver = false; ///< ceil_mode
};

/// The windows of `op` with `high` as pads at the ends, or, where nothing
/// counts them, with as many as the last window needs. Nothing, if ONNX would
/// place other windows; it wants pads that are smaller than windows.
template <typename Op>
std::optional<PoolWindow> placeWindows(Op op, Value input, Value result,
                                       ArrayRef<int64_t> high) {
  PoolWindow window;
  ArrayRef<int64_t> in = shapeOf(input).take_back(op.getSizes().size()),
                    out = shapeOf(result).take_back(op.getSizes().size());
  SmallVector<int64_t> ends;
  SmallVector<bool> overhangs;
  for (size_t d = 0; d < in.size(); ++d) {
    int64_t size = op.getSizes()[d], stride = op.getStrides()[d],
            low = op.getPadLow()[d];
    int64_t extent = (size - 1) * op.getDilations()[d] + 1;
    int64_t needed = (out[d] - 1) * stride + extent - in[d] - low;
    int64_t end = high.empty() ? std::max<int64_t>(needed, 0) : high[d];
    if (low >= size || end >= size || low < 0 || end < 0)
      return std::nullopt;
    int64_t room = in[d] + low + end - extent;
    bool isFloor = room >= 0 && room / stride + 1 == out[d];
    bool isCeil =
        room >= 0 && llvm::divideCeilSigned(room, stride) + 1 == out[d];
    if (!isFloor && !isCeil)
      return std::nullopt;
    ends.push_back(end);
    overhangs.push_back(!isFloor);
    window.hangsOver |= !isFloor;
  }
  // One mode for all dimensions.
  for (size_t d = 0; d < in.size(); ++d) {
    int64_t extent = (op.getSizes()[d] - 1) * op.getDilations()[d] + 1;
    int64_t room = in[d] + op.getPadLow()[d] + ends[d] - extent;
    if (window.hangsOver && !overhangs[d] && room % op.getStrides()[d] != 0)
      return std::nullopt;
  }
  window.pads = joinPads(op.getPadLow(), ends);
  return window;
}

template <typename Op>
void setWindow(NodeHandle node, Op op, const PoolWindow &window) {
  node.integers("kernel_shape", op.getSizes());
  setList(node, "strides", op.getStrides(), 1);
  setList(node, "dilations", op.getDilations(), 1);
  setList(node, "pads", window.pads, 0);
  node.flag("ceil_mode", window.hangsOver);
}

/// ONNX pools all but the first two dimensions.
template <typename Op> bool poolsImages(Op op) {
  return shapeOf(op.getInput()).size() == op.getSizes().size() + 2;
}

LogicalResult writePool(fuse::PoolOp op, Writer &w) {
  constexpr int64_t kDilationsSince = 19;
  bool isMax = op.getKind() == fuse::PoolKind::max;
  std::optional<PoolWindow> window =
      placeWindows(op, op.getInput(), op.getResult(),
                   op.getCountPad() ? op.getPadHigh() : ArrayRef<int64_t>());
  if (!window || !poolsImages(op) || (!isMax && w.opset() < kDilationsSince))
    return failure();
  NodeHandle node = w.node(isMax ? "MaxPool" : "AveragePool",
                           {w.name(op.getInput())}, op->getResults());
  setWindow(node, op, *window);
  node.flag("count_include_pad", op.getCountPad());
  return success();
}

LogicalResult writeMaxPoolIndices(fuse::MaxPoolIndicesOp op, Writer &w) {
  std::optional<PoolWindow> window =
      placeWindows(op, op.getInput(), op.getResult(), {});
  if (!window || !poolsImages(op))
    return failure();
  NodeHandle node =
      w.node("MaxPool", {w.name(op.getInput())}, op->getResults());
  setWindow(node, op, *window);
  node.flag("storage_order", op.getColumnMajor());
  return success();
}

LogicalResult writeLpPool(fuse::LpPoolOp op, Writer &w) {
  std::optional<PoolWindow> window =
      placeWindows(op, op.getInput(), op.getResult(), {});
  if (!window || !poolsImages(op))
    return failure();
  NodeHandle node = w.node("LpPool", {w.name(op.getInput())}, op->getResults());
  setWindow(node, op, *window);
  node.integer("p", op.getP());
  return success();
}

} // namespace

void registerExportWindows(ExportRegistry &r) {
  r.add<fuse::ConvOp>(writeConv);
  r.add<fuse::ConvIntegerOp>(writeConvInteger);
  r.add<fuse::QLinearConvOp>(writeQLinearConv);
  r.add<fuse::ConvTransposeOp>(writeConvTranspose);
  r.add<fuse::PoolOp>(writePool);
  r.add<fuse::MaxPoolIndicesOp>(writeMaxPoolIndices);
  r.add<fuse::LpPoolOp>(writeLpPool);
}

} // namespace fusec
