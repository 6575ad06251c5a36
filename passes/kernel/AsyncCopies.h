// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loads that are stored to shared memory as they are, as copies that arrive
// while their thread goes on.
#ifndef FUSEC_PASSES_KERNEL_ASYNCCOPIES_H
#define FUSEC_PASSES_KERNEL_ASYNCCOPIES_H

#include "passes/kernel/AffineForms.h"

namespace fusec::kernel {

/// Whether `store` stores what an element of memory holds, or zero, as it lies
/// there, and the target has such copies of it.
bool isAsyncCopy(StoreOp store);

/// Puts an asynchronous copy in place of `store`, for which that holds; of a
/// loop of threads that does nothing else, each iteration copies as many
/// elements side by side as are proven to be whole words of both arrays.
void makeAsyncCopy(StoreOp store);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_ASYNCCOPIES_H
