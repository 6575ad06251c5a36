// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reads images at positions between their elements.
#include "compiler/export/Registry.h"

#include <cmath>

using namespace mlir;

namespace fusec {
namespace {

/// Lengths that are integers are ONNX's sizes; others follow from scales, which
/// are of f32 there and must lead to the same extents.
LogicalResult writeResize(fuse::ResizeOp op, Writer &w) {
  ArrayRef<int64_t> from = shapeOf(op.getInput()), to = shapeOf(op.getResult());
  bool hasSizes = true;
  std::vector<float> scales;
  for (auto [dim, length] : llvm::enumerate(op.getLengths())) {
    hasSizes &= length == double(to[dim]);
    scales.push_back(float(length / double(from[dim])));
  }
  for (auto [dim, scale] : llvm::enumerate(scales))
    if (!hasSizes &&
        (std::floor(float(from[dim]) * scale) != float(to[dim]) ||
         std::abs(double(from[dim]) * scale - op.getLengths()[dim]) > 1e-6))
      return failure();
  std::vector<float> roi;
  if (auto bounds = op.getRoi())
    roi.assign(bounds->begin(), bounds->end());
  NodeHandle node =
      w.node("Resize",
             {w.name(op.getInput()), roi.empty() ? "" : w.reals(roi),
              hasSizes ? "" : w.reals(scales), hasSizes ? w.integers(to) : ""},
             op->getResults());
  node.text("mode", stringifySampleMode(op.getMode()))
      .text("coordinate_transformation_mode",
            stringifyCoordinates(op.getCoordinates()))
      .flag("exclude_outside", op.getExcludeOutside())
      .flag("antialias", op.getAntialias());
  if (op.getMode() == fuse::SampleMode::nearest)
    node.text("nearest_mode", stringifyNearestRounding(op.getRounding()));
  if (op.getMode() == fuse::SampleMode::cubic)
    node.real("cubic_coeff_a", op.getCubicA());
  if (!roi.empty())
    node.real("extrapolation_value", op.getExtrapolation());
  return success();
}

/// Operator set 20 has other names for what it interpolates by.
LogicalResult writeGridSample(fuse::GridSampleOp op, Writer &w) {
  constexpr int64_t kNewNamesSince = 20;
  bool isNew = w.opset() >= kNewNamesSince;
  if (elementOf(op.getGrid()) != elementOf(op.getInput()) ||
      (!isNew && shapeOf(op.getInput()).size() != 4))
    return failure();
  std::string mode = stringifySampleMode(op.getMode()).str();
  if (!isNew && op.getMode() != fuse::SampleMode::nearest)
    mode = "bi" + mode;
  w.node("GridSample", w.names(op->getOperands()), op->getResults())
      .text("mode", mode)
      .text("padding_mode", stringifyGridPadding(op.getPadding()))
      .flag("align_corners", op.getAlignCorners());
  return success();
}

LogicalResult writeRoiAlign(fuse::RoiAlignOp op, Writer &w) {
  if (!elementOf(op.getImage()).isInteger(64))
    return failure();
  ArrayRef<int64_t> out = shapeOf(op.getResult());
  w.node("RoiAlign", w.names(op->getOperands()), op->getResults())
      .text("mode", op.getMaximum() ? "max" : "avg")
      .text("coordinate_transformation_mode",
            op.getHalfPixel() ? "half_pixel" : "output_half_pixel")
      .integer("output_height", out[2])
      .integer("output_width", out[3])
      .integer("sampling_ratio", op.getPoints())
      .real("spatial_scale", op.getScale());
  return success();
}

} // namespace

void registerExportSampling(ExportRegistry &r) {
  r.add<fuse::ResizeOp>(writeResize);
  r.add<fuse::GridSampleOp>(writeGridSample);
  r.add<fuse::RoiAlignOp>(writeRoiAlign);
}

} // namespace fusec
