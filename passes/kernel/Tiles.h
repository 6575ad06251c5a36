// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles: the blocks that registers should last for.
#ifndef FUSEC_PASSES_KERNEL_TILES_H
#define FUSEC_PASSES_KERNEL_TILES_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel {

/// The innermost blocks that allocate accumulators: local arrays that a loop
/// carries, other than on lanes.
llvm::SmallVector<mlir::Block *> findTiles(FuncOp func);

/// Whether `value` belongs to a block below `block`.
bool isInside(mlir::Value value, mlir::Block &block);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_TILES_H
