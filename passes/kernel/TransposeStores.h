// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tiles whose lanes lie apart in memory, written along their rows.
#ifndef FUSEC_PASSES_KERNEL_TRANSPOSESTORES_H
#define FUSEC_PASSES_KERNEL_TRANSPOSESTORES_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel {

/// Where iterations of an unrolled loop write vectors whose lanes lie apart, as
/// the channels of pixels do, but an element each beside the last iteration's:
/// keeps the vectors in an array, and lets kernel.store_transposed write it
/// after the loop.
void transposeStores(FuncOp func);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_TRANSPOSESTORES_H
