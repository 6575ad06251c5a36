// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions along lanes: vectors of partial results, which are combined when
// the loop is done.
#ifndef FUSEC_PASSES_KERNEL_PARTIALRESULTS_H
#define FUSEC_PASSES_KERNEL_PARTIALRESULTS_H

#include "passes/kernel/Reductions.h"

namespace fusec::kernel {

/// Splits the accumulators of `loop`, whose iterations may be done in any
/// order, into partial results of 16 lanes each; replaces the loop.
void splitIntoPartials(ForOp loop, llvm::ArrayRef<Accumulator> accumulators);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_PARTIALRESULTS_H
