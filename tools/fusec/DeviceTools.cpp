// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/DeviceTools.h"

#include "fusec/cuda_driver.h"
#include "tools/ptx-sim/Nvrtc.h"

#include "llvm/ADT/STLExtras.h"

namespace fusec::tool {

static fusec_status openCuda(fusec_device **device) {
  return fusec_cuda_device_create(/*options=*/nullptr, device);
}

static constexpr DeviceTools kDeviceTools[] = {
    {/*name=*/"cuda",
     /*architecturePrefix=*/"sm_",
     /*imageKind=*/FUSEC_IMAGE_PTX,
     /*imageExtension=*/".ptx",
     /*compile=*/ptx::compileInProcess,
     /*describeCompiler=*/ptx::describeCudaCompiler,
     /*measureResources=*/ptx::measureResources,
     /*open=*/openCuda,
     /*close=*/fusec_cuda_device_destroy},
};

llvm::ArrayRef<DeviceTools> getDeviceTools() { return kDeviceTools; }

const DeviceTools &getDeviceTools(const Platform &platform) {
  const auto *row = llvm::find_if(kDeviceTools, [&](const DeviceTools &tools) {
    return tools.name == platform.name;
  });
  assert(row != std::end(kDeviceTools) && "each platform of devices has a row");
  return *row;
}

} // namespace fusec::tool
