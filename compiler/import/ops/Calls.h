// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Routines of the library, as operators use them.
#ifndef FUSEC_COMPILER_IMPORT_OPS_CALLS_H
#define FUSEC_COMPILER_IMPORT_OPS_CALLS_H

#include "compiler/import/Node.h"

namespace fusec {

/// A call of `routine`; what the registry refuses breaks ONNX's rules.
fuse::CallOp callRoutine(
    Node &node, llvm::StringRef routine, llvm::ArrayRef<mlir::Type> results,
    llvm::ArrayRef<mlir::Value> operands,
    llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Attribute>> parameters);

/// `cache` with rows replaced along dimension `axis`: those of `update`, which
/// has the same other dimensions, from row `start[b]` on for element b of the
/// first one. Rows that would lie outside are left out, unless positions are
/// `circular`. The result may be the memory of the cache.
mlir::Value writeRows(Node &node, mlir::Value cache, mlir::Value update,
                      mlir::Value start, int64_t axis, bool circular);

/// `cache`, a buffer that grows (Growth.h), with the rows of `update` behind
/// those that it holds along `axis`. The result may be its memory.
mlir::Value appendRows(Node &node, mlir::Value cache, mlir::Value update,
                       int64_t axis);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_CALLS_H
