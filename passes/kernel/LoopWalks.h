// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where an access goes in the iterations of the loops around it.
#ifndef FUSEC_PASSES_KERNEL_LOOPWALKS_H
#define FUSEC_PASSES_KERNEL_LOOPWALKS_H

#include "passes/kernel/IndexRanges.h"

namespace fusec::kernel {

/// An access of loops with constant bounds: the first element, and how many
/// elements each iteration moves on.
struct LoopWalk {
  llvm::SmallVector<int64_t> slopes; ///< of each loop
  AffineForm begin;                  ///< subscripts, without the loops' indices
};

/// The walk through `loops` of an access to an array of `shape`; a null loop
/// moves nothing. Nothing where an iteration does not always move as far.
std::optional<LoopWalk> followLoops(AffineForm form,
                                    llvm::ArrayRef<int64_t> shape,
                                    llvm::ArrayRef<ForOp> loops);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_LOOPWALKS_H
