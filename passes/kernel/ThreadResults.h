// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions along loops that the threads of a block, a warp or a column share.
#ifndef FUSEC_PASSES_KERNEL_THREADRESULTS_H
#define FUSEC_PASSES_KERNEL_THREADRESULTS_H

#include "passes/kernel/Reductions.h"

namespace fusec::kernel {

/// Of what `loop`, which threads share, carries, each thread gets a partial
/// result, and all of them those of all, combined, when it is done; returns how
/// many there are.
unsigned combineThreads(ForOp loop);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_THREADRESULTS_H
