// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_TOOLS_PTXSIM_NVRTC_H
#define FUSEC_TOOLS_PTXSIM_NVRTC_H

#include <string>
#include <vector>

namespace fusec::ptx {

/// As compileCuda (Nvcc.h), by NVRTC in this process where its library is
/// found, which takes less time, else by nvcc.
std::string compileInProcess(const std::string &path,
                             const std::string &architecture,
                             const std::vector<std::string> &includes = {});

/// What compileInProcess compiles by and its version: what it makes depends on.
std::string describeCudaCompiler();

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_NVRTC_H
