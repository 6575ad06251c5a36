// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_TOOLS_PTXSIM_NVCC_H
#define FUSEC_TOOLS_PTXSIM_NVCC_H

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

/// What ptxas says of its kernels: their registers and shared memory.
std::string assembleCuda(const std::string &path,
                         const std::string &architecture,
                         const std::vector<std::string> &includes = {});

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_NVCC_H
