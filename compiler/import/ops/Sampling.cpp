// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that sample images where other operands say.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Window.h"

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

//===- DeformConv ---------------------------------------------------------===//

/// A convolution whose filters read between the elements: where, the offsets
/// say, for each element of the result and of the filter.
struct DeformConv {
  int64_t images, groups, offsetGroups, height, width, taps, rows, columns;
};

DeformConv readDeformConv(Node &node, const Convolution &conv) {
  ArrayRef<int64_t> x = node.shape(0);
  DeformConv deform = {x[0],
                       int64_t(conv.groups),
                       node.intAttribute("offset_group", 1),
                       x[2],
                       x[3],
                       conv.window.sizes[0] * conv.window.sizes[1],
                       conv.window.out[0],
                       conv.window.out[1]};
  if (deform.offsetGroups < 1 || x[1] % deform.offsetGroups != 0)
    node.invalid("cannot split " + llvm::Twine(x[1]) + " channels into " +
                 llvm::Twine(deform.offsetGroups) + " groups of offsets");
  if (deform.height == 0 || deform.width == 0)
    node.invalid("samples an input without elements, of shape " + shapeText(x));
  return deform;
}

/// Refuses an operand [images, offset groups * `count`, rows, columns] that is
/// not one.
void requirePlaces(Node &node, unsigned index, const DeformConv &deform,
                   int64_t count) {
  node.requireSameElementType(0, index);
  SmallVector<int64_t> wanted = {deform.images, deform.offsetGroups * count,
                                 deform.rows, deform.columns};
  if (node.shape(index) != ArrayRef<int64_t>(wanted))
    node.invalid("has the operand " + llvm::Twine(index) + " of shape " +
                 shapeText(node.shape(index)) + ", expected " +
                 shapeText(wanted));
}

/// Where the filter's taps lie without an offset: [taps, 2 (y, x), rows,
/// columns]. In the coordinates of fuse.grid_sample, position p of n is at
/// 2 (p + 1/2) / n - 1.
Value buildPlaces(Node &node, const DeformConv &deform, const Window &window,
                  Type element) {
  std::vector<double> places;
  for (int64_t tap = 0; tap < deform.taps; ++tap)
    for (int64_t axis = 0; axis < 2; ++axis) {
      int64_t width = window.sizes[1];
      int64_t extent = axis == 0 ? deform.height : deform.width;
      int64_t first =
          (axis == 0 ? tap / width : tap % width) * window.dilations[axis] -
          window.low[axis];
      for (int64_t row = 0; row < deform.rows; ++row)
        for (int64_t column = 0; column < deform.columns; ++column) {
          int64_t at =
              (axis == 0 ? row : column) * window.strides[axis] + first;
          places.push_back((2.0 * at + 1) / extent - 1);
        }
    }
  auto type =
      tensorType({deform.taps, 2, deform.rows, deform.columns}, element);
  node.requireComputable(type);
  return node.tensor(HostTensor::fromFloats(type, std::move(places)));
}

/// The grid of fuse.grid_sample: [images * offset groups, taps * rows, columns,
/// 2 (x, y)].
Value buildGrid(Node &node, const DeformConv &deform, const Window &window,
                Type element) {
  int64_t batch = deform.images * deform.offsetGroups;
  SmallVector<int64_t> shape = {batch, deform.taps, 2, deform.rows,
                                deform.columns};
  auto type = tensorType(shape, element);
  Value offsets = node.reshape(node.cast(node.input(2), element), shape);
  Value unit = node.tensor(
      HostTensor::fromFloats(tensorType({2, 1, 1}, element),
                             {2.0 / deform.height, 2.0 / deform.width}));
  Value scaled = node.mul(offsets, node.broadcast(unit, shape));
  Value places =
      node.broadcast(buildPlaces(node, deform, window, element), shape);
  Value moved = node.add(scaled, places);
  Value flipped =
      node.make<fuse::SliceOp>(type, moved, ArrayRef<int64_t>{0, 0, 1, 0, 0},
                               ArrayRef<int64_t>{1, 1, -1, 1, 1});
  return node.reshape(node.transpose(flipped, {0, 1, 3, 4, 2}),
                      {batch, deform.taps * deform.rows, deform.columns, 2});
}

/// What each tap reads: [images, groups, channels of a group * taps, rows *
/// columns], times the mask if there is one.
Value buildSamples(Node &node, const DeformConv &deform, const Window &window,
                   Type element) {
  int64_t channels = node.shape(0)[1];
  int64_t batch = deform.images * deform.offsetGroups;
  int64_t shared = channels / deform.offsetGroups;
  Value x = node.reshape(node.cast(node.input(0), element),
                         {batch, shared, deform.height, deform.width});
  auto type = tensorType(
      {batch, shared, deform.taps * deform.rows, deform.columns}, element);
  Value samples = node.make<fuse::GridSampleOp>(
      type, fuse::SampleMode::linear, x,
      buildGrid(node, deform, window, element), fuse::GridPadding::zeros,
      /*align_corners=*/false);
  if (node.hasInput(4)) {
    Value mask = node.reshape(node.cast(node.input(4), element),
                              {batch, 1, type.getDimSize(2), deform.columns});
    samples = node.mul(samples, node.broadcast(mask, type.getShape()));
  }
  return node.reshape(samples, {deform.images, deform.groups,
                                channels / deform.groups * deform.taps,
                                deform.rows * deform.columns});
}

void convertDeformConv(Node &node) {
  node.requireInputs(3, 5);
  requireSpatial(node);
  node.requireFloat(0);
  node.requireSameElementType(0, 1);
  if (node.rank(0) != 4)
    node.unsupported("convolves in other than 2 dimensions");
  Convolution conv = readConvolution(node, 1);
  DeformConv deform = readDeformConv(node, conv);
  requirePlaces(node, 2, deform, 2 * deform.taps);
  if (node.hasInput(4))
    requirePlaces(node, 4, deform, deform.taps);
  // Coordinates need more digits than half floats have.
  Type result = node.elementType(0);
  Type element = result.isF64() ? result : node.builder.getF32Type();
  Value samples = buildSamples(node, deform, conv.window, element);
  int64_t filters = node.shape(1)[0] / deform.groups;
  SmallVector<int64_t> shape(fuse::getTensorType(samples).getShape());
  Value weight = node.reshape(node.cast(node.input(1), element),
                              {deform.groups, filters, shape[2]});
  shape[2] = filters;
  Value sum =
      node.make<fuse::MatmulOp>(tensorType(shape, element), weight, samples);
  Value y = node.reshape(sum, conv.shape);
  if (node.hasInput(3)) {
    node.requireSameElementType(0, 3);
    if (node.shape(3) != ArrayRef<int64_t>{conv.shape[1]})
      node.invalid("has a bias of shape " + shapeText(node.shape(3)) + " for " +
                   llvm::Twine(conv.shape[1]) + " output channels");
    Value bias =
        node.reshape(node.cast(node.input(3), element), {conv.shape[1], 1, 1});
    y = node.add(y, node.broadcast(bias, conv.shape));
  }
  node.setOutput(0, node.cast(y, result));
}

} // namespace

void registerSampling(Registry &r) {
  r.add("GridSample", 16, convertGridSample);
  r.add("DeformConv", 19, convertDeformConv);
}

} // namespace fusec
