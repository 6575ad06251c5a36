// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Primitives computed by the compiler.
#ifndef FUSEC_PASSES_GRAPH_EVALUATE_H
#define FUSEC_PASSES_GRAPH_EVALUATE_H

#include "dialects/fuse/FuseOps.h"

#include <optional>
#include <vector>

namespace fusec::fuse {

/// Computes `op` from its constant operands, as bytes in storage type, one list
/// per result; nothing if an operand is no constant or is indexed by data, if
/// the operation reduces, or if its body is unknown.
std::optional<std::vector<std::vector<char>>> evaluate(PrimitiveOpInterface op);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_EVALUATE_H
