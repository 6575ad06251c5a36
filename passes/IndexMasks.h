// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks that follow from where an element is: of a causal attention, a window.
#ifndef FUSEC_PASSES_INDEXMASKS_H
#define FUSEC_PASSES_INDEXMASKS_H

#include "dialects/TargetInfo.h"
#include "dialects/fuse/FuseOps.h"

namespace fusec::fuse {

/// Whether `value` is made of indices and numbers, by comparisons, sums,
/// products (of the number of a block and its length) and what combines
/// comparisons.
inline bool isMadeOfIndices(mlir::Value value, unsigned depth = 8) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || depth == 0 ||
      !llvm::isa<mlir::IntegerType>(getTensorType(value).getElementType()))
    return false;
  if (llvm::isa<ConstantOp>(op))
    return getTensorType(value).getNumElements() == 1;
  if (llvm::isa<IotaOp>(op))
    return true;
  return llvm::isa<CmpOp, AndOp, AddOp, SubOp, MulOp, BroadcastOp>(op) &&
         llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
           return isMadeOfIndices(operand, depth - 1);
         });
}

/// Whether `value` is a mask of that kind. It takes few steps, no loads, and
/// where its readers compute it, they show what it hides.
inline bool isIndexMask(mlir::Value value) {
  return getTensorType(value).getElementType().isInteger(1) &&
         isMadeOfIndices(value);
}

/// How many steps may be taken for each of its elements, in place of a load:
/// where keys are in blocks, a window compares two sums with a product.
inline unsigned getMaskSteps(const OperationCosts &costs) {
  return 4 * costs.getLoadSteps();
}

} // namespace fusec::fuse

#endif // FUSEC_PASSES_INDEXMASKS_H
