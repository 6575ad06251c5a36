// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that sample images where other operands say.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

//===- GridSample ---------------------------------------------------------===//

fuse::SampleMode readMode(Node &node) {
  std::string mode =
      node.stringAttribute("mode", node.opset() < 20 ? "bilinear" : "linear");
  if (mode == "nearest")
    return fuse::SampleMode::nearest;
  if (mode == (node.opset() < 20 ? "bilinear" : "linear"))
    return fuse::SampleMode::linear;
  if (mode == (node.opset() < 20 ? "bicubic" : "cubic"))
    return fuse::SampleMode::cubic;
  node.invalid("has the unknown mode '" + mode + "'");
}

void convertGridSample(Node &node) {
  node.requireInputs(2, 2);
  fuse::SampleMode mode = readMode(node);
  std::string text = node.stringAttribute("padding_mode", "zeros");
  std::optional<fuse::GridPadding> padding = fuse::symbolizeGridPadding(text);
  if (!padding)
    node.invalid("has the unknown padding_mode '" + text + "'");
  bool corners = node.flag("align_corners");
  node.requireFloat(0);
  node.requireFloat(1);
  ArrayRef<int64_t> x = node.shape(0), grid = node.shape(1);
  if (x.size() < 3 || grid.size() != x.size() || grid[0] != x[0] ||
      grid.back() != int64_t(x.size()) - 2)
    node.invalid("has a grid of shape " + shapeText(grid) +
                 " for an input of shape " + shapeText(x));
  // Each combination of an element per dimension becomes a gather.
  if (x.size() > 5)
    node.unsupported("samples in more than 3 dimensions");
  SmallVector<int64_t> shape(x.take_front(2));
  llvm::append_range(shape, grid.drop_front().drop_back());
  RankedTensorType type = tensorType(shape, node.elementType(0));
  if (llvm::is_contained(x.drop_front(2), 0) && type.getNumElements() != 0)
    node.invalid("samples an input without elements, of shape " + shapeText(x));
  Value input = node.input(0), places = node.input(1);
  node.setOutput(0, node.make<fuse::GridSampleOp>(type, mode, input, places,
                                                  *padding, corners));
}

//===- RoiAlign -----------------------------------------------------------===//

/// An extent of the bins of each region.
int64_t readBins(Node &node, llvm::StringRef name) {
  int64_t bins = node.intAttribute(name, 1);
  if (bins < 1 || bins > INT32_MAX)
    node.invalid("has the " + name + " " + llvm::Twine(bins));
  return bins;
}

void convertRoiAlign(Node &node) {
  node.requireInputs(3, 3);
  node.requireFloat(0);
  node.requireSameElementType(0, 1);
  int64_t height = readBins(node, "output_height");
  int64_t width = readBins(node, "output_width");
  int64_t points = node.intAttribute("sampling_ratio", 0);
  double scale = node.floatAttribute("spatial_scale", 1);
  std::string mode = node.stringAttribute("mode", "avg");
  if (mode != "avg" && mode != "max")
    node.invalid("has the unknown mode '" + mode + "'");
  // Without a choice, the first version did as output_half_pixel does.
  std::string coordinates = "output_half_pixel";
  if (node.opset() >= 16)
    coordinates =
        node.stringAttribute("coordinate_transformation_mode", "half_pixel");
  if (coordinates != "half_pixel" && coordinates != "output_half_pixel")
    node.invalid("has the unknown coordinate_transformation_mode '" +
                 coordinates + "'");
  if (node.rank(0) != 4 || node.rank(1) != 2 || node.shape(1)[1] != 4 ||
      node.shape(2) != node.shape(1).take_front(1) ||
      !node.elementType(2).isInteger(64))
    node.invalid("needs an input [N, C, H, W], regions [R, 4] and i64 numbers "
                 "of images [R]; has " +
                 shapeText(node.shape(0)) + ", " + shapeText(node.shape(1)) +
                 " and " + shapeText(node.shape(2)));
  if (points < 0 || points > 1024)
    node.invalid("has the sampling_ratio " + llvm::Twine(points));
  if (points == 0)
    node.unsupported("takes as many samples as each region is large",
                     "export the model with a sampling_ratio above 0");
  RankedTensorType type = tensorType(
      {node.shape(1)[0], node.shape(0)[1], height, width}, node.elementType(0));
  if (node.type(0).getNumElements() == 0 && type.getNumElements() != 0)
    node.invalid("samples an input without elements, of shape " +
                 shapeText(node.shape(0)));
  Value x = node.input(0), rois = node.input(1), images = node.input(2);
  node.setOutput(0, node.make<fuse::RoiAlignOp>(
                        type, x, rois, images, uint64_t(points), APFloat(scale),
                        coordinates == "half_pixel", mode == "max"));
}

} // namespace

void registerSampling(Registry &r) {
  r.add("GridSample", 16, convertGridSample);
  r.add("RoiAlign", 10, convertRoiAlign);
}

} // namespace fusec
