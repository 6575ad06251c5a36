// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resize and its forerunner Upsample: what they say about scales and extents
// becomes one list of lengths.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

#include <cmath>

using namespace mlir;
using fusec::fuse::Coordinates;
using fusec::fuse::NearestRounding;
using fusec::fuse::SampleMode;

namespace fusec {
namespace {

/// The numbers of an operand that must be known at import.
std::vector<double> constantFloats(Node &node, unsigned index,
                                   llvm::StringRef what) {
  const HostTensor *tensor = node.constant(index);
  if (!tensor)
    node.unsupported("the " + what + " are " + node.runTimeText(index),
                     "export the model with static shapes or constant " + what);
  if (!tensor->isFloat())
    node.invalid("needs " + what + " that are floats, has " +
                 typeText(tensor->type.getElementType()));
  return tensor->floats;
}

/// Where a resize leads: the result's extents, and the real numbers that they
/// are cut from.
struct Target {
  SmallVector<int64_t> extents;
  SmallVector<double> lengths;
};

/// The target of a node that keeps all dimensions.
Target startTarget(Node &node) {
  Target target{SmallVector<int64_t>(node.shape(0)), {}};
  target.lengths.assign(target.extents.begin(), target.extents.end());
  return target;
}

/// A length that a scale gives, and the extent that fits in.
void scaleDim(Node &node, Target &target, int64_t dim, double scale) {
  if (!(scale > 0) || !std::isfinite(scale))
    node.invalid("has the scale " + std::to_string(scale));
  int64_t extent = node.shape(0)[dim];
  target.lengths[dim] = double(extent) * scale;
  // In single precision, as the standard infers shapes.
  float rounded = std::floor(float(extent) * float(scale));
  if (rounded > float(INT32_MAX))
    node.unsupported("resizes dimension " + llvm::Twine(dim) +
                     " to more than 2^31 elements");
  target.extents[dim] = int64_t(rounded);
}

Target scaledTarget(Node &node, ArrayRef<double> scales,
                    ArrayRef<int64_t> axes) {
  if (scales.size() != axes.size())
    node.invalid("has " + llvm::Twine(scales.size()) + " scales for " +
                 llvm::Twine(axes.size()) + " dimensions");
  Target target = startTarget(node);
  for (auto [axis, scale] : llvm::zip(axes, scales))
    scaleDim(node, target, axis, scale);
  return target;
}

/// The target of stated extents, which with a policy bound a common scale.
Target sizedTarget(Node &node, ArrayRef<int64_t> sizes,
                   ArrayRef<int64_t> axes) {
  if (sizes.size() != axes.size())
    node.invalid("has " + llvm::Twine(sizes.size()) + " sizes for " +
                 llvm::Twine(axes.size()) + " dimensions");
  std::string policy = "stretch";
  if (node.opset() >= 18)
    policy = node.stringAttribute("keep_aspect_ratio_policy", policy);
  Target target = startTarget(node);
  double common = 0;
  for (auto [i, pair] : llvm::enumerate(llvm::zip(axes, sizes))) {
    auto [axis, size] = pair;
    if (size < 0 || size > INT32_MAX)
      node.invalid("has the size " + llvm::Twine(size));
    target.extents[axis] = size;
    target.lengths[axis] = double(size);
    double scale = double(size) / double(node.shape(0)[axis]);
    if (i == 0)
      common = scale;
    common = policy == "not_larger" ? std::min(common, scale)
                                    : std::max(common, scale);
  }
  if (policy == "stretch")
    return target;
  if (policy != "not_larger" && policy != "not_smaller")
    node.invalid("has the unknown keep_aspect_ratio_policy '" + policy + "'");
  for (int64_t axis : axes) {
    if (!(common > 0) || !std::isfinite(common))
      node.invalid("keeps the aspect ratio of an empty image");
    scaleDim(node, target, axis, common);
    target.extents[axis] = int64_t(std::floor(target.lengths[axis] + 0.5));
  }
  return target;
}

std::vector<int64_t> readAxes(Node &node) {
  std::vector<int64_t> axes;
  if (node.opset() >= 18)
    axes = node.normalizeAxes(node.intsAttribute("axes"), node.rank(0));
  if (axes.empty())
    for (int64_t d = 0; d < node.rank(0); ++d)
      axes.push_back(d);
  return axes;
}

/// Whether an optional list is given; an empty one counts as absent.
bool hasElements(Node &node, unsigned index) {
  return node.hasInput(index) && node.type(index).getNumElements() != 0;
}

Target readTarget(Node &node, ArrayRef<int64_t> axes) {
  bool hasScales = hasElements(node, 2), hasSizes = hasElements(node, 3);
  if (hasScales == hasSizes)
    node.invalid(hasScales ? "has both scales and sizes"
                           : "has neither scales nor sizes");
  if (hasScales) // which leave the policy no choice
    node.ignoreAttributes({"keep_aspect_ratio_policy"});
  return hasScales ? scaledTarget(node, constantFloats(node, 2, "scales"), axes)
                   : sizedTarget(node, node.constantInts(3, "sizes"), axes);
}

SampleMode readResizeMode(Node &node) {
  std::string mode = node.stringAttribute("mode", "nearest");
  if (mode == "nearest")
    return SampleMode::nearest;
  if (mode == "linear")
    return SampleMode::linear;
  if (mode == "cubic" && node.opset() >= 11)
    return SampleMode::cubic;
  node.invalid("has the unknown mode '" + mode + "'");
}

Coordinates readCoordinates(Node &node) {
  std::string name =
      node.stringAttribute("coordinate_transformation_mode", "half_pixel");
  std::optional<Coordinates> found = fuse::symbolizeCoordinates(name);
  if (!found)
    node.invalid("has the unknown coordinate_transformation_mode '" + name +
                 "'");
  return *found;
}

NearestRounding readNearestRounding(Node &node) {
  std::string name = node.stringAttribute("nearest_mode", "round_prefer_floor");
  std::optional<NearestRounding> found = fuse::symbolizeNearestRounding(name);
  if (!found)
    node.invalid("has the unknown nearest_mode '" + name + "'");
  return *found;
}

/// The region of interest of all dimensions: starts, then ends.
SmallVector<double> readRoi(Node &node, ArrayRef<int64_t> axes) {
  if (!node.hasInput(1))
    node.invalid("crops, and lacks the region of interest");
  std::vector<double> given =
      constantFloats(node, 1, "bounds of the region of interest");
  if (given.size() != 2 * axes.size())
    node.invalid("has a region of interest of " + llvm::Twine(given.size()) +
                 " numbers for " + llvm::Twine(axes.size()) + " dimensions");
  int64_t rank = node.rank(0);
  SmallVector<double> roi(2 * rank, 0);
  std::fill(roi.begin() + rank, roi.end(), 1);
  for (auto [i, axis] : llvm::enumerate(axes)) {
    roi[axis] = given[i];
    roi[rank + axis] = given[axes.size() + i];
  }
  return roi;
}

/// What positions outside of the region are; an integer that the elements hold.
double readOutside(Node &node, Coordinates coordinates) {
  double outside = node.floatAttribute("extrapolation_value", 0);
  if (coordinates != Coordinates::tf_crop_and_resize)
    return 0; // nothing lies outside
  auto integer = dyn_cast<IntegerType>(node.elementType(0));
  if (!integer)
    return outside;
  bool isUnsigned = integer.isUnsigned() || integer.getWidth() == 1;
  int bits = int(integer.getWidth()) - (isUnsigned ? 0 : 1);
  outside = std::trunc(outside);
  if (!(outside >= (isUnsigned ? 0 : -std::ldexp(1, bits)) &&
        outside < std::ldexp(1, bits)))
    node.invalid("has the extrapolation_value " + std::to_string(outside) +
                 ", which " + typeText(integer) + " does not hold");
  if (outside >= 0x1p63)
    node.unsupported("has the extrapolation_value " + std::to_string(outside) +
                     "; less than 2^63 is supported");
  return outside;
}

void checkTarget(Node &node, SampleMode mode, const Target &target) {
  if (mode != SampleMode::nearest && node.elementType(0).isInteger(1))
    node.invalid("interpolates booleans; cast them to numbers first");
  // A dimension is resized by tables with a row for each of its positions.
  constexpr int64_t kMost = int64_t(1) << 22;
  for (auto [from, to] : llvm::zip(node.shape(0), target.extents)) {
    if (from == 0 && to != 0)
      node.invalid("makes " + llvm::Twine(to) +
                   " elements of a dimension without any");
    if (from != to && std::max(from, to) > kMost)
      node.unsupported("makes " + llvm::Twine(to) + " positions of " +
                       llvm::Twine(from) +
                       "; more than 2^22 are not supported");
  }
}

void convertResize(Node &node) {
  node.requireInputs(1, 4);
  std::vector<int64_t> axes = readAxes(node);
  Target target = readTarget(node, axes);
  SampleMode mode = readResizeMode(node);
  Coordinates coordinates = readCoordinates(node);
  NearestRounding rounding = readNearestRounding(node);
  double a = node.floatAttribute("cubic_coeff_a", -0.75);
  if (!std::isfinite(a))
    node.invalid("has a cubic_coeff_a that is no finite number");
  double outside = readOutside(node, coordinates);
  bool excludes = node.flag("exclude_outside");
  bool antialias = node.opset() >= 18 && node.flag("antialias");
  checkTarget(node, mode, target);
  OpBuilder &b = node.builder;
  DenseF64ArrayAttr roi;
  if (coordinates == Coordinates::tf_crop_and_resize)
    roi = b.getDenseF64ArrayAttr(readRoi(node, axes));
  node.setOutput(0,
                 node.make<fuse::ResizeOp>(
                     tensorType(target.extents, node.elementType(0)), mode,
                     node.input(0), coordinates, target.lengths, rounding,
                     APFloat(a), excludes, antialias, roi, APFloat(outside)));
}

Value resizeSimply(Node &node, Value value, SampleMode mode,
                   const Target &target, NearestRounding rounding) {
  return node.make<fuse::ResizeOp>(
      tensorType(target.extents, node.elementType(0)), mode, value,
      Coordinates::asymmetric, target.lengths, rounding, APFloat(-0.75), false,
      false, DenseF64ArrayAttr(), APFloat(0.0));
}

/// Upsample, and Resize when it was young: positions over scales. Where
/// `skips` is set, a dimension that shrinks rounds up and takes every n-th
/// element from the first on, as ONNX Runtime does; one that grows rounds down.
void convertUpsample(Node &node, ArrayRef<double> scales, bool skips) {
  std::vector<int64_t> axes = readAxes(node);
  Target target = scaledTarget(node, scales, axes);
  SampleMode mode = readResizeMode(node);
  checkTarget(node, mode, target);
  Value value = node.input(0);
  if (mode == SampleMode::nearest && skips) {
    Target shrunk = startTarget(node);
    for (int64_t axis : axes)
      if (scales[axis] < 1) {
        shrunk.extents[axis] = target.extents[axis];
        shrunk.lengths[axis] = target.lengths[axis];
        target.lengths[axis] = double(target.extents[axis]);
      }
    if (shrunk.extents != node.shape(0))
      value = resizeSimply(node, value, mode, shrunk, NearestRounding::ceil);
  }
  if (fuse::getTensorType(value).getShape() != ArrayRef(target.extents))
    value = resizeSimply(node, value, mode, target, NearestRounding::floor);
  node.setOutput(0, value);
}

void convertUpsampleAttribute(Node &node) {
  node.requireInputs(1, 1);
  convertUpsample(node, node.floatsAttribute("scales"), false);
}

void convertUpsampleOperand(Node &node) {
  node.requireInputs(2, 2);
  convertUpsample(node, constantFloats(node, 1, "scales"), false);
}

void convertYoungResize(Node &node) {
  node.requireInputs(2, 2);
  convertUpsample(node, constantFloats(node, 1, "scales"), true);
}

} // namespace

void registerResize(Registry &r) {
  r.add("Upsample", 7, convertUpsampleAttribute);
  r.add("Upsample", 9, convertUpsampleOperand);
  r.add("Resize", 10, convertYoungResize);
  r.add("Resize", 11, convertResize);
}

} // namespace fusec
