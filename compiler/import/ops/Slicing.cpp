// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that pick, join or surround parts of tensors.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Calls.h"
#include "compiler/import/ops/Slice.h"

using namespace mlir;

namespace fusec {
namespace {

//===- Concat, Split ------------------------------------------------------===//

/// The axis and the shape of the result.
std::pair<int64_t, SmallVector<int64_t>> concatTarget(Node &node) {
  if (node.numInputs() == 0)
    node.invalid("has no operands");
  int64_t rank = node.rank(0);
  int64_t axis = node.opset() < 4 ? node.intAttribute("axis", 1)
                                  : node.intAttribute("axis");
  axis = node.normalizeAxis(axis, rank);
  SmallVector<int64_t> shape(node.shape(0));
  for (unsigned i = 1; i < node.numInputs(); ++i) {
    node.requireSameElementType(0, i);
    bool fits = node.rank(i) == rank;
    for (int64_t d = 0; fits && d < rank; ++d)
      fits = d == axis || node.shape(i)[d] == shape[d];
    if (!fits)
      node.invalid("cannot concatenate " + shapeText(node.shape(0)) + " and " +
                   shapeText(node.shape(i)) + " along axis " +
                   llvm::Twine(axis));
    shape[axis] += node.shape(i)[axis];
  }
  return {axis, shape};
}

void convertConcat(Node &node) {
  auto [axis, shape] = concatTarget(node);
  if (Value cache = node.growingCache(axis))
    return node.setOutput(0, appendRows(node, cache, node.input(1), axis));
  SmallVector<Value> operands;
  for (unsigned i = 0; i < node.numInputs(); ++i)
    if (node.type(i).getNumElements() != 0) // such operands add nothing
      operands.push_back(node.input(i));
  if (operands.size() == 1)
    return node.setOutput(0, operands[0]);
  if (operands.empty()) // the result has no elements either
    for (unsigned i = 0; i < node.numInputs(); ++i)
      operands.push_back(node.input(i));
  node.setOutput(0, node.concat(operands, axis));
}

std::vector<int64_t> splitSizes(Node &node, int64_t extent) {
  bool isOperand = node.opset() >= 13;
  int64_t parts = node.numOutputs();
  if (isOperand && node.hasInput(1))
    return node.constantInts(1, "split");
  if (!isOperand && node.hasAttribute("split"))
    return node.intsAttribute("split");
  if (node.opset() >= 18 && node.intAttribute("num_outputs", parts) != parts)
    node.invalid("num_outputs does not match the number of outputs");
  if (node.opset() < 18 && extent % parts != 0)
    node.invalid("cannot split " + llvm::Twine(extent) + " elements into " +
                 llvm::Twine(parts) + " equal parts");
  int64_t size = (extent + parts - 1) / parts;
  std::vector<int64_t> sizes(parts, size);
  sizes.back() = extent - size * (parts - 1);
  return sizes;
}

/// The axis, and the sizes of the parts along it.
std::pair<int64_t, std::vector<int64_t>> splitTarget(Node &node) {
  if (node.numOutputs() == 0)
    node.invalid("has no outputs");
  int64_t axis = node.normalizeAxis(node.intAttribute("axis", 0), node.rank(0));
  std::vector<int64_t> sizes = splitSizes(node, node.shape(0)[axis]);
  int64_t total = 0;
  for (int64_t size : sizes)
    total += size < 0 ? -total - 1 : size;
  if (sizes.size() != node.numOutputs() || total != node.shape(0)[axis])
    node.invalid("cannot split " + llvm::Twine(node.shape(0)[axis]) +
                 " elements into parts of " + shapeText(sizes));
  return {axis, sizes};
}

void convertSplit(Node &node) {
  auto [axis, sizes] = splitTarget(node);
  SmallVector<int64_t> shape(node.shape(0)), offsets(shape.size(), 0);
  SmallVector<int64_t> strides(shape.size(), 1);
  for (auto [i, size] : llvm::enumerate(sizes)) {
    shape[axis] = size;
    if (node.wantsOutput(i))
      node.setOutput(i, slice(node, node.input(0), offsets, strides, shape));
    offsets[axis] += size;
  }
}

//===- Pad ----------------------------------------------------------------===//

/// Pads per dimension: all lows, then all highs.
std::vector<int64_t> padAmounts(Node &node) {
  int64_t rank = node.rank(0);
  std::vector<int64_t> pads = node.opset() < 2 ? node.intsAttribute("paddings")
                              : node.opset() < 11
                                  ? node.intsAttribute("pads")
                                  : node.constantInts(1, "pads");
  std::vector<int64_t> axes;
  if (node.opset() >= 18 && node.hasInput(3))
    axes = node.normalizeAxes(node.constantInts(3, "axes"), rank);
  else
    for (int64_t d = 0; d < rank; ++d)
      axes.push_back(d);
  if (pads.size() != 2 * axes.size())
    node.invalid("has " + llvm::Twine(pads.size()) + " pads for " +
                 llvm::Twine(axes.size()) + " dimensions");
  std::vector<int64_t> all(2 * rank, 0);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    all[axis] = pads[i];
    all[rank + axis] = pads[axes.size() + i];
  }
  return all;
}

/// Where position `at` of a padded dimension is read in the original.
int64_t paddedSource(llvm::StringRef mode, int64_t at, int64_t extent) {
  if (mode == "edge")
    return std::clamp<int64_t>(at, 0, extent - 1);
  if (mode == "wrap")
    return ((at % extent) + extent) % extent;
  if (extent == 1) // reflect
    return 0;
  int64_t period = 2 * (extent - 1);
  int64_t folded = ((at % period) + period) % period;
  return folded < extent ? folded : period - folded;
}

TypedAttr numberAttr(Node &node, Type type, double value) {
  if (isa<FloatType>(type))
    return node.builder.getFloatAttr(type, value);
  return node.builder.getIntegerAttr(type, int64_t(value));
}

/// What Pad fills with, or null if that is computed at run time.
TypedAttr padValue(Node &node) {
  Type type = node.elementType(0);
  if (node.opset() < 11)
    return numberAttr(node, type, node.floatAttribute("value", 0));
  if (!node.hasInput(2))
    return numberAttr(node, type, 0);
  node.requireSameElementType(0, 2);
  if (node.type(2).getNumElements() != 1)
    node.invalid("needs one fill value");
  const HostTensor *constant = node.constant(2);
  if (!constant)
    return {};
  if (constant->isFloat())
    return numberAttr(node, type, constant->floats[0]);
  return node.builder.getIntegerAttr(type, constant->ints[0]);
}

/// `value` padded to `shape`: with `fill`, else with operand 2.
Value pad(Node &node, Value value, ArrayRef<int64_t> low,
          ArrayRef<int64_t> high, ArrayRef<int64_t> shape, TypedAttr fill) {
  auto padded = [&](Value inner, TypedAttr with) {
    Type type = fuse::getTensorType(inner).getElementType();
    return node.make<fuse::PadOp>(tensorType(shape, type), inner, low, high,
                                  with);
  };
  if (fill)
    return padded(value, fill);
  // A mask of what is inside, padded with what is not.
  RankedTensorType type = fuse::getTensorType(value);
  Type bit = node.builder.getI1Type();
  Value ones = node.splat(1, type.clone(bit));
  Value inside = padded(ones, numberAttr(node, bit, 0));
  Value data = padded(value, numberAttr(node, type.getElementType(), 0));
  Value filling = node.broadcast(node.scalarInput(2, "the fill value"), shape);
  return node.select(inside, data, filling);
}

/// What Pad does to one dimension: it is cropped, then padded. Where it is read
/// by positions, these lie in the dimension as it was.
struct PaddedDim {
  int64_t offset, cropped, low, high;

  int64_t extent() const { return low + cropped + high; }
};

PaddedDim padDimension(Node &node, int64_t d, int64_t before, int64_t after) {
  for (int64_t amount : {before, after})
    if (amount < -kMaxTensorBytes || amount > kMaxTensorBytes)
      node.invalid("pads dimension " + llvm::Twine(d) + " by " +
                   llvm::Twine(amount));
  int64_t extent = node.shape(0)[d], result = before + extent + after;
  if (result < 0)
    node.invalid("crops dimension " + llvm::Twine(d) + " to less than nothing");
  int64_t begin = std::max<int64_t>(-before, 0);
  int64_t end = std::min(extent, extent + after);
  if (begin >= end) // all of it is cropped: what is left is padding
    return {0, 0, result, 0};
  return {begin, end - begin, std::max<int64_t>(before, 0),
          std::max<int64_t>(after, 0)};
}

/// The positions of the dimension of `extent` that a padded one reads. As in
/// PyTorch, "reflect" and "edge" see what a crop at the other end takes away,
/// "wrap" repeats what is left.
std::vector<int64_t> paddedPositions(llvm::StringRef mode, int64_t extent,
                                     int64_t before, const PaddedDim &dim) {
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < dim.extent(); ++i)
    positions.push_back(mode == "wrap"
                            ? dim.offset +
                                  paddedSource(mode, i - dim.low, dim.cropped)
                            : paddedSource(mode, i - before, extent));
  return positions;
}

void convertPad(Node &node) {
  std::string mode = node.stringAttribute("mode", "constant");
  bool isFilled = mode == "constant";
  std::vector<int64_t> pads = padAmounts(node);
  if (!isFilled && mode != "reflect" && mode != "edge" && mode != "wrap")
    node.invalid("has the unknown mode '" + mode + "'");
  int64_t rank = node.rank(0);
  SmallVector<PaddedDim> dims;
  for (int64_t d = 0; d < rank; ++d)
    dims.push_back(padDimension(node, d, pads[d], pads[rank + d]));
  auto isRead = [&](int64_t d) {
    return !isFilled && dims[d].low + dims[d].high != 0;
  };
  SmallVector<int64_t> offsets, strides(rank, 1), cropped, low, high, shape;
  for (auto [d, dim] : llvm::enumerate(dims)) {
    if (isRead(d) && (mode == "wrap" ? dim.cropped : node.shape(0)[d]) == 0)
      node.invalid("crops dimension " + llvm::Twine(d) +
                   " to nothing, and pads it by what is there");
    offsets.push_back(isRead(d) ? 0 : dim.offset);
    cropped.push_back(isRead(d) ? node.shape(0)[d] : dim.cropped);
    low.push_back(dim.low);
    high.push_back(dim.high);
    shape.push_back(dim.extent());
  }
  Value value = slice(node, node.input(0), offsets, strides, cropped);
  if (isFilled) {
    TypedAttr fill = padValue(node);
    if (shape != cropped)
      value = pad(node, value, low, high, shape, fill);
    return node.setOutput(0, value);
  }
  for (int64_t d = 0; d < rank; ++d) {
    if (!isRead(d))
      continue;
    Type indexType = node.builder.getI64Type();
    RankedTensorType indicesType = tensorType({shape[d]}, indexType);
    node.requireComputable(indicesType);
    SmallVector<int64_t> padded(fuse::getTensorType(value).getShape());
    padded[d] = shape[d];
    Value positions = node.tensor(HostTensor::fromInts(
        indicesType,
        paddedPositions(mode, node.shape(0)[d], pads[d], dims[d])));
    value = node.make<fuse::GatherOp>(tensorType(padded, node.elementType(0)),
                                      value, positions, uint64_t(d));
  }
  node.setOutput(0, value);
}

} // namespace

void registerSlicing(Registry &r) {
  r.add("Concat", 1, convertConcat);
  r.add("Split", 1, convertSplit).takesCodes = true;
  r.add("Slice", 1, convertSlice).takesCodes = true;
  r.add("Pad", 1, convertPad);
}

} // namespace fusec
