// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that were measured and are others by now.
#ifndef FUSEC_TOOLS_FUSEC_STALEKERNELS_H
#define FUSEC_TOOLS_FUSEC_STALEKERNELS_H

#include "mlir/IR/BuiltinOps.h"

namespace fusec::tool {

class TunedChoices;

/// Warns of groups of `module`, which has been through all stages, whose kernel
/// is not the one that the answers of `choices` are of.
void warnOfStale(mlir::ModuleOp module, const TunedChoices &choices);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_STALEKERNELS_H
