// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Gpu.h"

#include "passes/lock/GroupKey.h"

#include <fmt/format.h>

namespace fusec::tool {

/// A GPU, its driver, and what compiles kernels for it.
static fast_run::Backend describeGpu(const DeviceTools &tools,
                                     const fusec_device &gpu,
                                     const std::string &architecture) {
  fast_run::Backend backend;
  backend.device = gpu.name;
  backend.isa = architecture;
  backend.driver = gpu.driver;
  backend.compiler = tools.describeCompiler();
  backend.algorithms = std::to_string(lock::kAlgorithmSet);
  return backend;
}

std::string findGpu(const DeviceTools &tools, const TargetInfo *row,
                    fast_run::Backend &backend) {
  fusec_device *gpu = nullptr;
  if (tools.open(&gpu))
    return fusec_last_error(nullptr);
  const std::string architecture =
      tools.architecturePrefix.str() + std::to_string(gpu->architecture);
  std::string lack;
  if (row && gpu->architecture < row->multiprocessor->getNumber())
    lack = fmt::format("{} is of {}", gpu->name, architecture);
  else
    backend = describeGpu(tools, *gpu, architecture);
  tools.close(gpu);
  return lack;
}

std::string findGpu(const TargetInfo &row, fast_run::Backend &backend) {
  return findGpu(getDeviceTools(*row.platform), &row, backend);
}

} // namespace fusec::tool
