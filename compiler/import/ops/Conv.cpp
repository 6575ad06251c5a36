// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions over any number of spatial dimensions.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Window.h"

#include <cmath>

using namespace mlir;

namespace fusec {
namespace {

/// The bias [channels] in operand 2, if there is one.
Value readBias(Node &node, int64_t channels) {
  if (!node.hasInput(2))
    return {};
  node.requireSameElementType(0, 2);
  if (node.shape(2) != ArrayRef<int64_t>{channels})
    node.invalid("has a bias of shape " + shapeText(node.shape(2)) + " for " +
                 llvm::Twine(channels) + " output channels");
  return node.input(2);
}

} // namespace

Value convolve(Node &node) {
  requireSpatial(node);
  node.requireFloat(0);
  node.requireSameElementType(0, 1);
  Convolution conv = readConvolution(node, 1);
  Value input = node.input(0), kernels = node.input(1);
  Value bias = readBias(node, node.shape(1)[0]);
  return node.make<fuse::ConvOp>(tensorType(conv.shape, node.elementType(0)),
                                 input, kernels, bias, conv.window.strides,
                                 conv.window.dilations, conv.window.low,
                                 conv.window.high, conv.groups);
}

namespace {

void convertConv(Node &node) {
  node.requireInputs(2, 3);
  node.setOutput(0, convolve(node));
}

/// One spatial dimension of a transposed convolution: where the result begins
/// in all that the filters reach, and how long it is.
struct Crop {
  int64_t low, out;
};

/// Of `reach` positions, `total` are cut (a negative number adds some behind).
Crop cropBoth(int64_t reach, int64_t total, bool upper) {
  if (total < 0)
    return {0, reach - total};
  return {upper ? total / 2 : total - total / 2, reach - total};
}

/// The result of a transposed convolution; ONNX's formulas for pads,
/// output_padding, output_shape and auto_pad.
SmallVector<Crop> readCrops(Node &node, ArrayRef<int64_t> sizes,
                            ArrayRef<int64_t> strides,
                            ArrayRef<int64_t> dilations) {
  ArrayRef<int64_t> in = node.shape(0).drop_front(2);
  size_t count = in.size();
  SmallVector<int64_t> pads = readList(node, "pads", 2 * count, 0, 0);
  SmallVector<int64_t> added = readList(node, "output_padding", count, 0, 0);
  std::vector<int64_t> stated = node.intsAttribute("output_shape");
  if (stated.size() == count + 2) // also with batch and channels
    stated.erase(stated.begin(), stated.begin() + 2);
  if (!stated.empty() && stated.size() != count)
    node.invalid("has the output_shape " + shapeText(stated) + " for " +
                 llvm::Twine(count) + " spatial dimensions");
  std::string autoPad = node.stringAttribute("auto_pad", "NOTSET");
  bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
  if (!same && autoPad != "NOTSET" && autoPad != "VALID" && !autoPad.empty())
    node.invalid("has the unknown auto_pad '" + autoPad + "'");
  SmallVector<Crop> crops;
  for (size_t i = 0; i < count; ++i) {
    double far = (in[i] - 1.0) * strides[i] + added[i] +
                 (sizes[i] - 1.0) * dilations[i] + std::fabs(double(pads[i])) +
                 std::fabs(double(pads[count + i])) +
                 (stated.empty() ? 0 : std::fabs(double(stated[i])));
    if (far > double(int64_t(1) << 60))
      node.invalid("reaches more positions along dimension " +
                   llvm::Twine(i + 2) + " than can be counted");
    int64_t reach =
        (in[i] - 1) * strides[i] + added[i] + (sizes[i] - 1) * dilations[i] + 1;
    bool upper = autoPad == "SAME_UPPER";
    if (!stated.empty())
      crops.push_back(cropBoth(reach, reach - stated[i], upper));
    else if (same)
      crops.push_back(cropBoth(reach, reach - in[i] * strides[i], upper));
    else if (autoPad == "VALID")
      crops.push_back({0, reach});
    else
      crops.push_back({pads[i], reach - pads[i] - pads[count + i]});
    if (crops.back().out < 1)
      node.invalid("has no output along dimension " + llvm::Twine(i + 2) +
                   ": its filters reach " + llvm::Twine(reach) +
                   " positions, all of which are cut");
  }
  return crops;
}

void convertConvTranspose(Node &node) {
  node.requireInputs(2, 3);
  requireSpatial(node);
  node.requireFloat(0);
  node.requireSameElementType(0, 1);
  std::vector<int64_t> sizes = filterSizes(node, 1);
  ArrayRef<int64_t> x = node.shape(0), weight = node.shape(1);
  int64_t groups = node.intAttribute("group", 1);
  if (groups < 1 || x[1] != weight[0] || x[1] % groups != 0)
    node.invalid("cannot split " + llvm::Twine(x[1]) + " input channels into " +
                 llvm::Twine(groups) + " groups for a weight of shape " +
                 shapeText(weight));
  if (llvm::any_of(sizes, [](int64_t s) { return s < 1; }))
    node.invalid("has a window of " + shapeText(sizes));
  SmallVector<int64_t> strides = readList(node, "strides", sizes.size(), 1, 1);
  SmallVector<int64_t> dilations =
      readList(node, "dilations", sizes.size(), 1, 1);
  Value bias = readBias(node, weight[1] * groups);
  SmallVector<int64_t> low, shape = {x[0], weight[1] * groups};
  for (Crop crop : readCrops(node, sizes, strides, dilations)) {
    low.push_back(crop.low);
    shape.push_back(crop.out);
  }
  RankedTensorType type = tensorType(shape, node.elementType(0));
  node.requireSize(type);
  Value input = node.input(0), filters = node.input(1);
  node.setOutput(0, node.make<fuse::ConvTransposeOp>(type, input, filters, bias,
                                                     strides, dilations, low,
                                                     uint64_t(groups)));
}

} // namespace

void registerConv(Registry &r) {
  r.add("Conv", 1, convertConv);
  r.add("ConvTranspose", 1, convertConvTranspose);
}

} // namespace fusec
