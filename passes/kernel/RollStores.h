// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops at the end of a tile, which write it.
#ifndef FUSEC_PASSES_KERNEL_ROLLSTORES_H
#define FUSEC_PASSES_KERNEL_ROLLSTORES_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel {

/// Lets unrolled loops that access vectors whose elements lie apart be loops:
/// each of these vectors is 16 loads or stores, so that those of a tile are more
/// text for a compiler than all else in it, and take as long in a loop.
/// Registers have no number that is computed, so what the loop reads of them is
/// copied to an array in memory before.
void rollStores(FuncOp func);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_ROLLSTORES_H
