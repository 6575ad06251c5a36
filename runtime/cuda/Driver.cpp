// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Driver.h"

#include <cstring>
#include <dlfcn.h>

namespace fusec::rt {

CuDriver::~CuDriver() {
  if (library)
    dlclose(library);
}

Nvml::~Nvml() {
  if (library)
    dlclose(library);
}

static bool findIn(void *library, void *pointer, const char *name) {
  void *function = dlsym(library, name);
  memcpy(pointer, &function, sizeof(function));
  return function != nullptr;
}

fusec_status CuDriver::load(const char *path, Error &error) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return error.set(FUSEC_UNSUPPORTED,
                     "there is no driver for NVIDIA's GPUs: %s", dlerror());
  const char *missing = nullptr;
#define FUSEC_FIND(name)                                                       \
  if (!findIn(library, &name, #name))                                          \
    missing = #name;
  FUSEC_FIND(cuInit)
  FUSEC_FIND(cuGetErrorName)
  FUSEC_FIND(cuGetErrorString)
  FUSEC_FIND(cuDriverGetVersion)
  FUSEC_FIND(cuDeviceGetCount)
  FUSEC_FIND(cuDeviceGet)
  FUSEC_FIND(cuDeviceGetName)
  FUSEC_FIND(cuDeviceGetAttribute)
  FUSEC_FIND(cuDeviceGetPCIBusId)
  FUSEC_FIND(cuDevicePrimaryCtxRetain)
  FUSEC_FIND(cuDevicePrimaryCtxRelease_v2)
  FUSEC_FIND(cuCtxPushCurrent_v2)
  FUSEC_FIND(cuCtxPopCurrent_v2)
  FUSEC_FIND(cuCtxGetDevice)
  FUSEC_FIND(cuPointerGetAttribute)
  FUSEC_FIND(cuMemAlloc_v2)
  FUSEC_FIND(cuMemFree_v2)
  FUSEC_FIND(cuMemHostAlloc)
  FUSEC_FIND(cuMemFreeHost)
  FUSEC_FIND(cuMemHostGetDevicePointer_v2)
  FUSEC_FIND(cuMemcpyHtoDAsync_v2)
  FUSEC_FIND(cuMemcpyDtoHAsync_v2)
  FUSEC_FIND(cuMemcpyDtoDAsync_v2)
  FUSEC_FIND(cuMemsetD8Async)
  FUSEC_FIND(cuMemsetD16Async)
  FUSEC_FIND(cuMemsetD32Async)
  FUSEC_FIND(cuMemsetD2D32Async)
  FUSEC_FIND(cuModuleLoadDataEx)
  FUSEC_FIND(cuModuleUnload)
  FUSEC_FIND(cuModuleGetFunction)
  FUSEC_FIND(cuFuncSetAttribute)
  FUSEC_FIND(cuLaunchKernel)
  FUSEC_FIND(cuStreamCreate)
  FUSEC_FIND(cuStreamDestroy_v2)
  FUSEC_FIND(cuStreamSynchronize)
  FUSEC_FIND(cuStreamWriteValue32_v2)
  FUSEC_FIND(cuStreamIsCapturing)
  FUSEC_FIND(cuGraphCreate)
  FUSEC_FIND(cuGraphDestroy)
  FUSEC_FIND(cuGraphAddKernelNode_v2)
  FUSEC_FIND(cuGraphAddMemcpyNode)
  FUSEC_FIND(cuGraphAddMemsetNode)
  FUSEC_FIND(cuGraphAddBatchMemOpNode)
  FUSEC_FIND(cuGraphInstantiateWithFlags)
  FUSEC_FIND(cuGraphExecDestroy)
  FUSEC_FIND(cuGraphExecKernelNodeSetParams_v2)
  FUSEC_FIND(cuGraphExecMemcpyNodeSetParams)
  FUSEC_FIND(cuGraphExecMemsetNodeSetParams)
  FUSEC_FIND(cuGraphLaunch)
  FUSEC_FIND(cuEventCreate)
  FUSEC_FIND(cuEventDestroy_v2)
  FUSEC_FIND(cuEventRecord)
  FUSEC_FIND(cuEventElapsedTime)
#undef FUSEC_FIND
  if (missing)
    return error.set(FUSEC_UNSUPPORTED,
                     "the driver %s is too old: it has no %s", path, missing);
  return FUSEC_OK;
}

bool Nvml::load(const char *path) {
  library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
#define FUSEC_FIND(name) findIn(library, &name, #name)
  return library && FUSEC_FIND(nvmlInit_v2) &&
         FUSEC_FIND(nvmlDeviceGetHandleByPciBusId_v2) &&
         FUSEC_FIND(nvmlDeviceGetClockInfo);
#undef FUSEC_FIND
}

} // namespace fusec::rt
