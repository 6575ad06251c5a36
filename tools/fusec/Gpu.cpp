// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Gpu.h"

#include "fusec/cuda_driver.h"
#include "passes/lock/GroupKey.h"
#include "tools/ptx-sim/Nvrtc.h"

#include <fmt/format.h>

namespace fusec::tool {

fast_run::Backend describeGpu(const fusec_device &gpu) {
  fast_run::Backend backend;
  backend.device = gpu.name;
  backend.isa = fmt::format("sm_{}", gpu.architecture);
  backend.driver = gpu.driver;
  backend.compiler = ptx::describeCudaCompiler();
  backend.algorithms = std::to_string(lock::kAlgorithmSet);
  return backend;
}

std::string findGpu(const TargetInfo *row, fast_run::Backend &backend) {
  fusec_device *gpu = nullptr;
  if (fusec_cuda_device_create(nullptr, &gpu))
    return fusec_last_error(nullptr);
  std::string lack;
  if (row && gpu->architecture < row->multiprocessor->getNumber())
    lack = fmt::format("{} is of sm_{}", gpu->name, gpu->architecture);
  else
    backend = describeGpu(*gpu);
  fusec_cuda_device_destroy(gpu);
  return lack;
}

} // namespace fusec::tool
