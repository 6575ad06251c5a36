// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/PlatformFiles.h"

#include "codegen/Emitters.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace fusec::codegen {

static constexpr llvm::StringLiteral kCudaRuntime[] = {
    "include/fusec/cuda/", "include/fusec/cuda_driver.h", "cuda/",
    "cmake/FusecCuda.cmake"};

static const PlatformFiles kPlatformFiles[] = {
    {/*name=*/"cpu",
     /*syntax=*/kCpuSyntax,
     /*emitKernels=*/emitHostKernels,
     /*sourceFileSuffix=*/"_kernels.cpp",
     /*hostHeader=*/"fusec/host.h",
     /*buildFunction=*/"fusec_add_kernels",
     /*buildFile=*/"",
     /*runtimeFiles=*/{}},
    {/*name=*/"cuda",
     /*syntax=*/kCudaSyntax,
     /*emitKernels=*/emitDeviceKernels,
     /*sourceFileSuffix=*/"_kernels.cu",
     /*hostHeader=*/"fusec/device_host.h",
     /*buildFunction=*/"fusec_add_device_kernels",
     /*buildFile=*/"cmake/FusecCuda.cmake",
     /*runtimeFiles=*/kCudaRuntime},
};

bool PlatformFiles::has(StringRef path) const {
  return llvm::any_of(runtimeFiles,
                      [&](StringRef begin) { return path.starts_with(begin); });
}

ArrayRef<PlatformFiles> getPlatformFiles() { return kPlatformFiles; }

const PlatformFiles &getPlatformFiles(const Platform &platform) {
  const auto *row = llvm::find_if(kPlatformFiles, [&](const auto &files) {
    return files.name == platform.name;
  });
  assert(row != std::end(kPlatformFiles) && "each platform has a row");
  return *row;
}

} // namespace fusec::codegen
