// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slice, and slices as other operators build them.
#ifndef FUSEC_COMPILER_IMPORT_OPS_SLICE_H
#define FUSEC_COMPILER_IMPORT_OPS_SLICE_H

#include "compiler/import/Node.h"

namespace fusec {

/// The part of `value` of this shape; no operation if that is all.
mlir::Value slice(Node &node, mlir::Value value,
                  llvm::ArrayRef<int64_t> offsets,
                  llvm::ArrayRef<int64_t> strides,
                  llvm::ArrayRef<int64_t> shape);

void convertSlice(Node &node);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_SLICE_H
