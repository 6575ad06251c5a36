// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of the composites that sample their input.
#include "dialects/fuse/FuseOps.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

LogicalResult ResizeOp::verify() {
  auto x = getTensorType(getInput()), y = getTensorType(getResult());
  size_t rank = x.getRank();
  if (y.getRank() != x.getRank() || y.getElementType() != x.getElementType())
    return emitOpError("needs a result of the input's rank and element type");
  if (getMode() != SampleMode::nearest && x.getElementType().isInteger(1))
    return emitOpError("cannot interpolate booleans");
  if (getLengths().size() != rank ||
      llvm::any_of(getLengths(), [](double l) { return !(l >= 0); }))
    return emitOpError() << "needs " << rank << " lengths of 0 or more";
  bool crops = getCoordinates() == Coordinates::tf_crop_and_resize;
  if (crops != getRoi().has_value() || (crops && getRoi()->size() != 2 * rank))
    return emitOpError() << "needs a roi of " << 2 * rank
                         << " numbers if it crops, and none if not";
  for (auto [from, to] : llvm::zip(x.getShape(), y.getShape()))
    if (from == 0 && to != 0)
      return emitOpError() << "computes " << to
                           << " positions of a dimension without elements";
  return success();
}

LogicalResult GridSampleOp::verify() {
  auto x = getTensorType(getInput()), grid = getTensorType(getGrid());
  auto y = getTensorType(getResult());
  int64_t count = x.getRank() - 2;
  if (count < 1 || grid.getRank() != x.getRank() ||
      grid.getDimSize(0) != x.getDimSize(0) || grid.getShape().back() != count)
    return emitOpError("needs an input [N, C, in_1..in_k] and a grid "
                       "[N, out_1..out_k, k]");
  if (!isa<FloatType>(grid.getElementType()))
    return emitOpError("needs a grid of floats");
  if (y.getElementType() != x.getElementType() ||
      y.getShape().take_front(2) != x.getShape().take_front(2) ||
      y.getShape().drop_front(2) != grid.getShape().slice(1, count))
    return emitOpError("needs a result [N, C, out_1..out_k] of the input's "
                       "element type");
  if (llvm::is_contained(x.getShape().drop_front(2), 0) &&
      y.getNumElements() != 0)
    return emitOpError("samples an input without elements");
  return success();
}

LogicalResult RoiAlignOp::verify() {
  auto x = getTensorType(getInput()), rois = getTensorType(getRois());
  auto image = getTensorType(getImage()), y = getTensorType(getResult());
  if (x.getRank() != 4 || rois.getRank() != 2 || rois.getDimSize(1) != 4)
    return emitOpError("needs an input [N, C, H, W] and regions [R, 4]");
  Type index = image.getElementType();
  if (image.getShape() != rois.getShape().take_front(1) ||
      !(index.isInteger(32) || index.isInteger(64)))
    return emitOpError() << "needs an image of i32 or i64 for each of "
                         << rois.getDimSize(0) << " regions";
  if (y.getRank() != 4 || y.getDimSize(0) != rois.getDimSize(0) ||
      y.getDimSize(1) != x.getDimSize(1) ||
      y.getElementType() != x.getElementType())
    return emitOpError("needs a result [R, C, bins, bins] of the input's "
                       "element type");
  if (int64_t(getPoints()) < 1)
    return emitOpError("needs a point in each bin");
  if (x.getNumElements() == 0 && y.getNumElements() != 0)
    return emitOpError("samples an input without elements");
  return success();
}
