// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that are routines of the library: sorting, scattering, selecting,
// pooling regions.
#include "dialects/library/Library.h"
#include "compiler/import/Message.h"
#include "compiler/import/Presence.h"
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Calls.h"
#include "compiler/import/ops/Indices.h"
#include "compiler/import/ops/Window.h"

#include <cmath>

using namespace mlir;

namespace fusec {
namespace {

//===- TopK ---------------------------------------------------------------===//

/// An attribute at first, an operand since opset 10.
int64_t readK(Node &node) {
  if (node.opset() < 10)
    return node.intAttribute("k");
  std::vector<int64_t> k = node.constantInts(1, "number k");
  if (k.size() != 1)
    node.invalid("needs one number k, has " + llvm::Twine(k.size()));
  return k[0];
}

void convertTopK(Node &node) {
  unsigned inputs = node.opset() < 10 ? 1 : 2;
  node.requireInputs(inputs, inputs);
  int64_t axis =
      node.normalizeAxis(node.intAttribute("axis", -1), node.rank(0));
  bool largest = node.opset() < 11 || node.flag("largest", true);
  if (node.opset() >= 11)
    node.ignoreAttributes({"sorted"}); // any order will do if it is 0
  int64_t k = readK(node);
  if (k < 0 || k > node.shape(0)[axis])
    node.invalid("picks " + llvm::Twine(k) + " of " +
                 llvm::Twine(node.shape(0)[axis]) + " elements");
  SmallVector<int64_t> shape(node.shape(0));
  shape[axis] = k;
  OpBuilder &builder = node.builder;
  // What is not there comes last.
  Value x = node.input(0), presence;
  if (isa<FloatType>(node.elementType(0)))
    presence = node.presence(0);
  if (presence)
    x = node.select(presence, x, largest ? -INFINITY : INFINITY);
  fuse::CallOp op = callRoutine(node, "top_k",
                                {tensorType(shape, node.elementType(0)),
                                 tensorType(shape, builder.getI64Type())},
                                {x},
                                {{"axis", builder.getI64IntegerAttr(axis)},
                                 {"k", builder.getI64IntegerAttr(k)},
                                 {"largest", builder.getBoolAttr(largest)}});
  for (auto [i, value] : llvm::enumerate(op.getResults())) {
    Value picked = value;
    if (presence)
      picked = selectPresent(
          node, gatherElements(node, presence, op.getResult(1), axis), value);
    node.setOutput(i, picked);
  }
}

//===- Scatter ------------------------------------------------------------===//

Attribute readScatterReduction(Node &node) {
  std::string reduction = "none";
  if (node.opset() >= 16)
    reduction = node.stringAttribute("reduction", "none");
  return node.builder.getStringAttr(reduction);
}

void scatter(Node &node, StringRef routine,
             ArrayRef<std::pair<StringRef, Attribute>> parameters) {
  node.requireInputs(3, 3);
  Value data = node.input(0), indices = node.input(1), updates = node.input(2);
  if (Value presence = node.presence(1)) // others lie outside, and are left out
    indices = node.select(presence, indices, INT32_MAX);
  fuse::CallOp op = callRoutine(node, routine, {data.getType()},
                                {data, indices, updates}, parameters);
  if (fuse::getTensorType(indices).getNumElements())
    return node.setOutput(0, op.getResult(0));
  op.erase();
  node.forward(0, 0);
}

/// Scatter, as it was called before opset 11, has no reduction.
void convertScatterElements(Node &node) {
  int64_t axis = node.normalizeAxis(node.intAttribute("axis", 0), node.rank(0));
  Attribute reduction = readScatterReduction(node);
  scatter(node, "scatter_elements",
          {{"axis", node.builder.getI64IntegerAttr(axis)},
           {"reduction", reduction}});
}

void convertScatterNd(Node &node) {
  Attribute reduction = readScatterReduction(node);
  scatter(node, "scatter_nd", {{"reduction", reduction}});
}

//===- MaxUnpool ----------------------------------------------------------===//

/// The shape that MaxPool with these attributes pools to the operand's.
SmallVector<int64_t> unpooledShape(Node &node) {
  size_t spatial = node.rank(0) - 2;
  if (!node.hasAttribute("kernel_shape"))
    node.invalid("lacks the attribute 'kernel_shape'");
  auto sizes = readList(node, "kernel_shape", spatial, 1, 1);
  auto strides = readList(node, "strides", spatial, 1, 1);
  auto pads = readList(node, "pads", 2 * spatial, 0, 0);
  SmallVector<int64_t> shape(node.shape(0));
  for (size_t d = 0; d < spatial; ++d) {
    int64_t &extent = shape[d + 2];
    if (extent > INT32_MAX)
      node.invalid("has a dimension of " + llvm::Twine(extent));
    extent = (extent - 1) * strides[d] + sizes[d] - pads[d] - pads[d + spatial];
    if (extent < 1)
      node.invalid("crops dimension " + llvm::Twine(d + 2) + " to nothing");
  }
  return shape;
}

/// Zeros, and each element at its index into all of them. A larger output_shape
/// adds zeros at the ends, where it does not move what is there.
void convertMaxUnpool(Node &node) {
  node.requireInputs(2, 3);
  requireSpatial(node);
  node.requireFloat(0);
  if (node.type(1) != node.type(0).clone(node.builder.getI64Type()))
    node.invalid("needs i64 indices of the shape " + shapeText(node.shape(0)));
  Type element = node.elementType(0);
  SmallVector<int64_t> shape = unpooledShape(node);
  int64_t total = node.requireSize(tensorType(shape, element));
  SmallVector<int64_t> target = shape;
  if (node.hasInput(2)) {
    std::vector<int64_t> wanted = node.constantInts(2, "output shape");
    target.assign(wanted.begin(), wanted.end());
  }
  SmallVector<int64_t> low(shape.size(), 0), high;
  bool fits = target.size() == shape.size();
  for (size_t d = 0; fits && d < shape.size(); ++d) {
    high.push_back(target[d] - shape[d]);
    fits = high.back() >= 0;
  }
  if (!fits)
    node.invalid("has the output shape " + shapeText(target) +
                 ", which does not hold " + shapeText(shape));
  node.requireSize(tensorType(target, element));
  int64_t count = node.type(0).getNumElements();
  Value zeros = node.splat(0, tensorType({total}, element));
  Value result = zeros;
  if (count) {
    Value indices = node.reshape(node.input(1), {count});
    Value values = node.reshape(node.input(0), {count});
    result = callRoutine(node, "scatter_elements", {zeros.getType()},
                         {zeros, indices, values},
                         {{"axis", node.builder.getI64IntegerAttr(0)},
                          {"reduction", node.builder.getStringAttr("none")}})
                 .getResult(0);
  }
  result = node.reshape(result, shape);
  if (target != shape)
    result =
        node.make<fuse::PadOp>(tensorType(target, element), result, low, high,
                               node.builder.getFloatAttr(element, 0));
  node.setOutput(0, result);
}

//===- NonMaxSuppression --------------------------------------------------===//

/// Optional operand `index` as a scalar, or `fallback`.
Value readScalar(Node &node, unsigned index, Type type, double fallback) {
  if (!node.hasInput(index))
    return node.scalar(fallback, type);
  if (node.elementType(index) != type || node.type(index).getNumElements() != 1)
    node.invalid("needs one " + typeText(type) + " as operand " +
                 llvm::Twine(index));
  return node.reshape(node.input(index), {});
}

/// How many boxes are selected is data; the result has as many rows as the
/// model declares.
void convertNonMaxSuppression(Node &node) {
  node.requireInputs(2, 5);
  bool isCenter = node.flag("center_point_box");
  std::vector<std::string> open;
  RankedTensorType result = node.declaredOutput(0, open);
  if (!result) {
    llvm::SetVector<StringRef> names(llvm::from_range, open);
    std::vector<std::string> dims;
    for (StringRef name : names)
      dims.push_back((name + "=N").str());
    node.unsupported("selects as many boxes as the data have; the number of "
                     "rows must be known",
                     open.empty() || names.contains("")
                         ? "declare the output's shape in the model, with as "
                           "many rows as can be selected; rows that are left "
                           "are -1"
                         : node.addHint("dim", dims) +
                               ", as many as can be selected; rows that are "
                               "left are -1");
  }
  if (result.getRank() == 2)
    node.warn("gives the " + llvm::Twine(result.getDimSize(0)) +
                  " rows that are declared, however many boxes are selected: "
                  "rows that are left are -1, and what a Gather reads at them "
                  "is 0; further boxes are dropped",
              "declare as many rows as can be selected; " +
                  node.addHint("count", {"NAME"}) +
                  " for a further output with the number of rows that hold "
                  "something, of an output NAME");
  node.leaveOpen();
  OpBuilder &builder = node.builder;
  Type i64 = builder.getI64Type(), f32 = builder.getF32Type();
  Value boxes = node.input(0), scores = node.input(1);
  Value limit = readScalar(node, 2, i64, 0);
  Value overlap = readScalar(node, 3, f32, 0);
  Value score = readScalar(node, 4, f32, -INFINITY);
  fuse::CallOp op =
      callRoutine(node, "non_max_suppression", {result},
                  {boxes, scores, limit, overlap, score},
                  {{"center_point_box", builder.getBoolAttr(isCenter)}});
  node.setOutput(0, op.getResult(0));
}

//===- Regions ------------------------------------------------------------===//

/// An extent of the bins of each region.
int64_t requireBins(Node &node, int64_t bins, llvm::StringRef name) {
  if (bins < 1 || bins > INT32_MAX)
    node.invalid("has the " + name + " " + llvm::Twine(bins));
  return bins;
}

double readScale(Node &node) {
  double scale = node.floatAttribute("spatial_scale", 1);
  if (!std::isfinite(scale))
    node.invalid("has a spatial_scale that is no finite number");
  return scale;
}

/// The regions of operand 1 in the coordinates of the images: half floats have
/// too few digits for them. The first `plain` columns are no coordinates.
Value readRegions(Node &node, double scale, int64_t plain) {
  Type element = node.elementType(0);
  if (!element.isF64())
    element = node.builder.getF32Type();
  Value regions = node.cast(node.input(1), element);
  if (scale == 1)
    return regions;
  RankedTensorType type = fuse::getTensorType(regions);
  std::vector<double> factors(type.getDimSize(1), scale);
  std::fill_n(factors.begin(), plain, 1);
  Value factor = node.tensor(HostTensor::fromFloats(
      tensorType({type.getDimSize(1)}, element), std::move(factors)));
  return node.mul(regions, node.broadcast(factor, type.getShape()));
}

/// As many samples as each region is large.
void convertMaxRoiPool(Node &node) {
  node.requireInputs(2, 2);
  node.requireFloat(0);
  node.requireSameElementType(0, 1);
  std::vector<int64_t> bins = node.intsAttribute("pooled_shape");
  if (bins.size() != 2)
    node.invalid("needs a pooled_shape of 2 numbers, has " +
                 llvm::Twine(bins.size()));
  for (int64_t extent : bins)
    requireBins(node, extent, "pooled_shape");
  double scale = readScale(node);
  if (node.rank(0) != 4 || node.rank(1) != 2 || node.shape(1)[1] != 5)
    node.invalid("needs an input [N, C, H, W] and regions [R, 5]; has " +
                 shapeText(node.shape(0)) + " and " + shapeText(node.shape(1)));
  RankedTensorType type =
      tensorType({node.shape(1)[0], node.shape(0)[1], bins[0], bins[1]},
                 node.elementType(0));
  node.requireSize(type);
  Value regions = readRegions(node, scale, 1);
  node.setOutput(
      0, callRoutine(node, "max_roi_pool", {type}, {node.input(0), regions}, {})
             .getResult(0));
}

/// With a number of samples it is a composite, without one a routine.
void convertRoiAlign(Node &node) {
  node.requireInputs(3, 3);
  node.requireFloat(0);
  node.requireSameElementType(0, 1);
  int64_t height =
      requireBins(node, node.intAttribute("output_height", 1), "output_height");
  int64_t width =
      requireBins(node, node.intAttribute("output_width", 1), "output_width");
  int64_t points = node.intAttribute("sampling_ratio", 0);
  double scale = readScale(node);
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
  RankedTensorType type = tensorType(
      {node.shape(1)[0], node.shape(0)[1], height, width}, node.elementType(0));
  node.requireSize(type);
  if (node.type(0).getNumElements() == 0 && type.getNumElements() != 0)
    node.invalid("samples an input without elements, of shape " +
                 shapeText(node.shape(0)));
  Value x = node.input(0), rois = node.input(1), images = node.input(2);
  bool isHalf = coordinates == "half_pixel", isMaximum = mode == "max";
  if (points > 0)
    return node.setOutput(
        0, node.make<fuse::RoiAlignOp>(type, x, rois, images, uint64_t(points),
                                       APFloat(scale), isHalf, isMaximum));
  OpBuilder &builder = node.builder;
  rois = readRegions(node, scale, 0);
  node.setOutput(0, callRoutine(node, "roi_align", {type}, {x, rois, images},
                                {{"half_pixel", builder.getBoolAttr(isHalf)},
                                 {"maximum", builder.getBoolAttr(isMaximum)}})
                        .getResult(0));
}

} // namespace

void registerLibrary(Registry &r) {
  r.add("TopK", 1, convertTopK);
  r.add("Scatter", 9, convertScatterElements);
  r.add("ScatterElements", 11, convertScatterElements);
  r.add("ScatterND", 11, convertScatterNd);
  r.add("MaxUnpool", 9, convertMaxUnpool);
  r.add("NonMaxSuppression", 10, convertNonMaxSuppression);
  r.add("MaxRoiPool", 1, convertMaxRoiPool);
  r.add("RoiAlign", 10, convertRoiAlign);
}

} // namespace fusec
