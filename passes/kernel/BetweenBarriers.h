// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the threads of a GPU's block do between two barriers, in whichever way
// they share it.
#ifndef FUSEC_PASSES_KERNEL_BETWEENBARRIERS_H
#define FUSEC_PASSES_KERNEL_BETWEENBARRIERS_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel {

/// Whether any thread may run any iteration of `loop`, the innermost one of a
/// nest of threads: nobody writes what it reads, and all of a block wait after
/// what it stores to shared memory before they access that, and before it
/// overwrites what they have read.
bool isBetweenBarriers(ForOp loop);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_BETWEENBARRIERS_H
