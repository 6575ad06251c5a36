// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements of an array are live together: what takes the place of another
// one in memory must not come between its last write and a read.
#ifndef FUSEC_PASSES_POLY_TREE_LIVENESS_H
#define FUSEC_PASSES_POLY_TREE_LIVENESS_H

#include "passes/poly/tree/PolyScop.h"

namespace fusec::poly {

/// { mN[e] -> mN[f] }: below `node`, in one iteration of the loops above it, f
/// is written after e was, or at once with it, and before a read of e.
/// Iterations of loops on lanes run at once if `lanesAtOnce`.
isl::union_map getLiveTogether(const PolyScop &scop,
                               const isl::schedule_node &node,
                               mlir::BlockArgument array, bool lanesAtOnce);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_TREE_LIVENESS_H
