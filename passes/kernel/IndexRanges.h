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

/// Whether a loop from the greatest of `lower` to the least of `upper` may end
/// before it begins, by a number of iterations that `step` does not divide: a
/// quotient of it would be one too many.
bool mayEndBefore(const AffineForm &lower, const AffineForm &upper,
                  int64_t step);
/// The end `upper`, or `lower` where that comes later; both of one expression.
AffineForm endAtLeast(mlir::OpBuilder &builder, mlir::Location loc,
                      const AffineForm &lower, const AffineForm &upper);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_INDEXRANGES_H
