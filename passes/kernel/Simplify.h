// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of --kernel-legalize that make kernels smaller.
#ifndef FUSEC_PASSES_KERNEL_SIMPLIFY_H
#define FUSEC_PASSES_KERNEL_SIMPLIFY_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel {

/// Composes and simplifies all affine expressions with the ranges of indices;
/// resolves loops of at most one iteration, and branches and masks that always
/// or never hold.
void simplifyIndices(FuncOp func);

/// Moves loads and computations that do not change within a loop before it; out
/// of parallel loops never.
void hoistInvariants(FuncOp func);

/// Erases stores of what was loaded from the same place, as a sum of zeros
/// folds to; loops of nothing else are dead then. Whether there were any.
bool eraseIdleStores(FuncOp func);

/// Loops no longer carry what no store in them is left of.
void dropIdleCarries(FuncOp func);

/// Erases local arrays that are written but never read. Whether there were any.
bool eraseDeadLocals(FuncOp func);

/// Lets unrolled loops be loops until a C++ compiler gets no more operations of
/// them than the target's platform limits them to: what costs least first.
void limitUnrolling(FuncOp func);

/// Gives parallel loops the grain of the kernel's config. In a perfect nest of
/// them, the innermost has it. Without a config they keep theirs.
void setGrains(FuncOp func);

/// Makes one operation of loops whose products a unit adds that multiplies
/// matrices, and leaves products of vectors where they do more than that.
void tileProducts(FuncOp func);

/// Rewrites operations without a function in the kernel vocabulary into those
/// that have one. Fails with an error at an operation that has no such form.
mlir::LogicalResult expandOperations(FuncOp func);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_SIMPLIFY_H
