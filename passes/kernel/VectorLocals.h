// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Local arrays that only lanes use, as arrays of vectors.
#ifndef FUSEC_PASSES_KERNEL_VECTORLOCALS_H
#define FUSEC_PASSES_KERNEL_VECTORLOCALS_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel {

/// Turns each local array that is read and written 16 elements at a time, at
/// multiples of 16 in its last dimension, into one of vectors (which compilers
/// keep in registers): memref<8x32xf32> -> memref<8x2xvector<16xf32>>. Arrays
/// of more than 64 vectors stay as they are.
void useVectorLocals(FuncOp func);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_VECTORLOCALS_H
