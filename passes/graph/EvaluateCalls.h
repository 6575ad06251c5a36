// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Routines of the library computed by the compiler.
#ifndef FUSEC_PASSES_GRAPH_EVALUATECALLS_H
#define FUSEC_PASSES_GRAPH_EVALUATECALLS_H

#include "passes/graph/Evaluate.h"

namespace fusec::fuse {

/// Computes `call` from its operands, as bytes in storage type, one list per
/// result; nothing if an operand is not known or the routine is none that is
/// computed here.
std::optional<std::vector<std::vector<char>>> evaluateCall(CallOp call,
                                                           DataOf getData);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_EVALUATECALLS_H
