// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the host program launches.
#ifndef FUSEC_PASSES_MODEL_LAUNCHES_H
#define FUSEC_PASSES_MODEL_LAUNCHES_H

#include "dialects/kernel/KernelOps.h"

#include "mlir/IR/SymbolTable.h"

namespace fusec::model {

/// The sched.scop or kernel.func that `launch` names; an error at it if there
/// is none.
mlir::FailureOr<mlir::Operation *> findKernel(kernel::LaunchOp launch,
                                              const mlir::SymbolTable &symbols);

} // namespace fusec::model

#endif // FUSEC_PASSES_MODEL_LAUNCHES_H
