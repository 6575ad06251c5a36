// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all matrix products share.
#ifndef FUSEC_COMPILER_IMPORT_OPS_MATMUL_H
#define FUSEC_COMPILER_IMPORT_OPS_MATMUL_H

#include "compiler/import/Node.h"

namespace fusec {

/// The shape of numpy.matmul of operands of these shapes: leading dimensions
/// are batches and broadcast; vectors are matrices whose added dimension the
/// result lacks.
llvm::SmallVector<int64_t> productShape(Node &node, llvm::ArrayRef<int64_t> a,
                                        llvm::ArrayRef<int64_t> b);

/// The same for two operands of the node.
inline llvm::SmallVector<int64_t> productShape(Node &node, unsigned lhs,
                                               unsigned rhs) {
  return productShape(node, node.shape(lhs), node.shape(rhs));
}

/// ONNX's Gemm of operands 0, 1 and, if it is there, 2.
mlir::Value gemm(Node &node);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_MATMUL_H
