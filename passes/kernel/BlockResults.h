// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions whose parts blocks of a GPU share.
#ifndef FUSEC_PASSES_KERNEL_BLOCKRESULTS_H
#define FUSEC_PASSES_KERNEL_BLOCKRESULTS_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel {

/// Of what `loop`, of blocks, carries, each block leaves a partial result in
/// the workspace; the last one that is done combines them, always in the same
/// order, and runs what stands behind the loop. What stands before it every
/// block runs, but for what the results begin with. Of an atomic loop each
/// block adds its part to the output that what stands behind stores. Returns
/// how many arrays these are; an error where a sum is not only stored to an
/// output.
mlir::FailureOr<unsigned> combineBlocks(ForOp loop);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_BLOCKRESULTS_H
