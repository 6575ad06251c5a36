// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_TOOLS_PTXSIM_NVCC_H
#define FUSEC_TOOLS_PTXSIM_NVCC_H

#include <map>
#include <string>
#include <vector>

namespace fusec::ptx {

/// $CUDACXX, nvcc on the PATH, or where CUDA installs itself; empty if there is
/// none. Throws Error where the variable names no program.
std::string findNvcc();

/// The PTX of a CUDA file, made by nvcc for an architecture ("sm_80");
/// `includes` are folders for it to look for headers in. Throws Error where
/// there is no nvcc, or it does not compile the file.
std::string compileCuda(const std::string &path,
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

/// Of each kernel of a CUDA file, by its name, as ptxas says of what nvcc makes
/// of it, which is what users build. Throws Error as compileCuda does.
std::map<std::string, KernelResources>
measureResources(const std::string &path, const std::string &architecture,
                 const std::vector<std::string> &includes = {});

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_NVCC_H
