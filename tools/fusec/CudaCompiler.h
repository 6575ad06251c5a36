// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CUDA's compiler of this machine, for sources of operators that launch kernels
// of their own. Kernels that fusec emits are DeviceTools' business.
#ifndef FUSEC_TOOLS_FUSEC_CUDACOMPILER_H
#define FUSEC_TOOLS_FUSEC_CUDACOMPILER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace fusec::tool {

struct CudaCompiler {
  std::string nvcc;
  /// The folder that CUDA is installed in.
  std::string toolkit;
  /// What a linker needs besides the objects: CUDA's runtime, as a static
  /// library, and what that needs.
  std::vector<std::string> libraries;

  /// Compiles `source` into `object`, for an architecture ("sm_80"); `flags`
  /// are for the C++ compiler.
  std::vector<std::string>
  getArguments(llvm::StringRef source, llvm::StringRef object,
               llvm::StringRef architecture,
               llvm::ArrayRef<std::string> flags) const;
};

/// Whether a source is in CUDA, by its name (.cu).
bool isCudaSource(llvm::StringRef path);

/// Whether there is a GPU here, on which such operators launch their kernels;
/// else their forms for CPUs run, and their sources in CUDA are not compiled.
bool hasGpu();

/// Errors: there is no nvcc, or no libcudart_static.a beside it.
llvm::Expected<CudaCompiler> findCudaCompiler();

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_CUDACOMPILER_H
