// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on images that are a few primitives: cropping and padding around
// the centre, overlapping blocks, grids of positions.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Formula.h"
#include "compiler/import/ops/Window.h"

using namespace mlir;

namespace fusec {
namespace {

//===- CenterCropPad ------------------------------------------------------===//

void convertCenterCropPad(Node &node) {
  node.requireInputs(2, 2);
  int64_t rank = node.rank(0);
  std::vector<int64_t> wanted = node.constantInts(1, "shape");
  std::vector<int64_t> axes = node.intsAttribute("axes");
  if (axes.empty())
    for (int64_t d = 0; d < rank; ++d)
      axes.push_back(d);
  axes = node.normalizeAxes(axes, rank);
  if (wanted.size() != axes.size())
    node.invalid("has a shape of " + llvm::Twine(wanted.size()) +
                 " extents for " + llvm::Twine(axes.size()) + " axes");
  SmallVector<int64_t> cropped(node.shape(0)), offsets(rank, 0);
  SmallVector<int64_t> strides(rank, 1), low(rank, 0), high(rank, 0);
  for (auto [axis, extent] : llvm::zip(axes, wanted)) {
    if (extent < 0 || extent > INT32_MAX)
      node.invalid("has the extent " + llvm::Twine(extent));
    int64_t more = extent - cropped[axis];
    // What is odd is cut or added behind.
    if (more < 0) {
      offsets[axis] = -more / 2;
      cropped[axis] = extent;
    } else {
      low[axis] = more / 2;
      high[axis] = more - low[axis];
    }
  }
  Type elementType = node.elementType(0);
  Value value = node.input(0);
  if (node.shape(0) != ArrayRef(cropped))
    value = node.make<fuse::SliceOp>(tensorType(cropped, elementType), value,
                                     offsets, strides);
  SmallVector<int64_t> shape;
  for (int64_t d = 0; d < rank; ++d)
    shape.push_back(low[d] + cropped[d] + high[d]);
  if (shape != cropped)
    value = node.make<fuse::PadOp>(tensorType(shape, elementType), value, low,
                                   high, node.builder.getZeroAttr(elementType));
  node.setOutput(0, value);
}

//===- Col2Im -------------------------------------------------------------===//

/// How blocks lie over an image.
struct Blocks {
  std::vector<int64_t> image, block;
  SmallVector<int64_t> strides, dilations, pads;
  /// How many blocks there are along each dimension.
  SmallVector<int64_t> counts;
};

Blocks readBlocks(Node &node) {
  Blocks b;
  b.image = node.constantInts(1, "image_shape");
  b.block = node.constantInts(2, "block_shape");
  size_t rank = b.image.size();
  if (rank == 0 || b.block.size() != rank)
    node.invalid("has an image_shape " + shapeText(b.image) +
                 " and a block_shape " + shapeText(b.block));
  b.strides = readList(node, "strides", rank, 1, 1);
  b.dilations = readList(node, "dilations", rank, 1, 1);
  b.pads = readList(node, "pads", 2 * rank, 0, 0);
  for (size_t d = 0; d < rank; ++d) {
    if (b.image[d] < 1 || b.image[d] > INT32_MAX || b.block[d] < 1 ||
        b.block[d] > INT32_MAX)
      node.invalid("has the image extent " + llvm::Twine(b.image[d]) +
                   " and the block extent " + llvm::Twine(b.block[d]));
    int64_t room = b.image[d] + b.pads[d] + b.pads[rank + d] -
                   (b.block[d] - 1) * b.dilations[d] - 1;
    if (room < 0)
      node.invalid("has blocks that do not fit into the image " +
                   shapeText(b.image));
    b.counts.push_back(room / b.strides[d] + 1);
  }
  return b;
}

int64_t productOf(ArrayRef<int64_t> extents) {
  int64_t product = 1;
  for (int64_t extent : extents)
    product *= extent;
  return product;
}

/// For each pixel of the image, the elements [position in block, block] that
/// lie on it, as row-major numbers.
std::vector<std::vector<int64_t>> findOverlaps(const Blocks &b) {
  std::vector<std::vector<int64_t>> overlaps(productOf(b.image));
  size_t rank = b.image.size();
  int64_t blocks = productOf(b.counts);
  for (int64_t w = 0, size = productOf(b.block); w < size; ++w)
    for (int64_t l = 0; l < blocks; ++l) {
      int64_t pixel = 0, step = 1, within = w, block = l;
      bool isInside = true;
      for (size_t d = rank; d-- > 0;) {
        int64_t at = block % b.counts[d] * b.strides[d] +
                     within % b.block[d] * b.dilations[d] - b.pads[d];
        isInside &= at >= 0 && at < b.image[d];
        pixel += at * step;
        step *= b.image[d];
        within /= b.block[d];
        block /= b.counts[d];
      }
      if (isInside)
        overlaps[pixel].push_back(w * blocks + l);
    }
  return overlaps;
}

/// Sums what blocks hold for each pixel: a gather of all that lies on it.
void convertCol2Im(Node &node) {
  node.requireInputs(3, 3);
  Blocks b = readBlocks(node);
  Type elementType = node.elementType(0);
  for (ArrayRef<int64_t> extents :
       {ArrayRef(b.image), ArrayRef(b.block), ArrayRef<int64_t>(b.counts)})
    node.requireSize(tensorType(extents, elementType));
  int64_t size = productOf(b.block), blocks = productOf(b.counts);
  if (node.rank(0) != 3 || node.shape(0)[1] % size != 0 ||
      node.shape(0)[2] != blocks)
    node.invalid("needs an input of [N, C * " + llvm::Twine(size) + ", " +
                 llvm::Twine(blocks) + "], has " + shapeText(node.shape(0)));
  constexpr int64_t kMost = int64_t(1) << 26;
  if (productOf(b.image) > kMost ||
      node.requireSize(tensorType({size, blocks}, elementType)) > kMost)
    node.unsupported("joins more than 2^26 elements to an image");
  int64_t batch = node.shape(0)[0], channels = node.shape(0)[1] / size;
  MLIRContext *context = node.builder.getContext();
  auto overlaps = findOverlaps(b);
  size_t most = 0;
  for (const auto &pixel : overlaps)
    most = std::max(most, pixel.size());
  SmallVector<int64_t> result = {batch, channels};
  llvm::append_range(result, b.image);
  if (most == 0) {
    Value zero = node.scalar(0, elementType);
    return node.setOutput(0, node.broadcast(zero, result));
  }
  std::vector<int64_t> indices, present;
  for (const auto &pixel : overlaps)
    for (size_t i = 0; i < most; ++i) {
      present.push_back(i < pixel.size());
      indices.push_back(i < pixel.size() ? pixel[i] : 0);
    }
  SmallVector<int64_t> table = {int64_t(overlaps.size()), int64_t(most)};
  SmallVector<int64_t> picked = {batch, channels, table[0], table[1]};
  bool isFull = !llvm::is_contained(present, 0);
  Value flat = node.reshape(node.input(0), {batch, channels, size * blocks});
  Value at = node.tensor(HostTensor::fromInts(
      tensorType(table, IntegerType::get(context, 32)), std::move(indices)));
  Value parts = node.make<fuse::GatherOp>(tensorType(picked, elementType), flat,
                                          at, uint64_t(2));
  if (!isFull) {
    Value mask = node.tensor(HostTensor::fromInts(
        tensorType(table, IntegerType::get(context, 1)), std::move(present)));
    mask = node.broadcast(mask, picked);
    parts = node.select(mask, parts, 0);
  }
  Value sum = node.reduction(fuse::ReductionKind::sum, parts, {3});
  node.setOutput(0, node.reshape(sum, result));
}

//===- AffineGrid ---------------------------------------------------------===//

/// Positions along a dimension, from -1 to 1: of the borders where these are
/// aligned, of the centres of pixels where not.
HostTensor gridPositions(int64_t extent, bool alignsCorners, Type elementType) {
  std::vector<double> values;
  for (int64_t i = 0; i < extent; ++i)
    if (!alignsCorners)
      values.push_back((2 * double(i) + 1) / double(extent) - 1);
    else // a single position is the centre, as PyTorch has it
      values.push_back(extent == 1 ? 0
                                   : 2 * double(i) / double(extent - 1) - 1);
  return HostTensor::fromFloats(tensorType({extent}, elementType),
                                std::move(values));
}

/// grid[n, position..., i] = theta[n, i, 0] x + theta[n, i, 1] y (+ ... z) +
/// theta[n, i, last], x running along the last dimension.
void convertAffineGrid(Node &node) {
  node.requireInputs(2, 2);
  node.requireFloat(0);
  bool alignsCorners = node.flag("align_corners");
  std::vector<int64_t> size = node.constantInts(1, "size");
  auto count = int64_t(size.size()) - 2;
  if (count != 2 && count != 3)
    node.invalid("needs a size of 4 or 5 extents, has " + shapeText(size));
  if (node.shape(0) != ArrayRef<int64_t>{size[0], count, count + 1})
    node.invalid("needs theta of shape " +
                 shapeText({size[0], count, count + 1}) + ", has " +
                 shapeText(node.shape(0)));
  Type elementType = node.elementType(0);
  SmallVector<int64_t> shape = {size[0]};
  for (int64_t extent : ArrayRef(size).drop_front(2)) {
    if (extent < 0 || extent > INT32_MAX)
      node.invalid("has the size " + shapeText(size));
    shape.push_back(extent);
  }
  shape.push_back(count);
  RankedTensorType type = tensorType(shape, elementType);
  auto spread = [&](Value value, ArrayRef<int64_t> dims) {
    return Term(node, node.broadcast(value, type.getShape(), dims));
  };
  auto column = [&](int64_t k) {
    Value part = node.slice(node.input(0), 2, k, 1);
    return spread(node.reshape(part, {size[0], count}), {0, count + 1});
  };
  Term grid = column(count);
  for (int64_t k = count - 1; k >= 0; --k) {
    int64_t dim = count - k; // x is the last dimension
    Value along =
        node.tensor(gridPositions(shape[dim], alignsCorners, elementType));
    grid = column(k) * spread(along, {dim}) + grid;
  }
  node.setOutput(0, grid.get());
}

} // namespace

void registerImage(Registry &r) {
  r.add("CenterCropPad", 18, convertCenterCropPad);
  r.add("Col2Im", 18, convertCol2Im);
  r.add("AffineGrid", 20, convertAffineGrid);
}

} // namespace fusec
