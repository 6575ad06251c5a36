// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_TOOLS_PTXSIM_NVRTC_H
#define FUSEC_TOOLS_PTXSIM_NVRTC_H

#include <map>
#include <string>
#include <vector>

namespace fusec::ptx {

/// As compileCuda (Nvcc.h), by NVRTC in this process where its library is
/// found, which takes less time, else by nvcc.
std::string compileInProcess(const std::string &path,
                             const std::string &architecture,
                             const std::vector<std::string> &includes = {});

/// What a block of a kernel takes of a multiprocessor.
struct KernelResources {
  unsigned registers = 0;   ///< of each thread
  unsigned sharedBytes = 0; ///< that the kernel declares
  /// Of each thread in local memory, which is as slow as global memory: arrays
  /// with subscripts that are not constant, and what does not fit in registers.
  unsigned localBytes = 0;
  unsigned spillBytes = 0; ///< stored and loaded for want of registers
};

/// Of each kernel of a CUDA file, by its name, as ptxas says: by NVRTC, else by
/// nvcc. Throws Error as they do.
std::map<std::string, KernelResources>
measureResources(const std::string &path, const std::string &architecture,
                 const std::vector<std::string> &includes = {});

/// What compileInProcess compiles by and its version: what it makes depends on.
std::string describeCudaCompiler();

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_NVRTC_H
