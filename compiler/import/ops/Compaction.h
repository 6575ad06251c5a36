// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a condition picks, where the run time knows the condition: as many rows
// as the model declares, of which those that nothing is picked for are left
// open (Presence.h).
#ifndef FUSEC_COMPILER_IMPORT_OPS_COMPACTION_H
#define FUSEC_COMPILER_IMPORT_OPS_COMPACTION_H

#include "compiler/import/Node.h"

namespace fusec {

/// The extent of dimension `dim` that the model declares for output `output` of
/// `rank`; nothing if it declares none. Says what becomes of fewer and more.
std::optional<int64_t> declaredRows(Node &node, unsigned output, int64_t rank,
                                    int64_t dim);

/// The positions where a vector of booleans holds, in order: `rows` of them,
/// `rest` where there are no more. And how many there are (i64 of rank 0).
struct Picked {
  mlir::Value positions, count;
};
Picked pickPositions(Node &node, mlir::Value flags, int64_t rows, int64_t rest);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_COMPACTION_H
