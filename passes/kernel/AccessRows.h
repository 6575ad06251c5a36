// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a thread of a GPU accesses side by side, in one access.
#ifndef FUSEC_PASSES_KERNEL_ACCESSROWS_H
#define FUSEC_PASSES_KERNEL_ACCESSROWS_H

#include "passes/kernel/AffineForms.h"

namespace fusec::kernel {

/// Why `width` iterations of `index`, from a multiple of that, access no row of
/// elements side by side that begins at a multiple of `width`; null if they do.
const char *explainNoRow(AffineForm form, mlir::MemRefType type,
                         mlir::Value index, int64_t width);
/// The same of a row that one access moves.
const char *explainNoRow(LoadOp op, mlir::Value index, int64_t width);
const char *explainNoRow(StoreOp op, mlir::Value index, int64_t width);

/// Whether a condition is the same for all of them.
bool holdsForRow(mlir::IntegerSet condition, mlir::ValueRange operands,
                 mlir::Value index, int64_t width);

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
