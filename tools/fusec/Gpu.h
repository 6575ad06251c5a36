// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU of this machine, as records of Fast-Run name it.
#ifndef FUSEC_TOOLS_FUSEC_GPU_H
#define FUSEC_TOOLS_FUSEC_GPU_H

#include "dialects/TargetInfo.h"
#include "fusec/device.h"
#include "runtime/fast_run/Record.h"

namespace fusec::tool {

/// A GPU, its driver, and what compiles kernels for it.
fast_run::Backend describeGpu(const fusec_device &gpu);

/// The first GPU of this machine in `backend`, if it runs kernels for `row`,
/// where that is not null; else why there is none.
std::string findGpu(const TargetInfo *row, fast_run::Backend &backend);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_GPU_H
