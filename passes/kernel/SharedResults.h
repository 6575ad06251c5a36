// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a loop over threads carries, as results of its iterations.
#ifndef FUSEC_PASSES_KERNEL_SHAREDRESULTS_H
#define FUSEC_PASSES_KERNEL_SHAREDRESULTS_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel {

/// Gives each iteration of `loop`, which is parallel, an array of its own for
/// each that the loop carries, and combines it with that one in its end.
/// Returns how many there were.
unsigned shareAmongThreads(ForOp loop);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_SHAREDRESULTS_H
