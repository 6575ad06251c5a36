// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The GPU of this machine, as records of Fast-Run name it.
#ifndef FUSEC_TOOLS_FUSEC_GPU_H
#define FUSEC_TOOLS_FUSEC_GPU_H

#include "runtime/fast_run/Record.h"
#include "tools/fusec/DeviceTools.h"

namespace fusec::tool {

/// The first device of this machine that `tools` opens in `backend`, if it runs
/// kernels for `row`, where that is not null; else why there is none.
std::string findGpu(const DeviceTools &tools, const TargetInfo *row,
                    fast_run::Backend &backend);
/// The same for the platform of `row`.
std::string findGpu(const TargetInfo &row, fast_run::Backend &backend);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_GPU_H
