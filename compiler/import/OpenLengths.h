// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices whose length only the run time knows, where what follows reduces them:
// the bags of an EmbeddingBag. They have as many rows as there can be, of which
// those behind the length are not there (Presence.h), and must not be seen.
#ifndef FUSEC_COMPILER_IMPORT_OPENLENGTHS_H
#define FUSEC_COMPILER_IMPORT_OPENLENGTHS_H

#include "compiler/import/Node.h"
#include "llvm/ADT/DenseSet.h"

namespace fusec {

/// `value` with the rows of `dim` from `length` on left open. `refusal` is what
/// is said if something would see that they are there.
mlir::Value leaveLengthOpen(Node &node, mlir::Value value, int64_t dim,
                            mlir::Value length, const NodeError &refusal);

/// Whether elements of `value` come from such a slice.
bool hasOpenLength(mlir::Value value);

/// `value` with `neutral` where `presence` is false: a reduction over `dims`
/// does not see what is not there.
mlir::Value fillAbsent(Node &node, mlir::Value value, mlir::Value presence,
                       double neutral, llvm::ArrayRef<int64_t> dims);

/// Follows each such slice in `module` to what reads it, and returns the
/// refusals of those that something other than such a reduction sees the length
/// of, or that reach `outputs`. Nothing is open any more behind the reductions.
std::vector<Problem> closeLengths(mlir::ModuleOp module,
                                  const llvm::DenseSet<mlir::Value> &outputs);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPENLENGTHS_H
