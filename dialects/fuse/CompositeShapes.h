// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules on shapes that several composites share.
#ifndef FUSEC_DIALECTS_FUSE_COMPOSITESHAPES_H
#define FUSEC_DIALECTS_FUSE_COMPOSITESHAPES_H

#include "dialects/fuse/FuseOps.h"

namespace fusec::fuse {

/// Whether `result` is the shape of numpy.matmul; emits an error at `op` if not.
mlir::LogicalResult verifyMatmulShapes(mlir::Operation *op,
                                       llvm::ArrayRef<int64_t> a,
                                       llvm::ArrayRef<int64_t> b,
                                       llvm::ArrayRef<int64_t> result);

/// A convolution's tensors and window, whatever its element types are.
struct ConvShapes {
  mlir::RankedTensorType input, weight, result;
  llvm::ArrayRef<int64_t> strides, dilations, padLow, padHigh;
  int64_t groups;
};

template <typename Op> ConvShapes getConvShapes(Op op) {
  return {getTensorType(op.getInput()),
          getTensorType(op.getWeight()),
          getTensorType(op.getResult()),
          op.getStrides(),
          op.getDilations(),
          op.getPadLow(),
          op.getPadHigh(),
          static_cast<int64_t>(op.getGroups())};
}

/// Whether the shapes fit one another; emits an error at `op` if not.
mlir::LogicalResult verifyConvShapes(mlir::Operation *op,
                                     const ConvShapes &conv);

} // namespace fusec::fuse

#endif // FUSEC_DIALECTS_FUSE_COMPOSITESHAPES_H
