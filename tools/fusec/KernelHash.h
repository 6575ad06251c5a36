// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tells a kernel that was measured from one that is another by now.
#ifndef FUSEC_TOOLS_FUSEC_KERNELHASH_H
#define FUSEC_TOOLS_FUSEC_KERNELHASH_H

#include "dialects/kernel/KernelOps.h"

#include "mlir/IR/BuiltinOps.h"

namespace fusec::tool {

class TunedChoices;

/// 16 hexadecimal digits, of what a kernel that has been through all stages
/// computes and how: the same in each model, under each name, and whichever
/// variants of its group there are beside it.
std::string hashKernel(kernel::FuncOp func);

/// Warns of groups of `module`, which has been through all stages, whose kernel
/// is not the one that the answers of `choices` are of.
void warnOfStale(mlir::ModuleOp module, const TunedChoices &choices);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_KERNELHASH_H
