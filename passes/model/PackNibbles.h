// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_MODEL_PACKNIBBLES_H
#define FUSEC_PASSES_MODEL_PACKNIBBLES_H

#include "dialects/kernel/KernelOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace fusec::model {

/// Stores weights of 4 bits two to a byte where all kernels that read them can
/// (dialects/kernel/Nibbles.h).
void packNibbles(mlir::ModuleOp module);

/// Gives a kernel's argument another type.
void setArgumentType(mlir::BlockArgument argument, mlir::MemRefType type);

} // namespace fusec::model

#endif // FUSEC_PASSES_MODEL_PACKNIBBLES_H
