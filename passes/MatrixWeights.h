// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of few bits in products that a unit of a GPU multiplies.
#ifndef FUSEC_PASSES_MATRIXWEIGHTS_H
#define FUSEC_PASSES_MATRIXWEIGHTS_H

#include "passes/Expansion.h"
#include "passes/Terms.h"

namespace fusec::fuse {

/// Whether a unit of a GPU multiplies the matrices of `contraction`, which come
/// from memory, and in so many rows that it takes less time to store what the
/// weights that its operand `number` is computed from stand for than to compute
/// it where numbers are multiplied one by one.
inline bool isExpandedOnce(PrimitiveOpInterface contraction, unsigned number) {
  auto op = mlir::dyn_cast<ContractOp>(contraction.getOperation());
  if (!op || !getMatrixUnit(op) ||
      !isExpansion(op->getOperand(number).getDefiningOp()))
    return false;
  // An element is stored and loaded; meanwhile it could be multiplied.
  const TargetInfo &target = getTargetInfo(op);
  const Multiprocessor &mp = *target.multiprocessor;
  const unsigned bits = getTensorType(op->getOperand(number))
                            .getElementType()
                            .getIntOrFloatBitWidth();
  const double nanoseconds = 2.0 * bits / 8 / double(mp.memoryBytes);
  const double products = double(target.cores * mp.warp) / target.costs.simple;
  return double(countRows(contraction, number)) > nanoseconds * products;
}

} // namespace fusec::fuse

#endif // FUSEC_PASSES_MATRIXWEIGHTS_H
