// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of index values from the loops around.
#ifndef FUSEC_PASSES_KERNEL_INDEXRANGES_H
#define FUSEC_PASSES_KERNEL_INDEXRANGES_H

#include "dialects/AffineRanges.h"
#include "passes/kernel/AffineForms.h"

namespace fusec::kernel {

using fusec::rangeOf; // Beside the one below, which would hide it.

/// The range of a loop index, of a kernel.apply or kernel.min of them, or of a
/// constant.
IndexRange rangeOf(mlir::Value index);

/// The ranges of the operands of a form.
llvm::SmallVector<IndexRange> rangesOf(mlir::ValueRange operands);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_INDEXRANGES_H
