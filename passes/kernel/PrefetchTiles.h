// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_KERNEL_PREFETCHTILES_H
#define FUSEC_PASSES_KERNEL_PREFETCHTILES_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel {

/// Adds prefetches of what the next tile reads of `array` to the reductions of
/// tiles: see Passes.td. Returns how many.
unsigned prefetchTiles(FuncOp func, mlir::Value array);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_PREFETCHTILES_H
