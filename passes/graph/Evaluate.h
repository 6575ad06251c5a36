// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Primitives computed by the compiler.
#ifndef FUSEC_PASSES_GRAPH_EVALUATE_H
#define FUSEC_PASSES_GRAPH_EVALUATE_H

#include "passes/graph/ConstantData.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <vector>

namespace fusec::fuse {

/// What is known of a value.
using DataOf =
    llvm::function_ref<std::optional<ConstantData>(mlir::Value value)>;

/// Computes `op` from its operands, as bytes in storage type, one list per
/// result; nothing if an operand is not known, or read outside of its extents,
/// or if the body is unknown. Floats are rounded to their compute type after
/// each step, but for sums, which are rounded once.
std::optional<std::vector<std::vector<char>>>
evaluate(PrimitiveOpInterface op, DataOf getData = getConstantData);

/// How many steps that takes: one per point, and what a run of points costs.
/// Saturates.
int64_t countSteps(PrimitiveOpInterface op);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_EVALUATE_H
