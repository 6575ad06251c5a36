// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/ops/Window.h"

using namespace mlir;

namespace fusec {

/// An extent of more than 2^31 would overflow in the sums below.
static constexpr int64_t kMost = int64_t(1) << 31;

SmallVector<int64_t> readList(Node &node, llvm::StringRef name, size_t length,
                              int64_t fallback, int64_t least) {
  std::vector<int64_t> values = node.intsAttribute(name);
  if (values.empty())
    values.assign(length, fallback);
  if (values.size() != length)
    node.invalid("has " + llvm::Twine(values.size()) + " " + name +
                 " where it needs " + llvm::Twine(length));
  if (llvm::any_of(values, [&](int64_t v) { return v < least || v > kMost; }))
    node.invalid("has the " + name + " " + shapeText(values));
  return llvm::to_vector(values);
}

Window readWindow(Node &node, std::vector<int64_t> sizes, bool mayHangOver) {
  return readWindow(node, node.shape(0).drop_front(2), std::move(sizes),
                    mayHangOver);
}

Window readWindow(Node &node, ArrayRef<int64_t> in, std::vector<int64_t> sizes,
                  bool mayHangOver) {
  size_t count = in.size();
  if (sizes.size() != count ||
      llvm::any_of(sizes, [](int64_t s) { return s < 1 || s > kMost; }))
    node.invalid("has a window of " + shapeText(sizes) + " for the input " +
                 shapeText(node.shape(0)));
  Window w;
  w.sizes = llvm::to_vector(sizes);
  w.strides = readList(node, "strides", count, 1, 1);
  w.dilations = readList(node, "dilations", count, 1, 1);
  SmallVector<int64_t> pads = readList(node, "pads", 2 * count, 0, 0);
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
    // Rounded towards zero, as ONNX infers shapes: a window that hangs over by
    // less than a stride is one.
    if (room < 0 && (!mayHangOver || -room >= stride))
      node.invalid("has a window of " + llvm::Twine(span) +
                   " in the padded extent " + llvm::Twine(room + span));
    bool roundsUp = ceilMode && room > 0;
    int64_t out = (roundsUp ? (room + stride - 1) / stride : room / stride) + 1;
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

std::vector<int64_t> filterSizes(Node &node, unsigned filters) {
  ArrayRef<int64_t> x = node.shape(0), weight = node.shape(filters);
  if (weight.size() != x.size())
    node.invalid("has a weight of shape " + shapeText(weight) +
                 " for an input of " + shapeText(x));
  std::vector<int64_t> sizes = weight.drop_front(2).vec();
  if (auto stated = node.intsAttribute("kernel_shape");
      !stated.empty() && stated != sizes)
    node.invalid("has kernel_shape " + shapeText(stated) +
                 " but a weight of shape " + shapeText(weight));
  return sizes;
}

Convolution readConvolution(Node &node, unsigned filters) {
  requireSpatial(node);
  std::vector<int64_t> sizes = filterSizes(node, filters);
  ArrayRef<int64_t> x = node.shape(0), weight = node.shape(filters);
  int64_t groups = node.intAttribute("group", 1);
  if (groups < 1 || x[1] % groups != 0 || x[1] / groups != weight[1] ||
      weight[0] % groups != 0)
    node.invalid("cannot split " + llvm::Twine(x[1]) + " input and " +
                 llvm::Twine(weight[0]) + " output channels into " +
                 llvm::Twine(groups) + " groups with " +
                 llvm::Twine(weight[1]) + " input channels each");
  Window window = readWindow(node, sizes);
  auto shape = outputShape(x[0], weight[0], window);
  return {std::move(window), std::move(shape), uint64_t(groups)};
}

void requireSpatial(Node &node) {
  if (node.rank(0) < 3)
    node.invalid("needs an input [N, C, spatial...], has " +
                 shapeText(node.shape(0)));
}

} // namespace fusec
