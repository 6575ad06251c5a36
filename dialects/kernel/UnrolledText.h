// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much a C++ compiler gets to see of a kernel's unrolled loops.
#ifndef FUSEC_DIALECTS_KERNEL_UNROLLEDTEXT_H
#define FUSEC_DIALECTS_KERNEL_UNROLLEDTEXT_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel {

/// What `op`, with all in it, is to a C++ compiler: unrolled loops as often as
/// they have iterations, gathers and accesses whose lanes lie apart as often as
/// they have lanes.
int64_t countText(mlir::Operation *op);

/// The text of the outermost unrolled loops in `func`.
int64_t countUnrolled(FuncOp func);

} // namespace fusec::kernel

#endif // FUSEC_DIALECTS_KERNEL_UNROLLEDTEXT_H
