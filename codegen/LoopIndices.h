// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices of loops: their names, their ranges, and several of them out of one.
#ifndef FUSEC_CODEGEN_LOOPINDICES_H
#define FUSEC_CODEGEN_LOOPINDICES_H

#include "codegen/KernelEmitter.h"

namespace fusec::codegen {

/// The name that a loop's index brought: one that is not just that of the node
/// the loop came from, and short.
llvm::StringRef ownIndexName(kernel::ForOp loop);

/// The name of a loop that brought none: i, j, k by depth.
std::string indexName(kernel::ForOp loop);

IndexRange indexRange(kernel::ForOp loop, KernelEmitter &emitter);

/// The text of a loop's bounds: the maximum of the lower, the minimum of the
/// upper ones.
Expr lowerBound(kernel::ForOp loop, KernelEmitter &emitter);
Expr upperBound(kernel::ForOp loop, KernelEmitter &emitter);

/// The loops of one mapping from `outer` inwards that can run as one: each but
/// the last holds nothing but the next, and all trip counts are constants,
/// unless there is one loop only.
llvm::SmallVector<kernel::ForOp> collectNest(kernel::ForOp outer);

/// Of loops with constant trip counts.
int64_t countIterations(llvm::ArrayRef<kernel::ForOp> nest);

/// Declares the indices of the nest from the collapsed iteration number.
void declareIndices(llvm::MutableArrayRef<kernel::ForOp> nest,
                    llvm::StringRef iteration, KernelEmitter &emitter);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_LOOPINDICES_H
