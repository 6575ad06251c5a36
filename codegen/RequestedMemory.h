// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays of a kernel for a GPU for which its launch requests shared memory, as
// they are more than a kernel may declare.
#ifndef FUSEC_CODEGEN_REQUESTEDMEMORY_H
#define FUSEC_CODEGEN_REQUESTEDMEMORY_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::codegen {

class KernelEmitter;

/// Declares those of `func` as members of a struct; nothing where the kernel
/// declares its arrays where they stand.
mlir::LogicalResult declareRequested(kernel::FuncOp func,
                                     KernelEmitter &emitter);

/// The C++ type of the elements of `op`; an error where there is none.
mlir::FailureOr<std::string> elementTypeName(kernel::LocalOp op);

/// "[8][32]"
std::string writeExtents(mlir::ArrayRef<int64_t> extents);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_REQUESTEDMEMORY_H
