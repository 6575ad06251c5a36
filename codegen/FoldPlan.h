// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which values of a block are printed inside of the expression that uses them.
#ifndef FUSEC_CODEGEN_FOLDPLAN_H
#define FUSEC_CODEGEN_FOLDPLAN_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace fusec::codegen {

/// A value folds if it has one use, in the same block, and nothing between its
/// place and the statement that its user ends up in changes what it reads.
class FoldPlan {
public:
  explicit FoldPlan(mlir::Block &block);
  bool folds(mlir::Operation *op) const { return statementOf.contains(op); }

private:
  /// Per folded operation: the operation whose statement it is printed in.
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> statementOf;
};

/// Whether `op` or what is inside of it may write to `memref`.
bool mayWrite(mlir::Operation *op, mlir::Value memref);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_FOLDPLAN_H
