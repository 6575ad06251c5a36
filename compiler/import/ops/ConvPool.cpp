// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that slide windows: convolution and pooling over any number of
// spatial dimensions.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

struct Window {
  SmallVector<int64_t> sizes, strides, dilations, low, high, out;
};

/// Reads the window attributes for the spatial dimensions of operand 0, whose
/// windows have `sizes`, and computes pads and output extents.
Window readWindow(Node &node, std::vector<int64_t> sizes) {
  ArrayRef<int64_t> in = node.shape(0).drop_front(2);
  size_t count = in.size();
  auto list = [&](llvm::StringRef name, size_t length, int64_t fallback,
                  int64_t least) {
    std::vector<int64_t> values = node.intsAttribute(name);
    if (values.empty())
      values.assign(length, fallback);
    if (values.size() != length)
      node.invalid("has " + llvm::Twine(values.size()) + " " + name +
                   " where it needs " + llvm::Twine(length));
    if (llvm::any_of(values, [&](int64_t v) { return v < least; }))
      node.invalid("has the " + name + " " + shapeText(values));
    return llvm::to_vector(values);
  };
  if (sizes.size() != count ||
      llvm::any_of(sizes, [](int64_t s) { return s < 1; }))
    node.invalid("has a window of " + shapeText(sizes) + " for the input " +
                 shapeText(node.shape(0)));
  Window w;
  w.sizes = llvm::to_vector(sizes);
  w.strides = list("strides", count, 1, 1);
  w.dilations = list("dilations", count, 1, 1);
  SmallVector<int64_t> pads = list("pads", 2 * count, 0, 0);
  std::string autoPad = node.stringAttribute("auto_pad", "NOTSET");
  bool ceilMode = node.flag("ceil_mode");
  bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  if (!same && autoPad != "NOTSET" && autoPad != "VALID" && !autoPad.empty())
    node.invalid("has the unknown auto_pad '" + autoPad + "'");

  for (size_t i = 0; i < count; ++i) {
    int64_t span = w.dilations[i] * (w.sizes[i] - 1) + 1;
    int64_t stride = w.strides[i];
    if (same) {
      int64_t out = (in[i] + stride - 1) / stride;
      int64_t pad = std::max<int64_t>((out - 1) * stride + span - in[i], 0);
      int64_t less = pad / 2;
      w.low.push_back(autoPad == "SAME_UPPER" ? less : pad - less);
      w.high.push_back(pad - w.low.back());
      w.out.push_back(out);
      continue;
    }
    bool valid = autoPad == "VALID";
    w.low.push_back(valid ? 0 : pads[i]);
    w.high.push_back(valid ? 0 : pads[count + i]);
    int64_t room = in[i] + w.low[i] + w.high[i] - span;
    if (room < 0)
      node.invalid("has a window of " + llvm::Twine(span) +
                   " in the padded extent " + llvm::Twine(room + span));
    int64_t out = (ceilMode ? (room + stride - 1) / stride : room / stride) + 1;
    // A window that would start in the padding behind the input is left out.
    if (ceilMode && (out - 1) * stride >= in[i] + w.low[i])
      --out;
    w.out.push_back(out);
  }
  return w;
}

SmallVector<int64_t> outputShape(int64_t batch, int64_t channels,
                                 const Window &window) {
  SmallVector<int64_t> shape = {batch, channels};
  llvm::append_range(shape, window.out);
  return shape;
}

void requireSpatial(Node &node) {
  if (node.rank(0) < 3)
    node.invalid("needs an input [N, C, spatial...], has " +
                 shapeText(node.shape(0)));
}

void convertConv(Node &node) {
  node.requireInputs(2, 3);
  requireSpatial(node);
  node.requireFloat(0);
  node.requireSameElementType(0, 1);
  ArrayRef<int64_t> x = node.shape(0), weight = node.shape(1);
  if (weight.size() != x.size())
    node.invalid("has a weight of shape " + shapeText(weight) +
                 " for an input of " + shapeText(x));
  int64_t groups = node.intAttribute("group", 1);
  if (groups < 1 || x[1] != weight[1] * groups || weight[0] % groups != 0)
    node.invalid("cannot split " + llvm::Twine(x[1]) + " input and " +
                 llvm::Twine(weight[0]) + " output channels into " +
                 llvm::Twine(groups) + " groups with " +
                 llvm::Twine(weight[1]) + " input channels each");
  std::vector<int64_t> kernel = weight.drop_front(2).vec();
  if (auto stated = node.intsAttribute("kernel_shape");
      !stated.empty() && stated != kernel)
    node.invalid("has kernel_shape " + shapeText(stated) +
                 " but a weight of shape " + shapeText(weight));
  Value input = node.input(0), kernels = node.input(1), bias;
  if (node.hasInput(2)) {
    node.requireSameElementType(0, 2);
    if (node.shape(2) != weight.take_front(1))
      node.invalid("has a bias of shape " + shapeText(node.shape(2)) + " for " +
                   llvm::Twine(weight[0]) + " output channels");
    bias = node.input(2);
  }
  Window window = readWindow(node, kernel);
  node.setOutput(0, node.make<fuse::ConvOp>(
                        tensorType(outputShape(x[0], weight[0], window),
                                   node.elementType(0)),
                        input, kernels, bias, window.strides, window.dilations,
                        window.low, window.high, uint64_t(groups)));
}

void pool(Node &node, fuse::PoolKind kind, const Window &window,
          bool countPad) {
  auto shape = outputShape(node.shape(0)[0], node.shape(0)[1], window);
  node.setOutput(0, node.make<fuse::PoolOp>(
                        tensorType(shape, node.elementType(0)), kind,
                        node.input(0), window.sizes, window.strides,
                        window.dilations, window.low, window.high, countPad));
}

void convertMaxPool(Node &node) {
  node.requireInputs(1, 1);
  requireSpatial(node);
  node.refuseOutput(1, "the indices of the maxima");
  node.ignoreAttributes({"storage_order"}); // orders the indices only
  pool(node, fuse::PoolKind::max,
       readWindow(node, node.intsAttribute("kernel_shape")), false);
}

void convertAveragePool(Node &node) {
  node.requireInputs(1, 1);
  requireSpatial(node);
  node.requireFloat(0);
  bool countPad = node.flag("count_include_pad");
  pool(node, fuse::PoolKind::average,
       readWindow(node, node.intsAttribute("kernel_shape")), countPad);
}

template <fuse::ReductionKind Kind> void convertGlobalPool(Node &node) {
  node.requireInputs(1, 1);
  requireSpatial(node);
  SmallVector<int64_t> dims, shape(node.shape(0));
  for (int64_t d = 2; d < node.rank(0); ++d) {
    dims.push_back(d);
    shape[d] = 1;
  }
  node.setOutput(
      0, node.make<fuse::ReductionOp>(tensorType(shape, node.elementType(0)),
                                      Kind, node.input(0), dims));
}

} // namespace

void registerConvPool(Registry &r) {
  r.add("Conv", 1, convertConv);
  r.add("MaxPool", 1, convertMaxPool);
  r.add("AveragePool", 1, convertAveragePool);
  r.add("GlobalAveragePool", 1, convertGlobalPool<fuse::ReductionKind::mean>);
  r.add("GlobalMaxPool", 1, convertGlobalPool<fuse::ReductionKind::max>);
}

} // namespace fusec
