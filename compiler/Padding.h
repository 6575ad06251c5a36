// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether an entry of a model may be run with smaller extents (--pad).
#ifndef FUSEC_COMPILER_PADDING_H
#define FUSEC_COMPILER_PADDING_H

#include "compiler/CompileOptions.h"
#include "mlir/IR/BuiltinOps.h"

namespace fusec {

/// How many smaller extents the entries of a model may have in all, for each of
/// which the model is imported.
inline constexpr size_t kMostPadded = 4096;

/// Proves that `module`, which was imported for the entry that `options` name,
/// gives the results of each smaller extent where its inputs are padded
/// (passes/padding), and marks what has to be padded and cut
/// (fuse::kPaddedAttr, codegen::kLeastAttr). Adds to `problems` the node that
/// mixes what is padded with what is not.
void provePadding(mlir::ModuleOp module, const CompileOptions &options,
                  std::vector<Problem> &problems);

} // namespace fusec

#endif // FUSEC_COMPILER_PADDING_H
