// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/CudaCompiler.h"

#include "tools/fusec/DeviceTools.h"
#include "tools/ptx-sim/Module.h"
#include "tools/ptx-sim/Nvcc.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

namespace fusec::tool {

bool isCudaSource(llvm::StringRef source) {
  return path::extension(source) == ".cu";
}

std::vector<std::string>
CudaCompiler::getArguments(llvm::StringRef source, llvm::StringRef object,
                           llvm::StringRef architecture,
                           llvm::ArrayRef<std::string> flags) const {
  std::string virtualName = architecture.str();
  virtualName.replace(0, llvm::StringRef("sm_").size(), "compute_");
  std::vector<std::string> all = {
      nvcc,
      "-c",
      "-x",
      "cu",
      "-std=c++17",
      "-O2",
      "-gencode",
      "arch=" + virtualName + ",code=" + architecture.str(),
      "-gencode",
      "arch=" + virtualName + ",code=" + virtualName,
      "-Xcompiler=-fPIC,-fvisibility=hidden"};
  // As FusecCuda.cmake has them.
  for (llvm::StringRef flag : flags)
    all.push_back(flag.starts_with("-D") || flag.starts_with("-U")
                      ? flag.str()
                      : "-Xcompiler=" + flag.str());
  all.insert(all.end(), {source.str(), "-o", object.str()});
  return all;
}

bool hasGpu() {
  static const bool isThere =
      llvm::any_of(getDeviceTools(), [](const DeviceTools &tools) {
        fusec_device *device = nullptr;
        if (tools.open(&device))
          return false;
        tools.close(device);
        return true;
      });
  return isThere;
}

llvm::Expected<CudaCompiler> findCudaCompiler() {
  CudaCompiler compiler;
  try {
    compiler.nvcc = ptx::findNvcc();
  } catch (const ptx::Error &error) {
    return llvm::createStringError(error.what());
  }
  if (compiler.nvcc.empty())
    return llvm::createStringError(
        "there is no nvcc, which sources in CUDA need: install CUDA's toolkit, "
        "or set CUDACXX to its nvcc");
  llvm::SmallString<128> program;
  if (fs::real_path(compiler.nvcc, program))
    program = compiler.nvcc;
  compiler.toolkit = path::parent_path(path::parent_path(program.str())).str();
  for (llvm::StringRef folder : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
    llvm::SmallString<128> runtime(compiler.toolkit);
    path::append(runtime, folder, "libcudart_static.a");
    if (!fs::exists(runtime))
      continue;
    compiler.libraries = {runtime.str().str(), "-ldl", "-lpthread", "-lrt"};
    return compiler;
  }
  return llvm::createStringError("there is no libcudart_static.a in " +
                                 compiler.toolkit +
                                 ", which sources in CUDA need: install CUDA's "
                                 "runtime there");
}

} // namespace fusec::tool
