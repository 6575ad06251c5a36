// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why lanes access elements that are not side by side.
#ifndef FUSEC_PASSES_KERNEL_LANESAPART_H
#define FUSEC_PASSES_KERNEL_LANESAPART_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel {

/// A remark at an access in `lanes`, whose iterations run on lanes, to elements
/// that lie apart: how far, and why no other loop around runs on lanes.
void remarkApart(mlir::Operation *access, ForOp lanes);

} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_LANESAPART_H
