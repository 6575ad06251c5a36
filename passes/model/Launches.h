// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host program launches, and the memory between launches.
#ifndef FUSEC_PASSES_MODEL_LAUNCHES_H
#define FUSEC_PASSES_MODEL_LAUNCHES_H

#include "dialects/kernel/KernelOps.h"

#include "mlir/IR/SymbolTable.h"

namespace fusec::model {

/// The sched.scop or kernel.func that `launch` names; an error at it if there
/// is none.
mlir::FailureOr<mlir::Operation *> findKernel(kernel::LaunchOp launch,
                                              const mlir::SymbolTable &symbols);

/// Whether what uses memory, no view, may write it.
bool mayWrite(mlir::OpOperand &use, const mlir::SymbolTable &symbols);

/// The bytes of the arena that a buffer takes; none where its shape is not
/// static, or its elements have no known size.
std::optional<int64_t> getArenaBytes(kernel::BufferOp buffer);

/// The bytes of all buffers of an alternative of a choice, those of
/// alternatives in it too.
int64_t getArenaBytes(mlir::Region &alternative);

} // namespace fusec::model

#endif // FUSEC_PASSES_MODEL_LAUNCHES_H
