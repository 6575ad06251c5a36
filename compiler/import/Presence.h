// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements are there, where the run time decides how many are: shapes are
// static, so that a routine which selects fewer rows than its result has leaves
// some of them open.
#ifndef FUSEC_COMPILER_IMPORT_PRESENCE_H
#define FUSEC_COMPILER_IMPORT_PRESENCE_H

#include "passes/graph/TensorBuilder.h"

namespace fusec {

/// Booleans in the shape of `value`, false where an element comes from rows
/// that were left open; null if none does. It is followed through what moves
/// elements, combines them point by point, or reduces a dimension; not through
/// products and other composites of several operands. Each boolean is built
/// behind what it tells about.
mlir::Value findPresence(mlir::OpBuilder &builder, mlir::Value value);

/// Whether `holds` of an operation that elements of `value` come from, as
/// presence is followed.
bool comesFrom(mlir::Value value,
               llvm::function_ref<bool(mlir::Operation *)> holds);
/// Whether the results of an operation have rows that it leaves open: a routine
/// with library::Routine::leavesOpen, or what the functions below build.
bool leavesOpen(mlir::Operation *op);

/// `value`, and 0 where `presence` is false: that is not there.
mlir::Value selectPresent(fuse::TensorBuilder &b, mlir::Value presence,
                          mlir::Value value);
/// The same where the rows of dimension `dim` are there up to `count` (i64 of
/// rank 0).
mlir::Value leaveRowsOpen(fuse::TensorBuilder &b, mlir::Value value,
                          int64_t dim, mlir::Value count);
/// Makes all elements count as there that `op`, built so, leaves open.
void forgetPresence(mlir::Operation *op);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_PRESENCE_H
