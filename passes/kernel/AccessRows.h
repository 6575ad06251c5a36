// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread of a GPU accesses side by side, in one access.
#ifndef FUSEC_PASSES_KERNEL_ACCESSROWS_H
#define FUSEC_PASSES_KERNEL_ACCESSROWS_H

#include "passes/kernel/AffineForms.h"

namespace fusec::kernel {

/// Why `width` iterations of `index`, from a multiple of that, access no row of
/// elements that one access moves; null if they do.
const char *explainNoRow(LoadOp op, mlir::Value index, int64_t width);
const char *explainNoRow(StoreOp op, mlir::Value index, int64_t width);

/// Whether the condition is the same for all of them.
bool holdsForRow(IfOp condition, mlir::Value index, int64_t width);

/// Whether `each` is the loop over what a thread has side by side.
bool isRowLoop(ForOp each);

/// Makes rows of the accesses in such a loop, as far as that changes nothing,
/// and returns how many. Erases the loop where nothing is left in it. `tell`
/// gets those of memory, along the loop, that stay, and why.
unsigned
makeRows(ForOp each,
         llvm::function_ref<void(mlir::Operation *, llvm::StringRef)> tell);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_ACCESSROWS_H
