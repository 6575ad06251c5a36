// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a result consists of concatenated operands: the boxes of its points,
// each of which is a statement.
#ifndef FUSEC_PASSES_SCHEDULE_PIECES_H
#define FUSEC_PASSES_SCHEDULE_PIECES_H

#include "passes/schedule/GroupPlan.h"

#include <vector>

namespace fusec::sched {

/// Offset and extent per dimension.
using Box = llvm::SmallVector<std::pair<int64_t, int64_t>>;

/// The boxes, in row-major order, in which each concatenated operand that
/// `value` depends on lies as a whole. One box of all points where there are no
/// such operands, or too many: then one statement selects.
std::vector<Box> cutIntoPieces(mlir::OpResult value, const GroupPlan &plan);

} // namespace fusec::sched

#endif // FUSEC_PASSES_SCHEDULE_PIECES_H
