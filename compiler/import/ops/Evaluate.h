// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation of elementwise operators on constants, shared by the tables.
#ifndef FUSEC_COMPILER_IMPORT_OPS_EVALUATE_H
#define FUSEC_COMPILER_IMPORT_OPS_EVALUATE_H

#include "compiler/import/Node.h"

namespace fusec {

/// For each element of `to`, the index of the element of a tensor of shape
/// `from` that NumPy's broadcasting reads.
std::vector<int64_t> broadcastIndices(llvm::ArrayRef<int64_t> from,
                                      llvm::ArrayRef<int64_t> to);

/// Operand `index` of `node`, which is known, broadcast to `shape`.
HostTensor broadcastConstant(Node &node, unsigned index,
                             llvm::ArrayRef<int64_t> shape);

/// The strides of a row-major tensor.
std::vector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_EVALUATE_H
