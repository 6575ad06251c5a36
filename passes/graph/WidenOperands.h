// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of contractions in the type that computes them.
#ifndef FUSEC_PASSES_GRAPH_WIDENOPERANDS_H
#define FUSEC_PASSES_GRAPH_WIDENOPERANDS_H

#include "passes/Rules.h"

#include "mlir/IR/BuiltinOps.h"

namespace fusec::fuse {

extern const Rule kWidenedRule;

/// Has contractions of `module` read f32 in place of f16 and bf16 where they
/// convert each element so often that storing it as f32 takes less time.
void widenOperands(mlir::ModuleOp module);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_WIDENOPERANDS_H
