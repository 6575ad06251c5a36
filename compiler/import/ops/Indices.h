// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices of elements, as operators that gather have them.
#ifndef FUSEC_COMPILER_IMPORT_OPS_INDICES_H
#define FUSEC_COMPILER_IMPORT_OPS_INDICES_H

#include "compiler/import/Node.h"

namespace fusec {

/// Operand 1, the indices into dimensions of these extents, counted from the
/// front. Wrong ones that only the run time knows stay inside the tensor: ONNX
/// leaves the behaviour open.
mlir::Value readIndices(Node &node, llvm::ArrayRef<int64_t> extents);

/// y[p] = x[p with n[p] in place of p's index along the axis]; n is in range.
mlir::Value gatherElements(Node &node, mlir::Value x, mlir::Value n,
                           int64_t axis);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_INDICES_H
