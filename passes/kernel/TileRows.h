// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over rows of vectors whose lanes lie apart in memory, in tiles.
#ifndef FUSEC_PASSES_KERNEL_TILEROWS_H
#define FUSEC_PASSES_KERNEL_TILEROWS_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel {

/// Of fewer rows, transposing moves more than it saves.
constexpr int64_t kLeastTransposed = 4;

/// Whether iterations of `loop` store an element each beside the last one's for
/// each lane of `store`.
bool isRowOf(ForOp loop, StoreOp store);

/// Where a sequential loop does nothing but store vectors whose lanes lie
/// apart, and its iterations write side by side, as where rows are laid out
/// anew as columns: makes tiles of as many iterations as there are lanes, which
/// are unrolled within the loops over the vectors, as transposeStores wants
/// them.
void tileRows(FuncOp func);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_TILEROWS_H
