// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A contraction whose rows other operations of the group reduce, and a second
// one that multiplies what they become: attention.
#ifndef FUSEC_PASSES_FUSION_ROWS_H
#define FUSEC_PASSES_FUSION_ROWS_H

#include "dialects/TargetInfo.h"
#include "dialects/fuse/FuseOps.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <string>

namespace fusec::fuse {

/// The contractions of a set of operations, and who reads the first one.
class Rows {
public:
  /// `ops` are in program order and distinct.
  explicit Rows(llvm::ArrayRef<mlir::Operation *> ops);

  /// Why the reducing operations cannot be one group; nothing if they can: at
  /// most one contraction, or two of one operand, or one that makes rows,
  /// reductions of these, and at most one product with them, or one whose sums
  /// of blocks a reduction adds up.
  std::optional<std::string> refuse() const;

  /// Whether rows that a contraction makes are reduced.
  bool areMade() const {
    return !contractions.empty() && readsMade() && !leavesRows();
  }

  /// Whether `op` computes with what the first contraction makes.
  bool reads(mlir::Operation *op) const { return readers.contains(op); }

private:
  bool shareOperand() const;
  bool readsMade() const;
  bool isAround(PrimitiveOpInterface op, mlir::AffineExpr iterator) const;
  bool leavesRows() const;
  bool joinsParts(PrimitiveOpInterface reduction) const;
  bool sumBlocks(unsigned matrix) const;
  std::optional<std::string> refuseTwins() const;
  std::optional<std::string> refuseMatrix(PrimitiveOpInterface op,
                                          unsigned matrix, int64_t most) const;
  std::optional<std::string> refuseProducer() const;
  std::optional<std::string> refuseProduct(PrimitiveOpInterface product) const;

  /// Of the module that the operations are in; null if there are none.
  const TargetInfo *target;
  llvm::SmallVector<PrimitiveOpInterface> contractions, reductions;
  llvm::DenseSet<mlir::Operation *> readers;
  /// What computes with the second contraction.
  llvm::DenseSet<mlir::Operation *> behind;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_FUSION_ROWS_H
