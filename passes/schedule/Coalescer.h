// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merging the dimensions of one scop.
#ifndef FUSEC_PASSES_SCHEDULE_COALESCER_H
#define FUSEC_PASSES_SCHEDULE_COALESCER_H

#include "dialects/sched/SchedOps.h"

#include "llvm/ADT/MapVector.h"

namespace fusec::sched {

/// For dimensions 0..n-1 of a statement or array: why d and d + 1 stay apart,
/// "" if they merge.
using Reasons = llvm::SmallVector<std::string>;

/// Coalesces one scop.
class Coalescer {
public:
  explicit Coalescer(ScopOp scop) : scop(scop) {}

  /// Returns whether anything changed; the scop's arguments have new types
  /// then.
  bool run(bool remarks);
  unsigned numMerged = 0, numDropped = 0;

private:
  bool dropUnitDims();
  /// Those whose subscript is 0 wherever it is not free to be outside.
  bool dropUnitArrayDims();
  void findPairs();
  mlir::BlockArgument findStencil(StmtOp stmt, int64_t dim);
  bool checkStatement(StmtOp stmt, int64_t dim);
  bool checkArray(mlir::BlockArgument array, unsigned dim);
  bool keepCommonLoops();
  void mergeDims();
  void emitRemarks();
  /// Replaces `stmt` by one over iterators that are new: old iterator d has the
  /// value `points[d]`, an expression of the new ones. `mapAccess` rewrites
  /// accesses, after that replacement.
  void rewrite(StmtOp stmt, llvm::ArrayRef<int64_t> extents,
               llvm::ArrayRef<int64_t> reduced,
               llvm::ArrayRef<mlir::AffineExpr> points,
               llvm::function_ref<Access(Access)> mapAccess);
  llvm::SmallVector<StmtOp> getStatements() {
    return llvm::to_vector(scop.getBody().getOps<StmtOp>());
  }
  /// All accesses of `array`, with their statements.
  llvm::SmallVector<std::pair<StmtOp, Access>>
  getAccesses(mlir::BlockArgument array);
  static llvm::SmallVector<Access> getAccesses(StmtOp stmt);

  ScopOp scop;
  llvm::MapVector<mlir::Operation *, Reasons> statements;
  llvm::MapVector<mlir::Value, Reasons> arrays;
};

} // namespace fusec::sched

#endif // FUSEC_PASSES_SCHEDULE_COALESCER_H
