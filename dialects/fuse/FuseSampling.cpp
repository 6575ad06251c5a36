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
