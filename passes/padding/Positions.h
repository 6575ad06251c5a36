// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers that follow from where they are in a tensor.
#ifndef FUSEC_PASSES_PADDING_POSITIONS_H
#define FUSEC_PASSES_PADDING_POSITIONS_H

#include "dialects/AffineRanges.h"
#include "dialects/fuse/FuseOps.h"

#include "llvm/ADT/DenseMap.h"

namespace fusec::padding {

/// The ranges of indices below these extents.
llvm::SmallVector<IndexRange> rangesOf(llvm::ArrayRef<int64_t> extents);

/// An expression of indices below these extents, as short as it gets.
mlir::AffineExpr simplify(mlir::AffineExpr expr,
                          llvm::ArrayRef<int64_t> extents);

/// The indices of a reshape's operand in those of its result, which has
/// elements.
llvm::SmallVector<mlir::AffineExpr> getReshapedIndices(fuse::ReshapeOp op);

/// Integers of tensors as expressions of where they are: with dims for the
/// indices, null where there is none.
class Positions {
public:
  mlir::AffineExpr find(mlir::Value value) { return find(value, kMostSteps); }
  /// The same of the elements at `index` along `axis`, which the expression has
  /// no dim for.
  mlir::AffineExpr findPart(mlir::Value value, unsigned axis, int64_t index);

private:
  /// How far back it is looked for what a position is computed of.
  static constexpr unsigned kMostSteps = 64;

  mlir::AffineExpr find(mlir::Value value, unsigned steps);
  mlir::AffineExpr compute(mlir::Value value, unsigned steps);
  mlir::AffineExpr computeBody(fuse::PrimitiveOpInterface op, unsigned steps);
  mlir::AffineExpr computePart(fuse::SliceOp slice, fuse::ConcatOp concat,
                               unsigned steps);

  llvm::DenseMap<mlir::Value, mlir::AffineExpr> known;
};

} // namespace fusec::padding

#endif // FUSEC_PASSES_PADDING_POSITIONS_H
