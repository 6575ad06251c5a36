// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_MODEL_PACKNIBBLES_H
#define FUSEC_PASSES_MODEL_PACKNIBBLES_H

#include "dialects/kernel/KernelOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace fusec::model {

/// Stores weights of 4 bits two to a byte where the first variants of all
/// groups that read them can (dialects/kernel/Nibbles.h); other variants that
/// cannot get copies. Fails, with an error, where variants have other operands.
mlir::LogicalResult packNibbles(mlir::ModuleOp module);

} // namespace fusec::model

#endif // FUSEC_PASSES_MODEL_PACKNIBBLES_H
