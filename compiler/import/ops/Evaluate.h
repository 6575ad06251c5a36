// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluation of operators on constants, shared by their files.
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

/// Constants side by side along `axis` as the constant `type`. They may lack
/// the axis, along which they have the extent 1 then.
HostTensor joinConstants(llvm::ArrayRef<const HostTensor *> parts, int64_t axis,
                         mlir::RankedTensorType type);

/// `size` places of `tensor` from `start` on along `axis`.
HostTensor pickPart(const HostTensor &tensor, int64_t axis, int64_t start,
                    int64_t size);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_EVALUATE_H
