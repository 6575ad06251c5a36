// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gate of rewrites that compute a value in another way: which of the two
// the target computes sooner.
#ifndef FUSEC_PASSES_GRAPH_WORK_H
#define FUSEC_PASSES_GRAPH_WORK_H

#include "passes/graph/TensorBuilder.h"

#include "mlir/IR/PatternMatch.h"

namespace fusec::fuse {

/// How many elements of `value` are left without those that repetitions in
/// front of it make equal: what an operation on it computes, as other rules
/// compute before a repetition.
int64_t countDistinct(mlir::Value value);

/// Replaces `op` by the value of its type that `build` makes of primitives, if
/// that takes the target of the module no more steps than what it spares: `op`,
/// and what nothing but `op` reads then. Else the rewrite fails, the two
/// numbers being the reason, and `op` is as it was. An operation counts once
/// for each distinct element.
mlir::LogicalResult
replaceByLessWork(mlir::PatternRewriter &rewriter, mlir::Operation *op,
                  llvm::function_ref<mlir::Value(TensorBuilder &)> build);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_WORK_H
