// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on kernels, between their construction from schedules and emission.
#ifndef FUSEC_PASSES_KERNEL_PASSES_H
#define FUSEC_PASSES_KERNEL_PASSES_H

#include "dialects/kernel/KernelOps.h"

#include "mlir/Pass/Pass.h"

namespace fusec::kernel {
#define GEN_PASS_DECL
#include "passes/kernel/Passes.h.inc"

/// registerKernelPasses() makes them known to pass pipelines by name.
#define GEN_PASS_REGISTRATION
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

#endif // FUSEC_PASSES_KERNEL_PASSES_H
