// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loop should run on lanes: a count of memory operations.
#ifndef FUSEC_PASSES_POLY_TREE_COSTMODEL_H
#define FUSEC_PASSES_POLY_TREE_COSTMODEL_H

#include "passes/poly/tree/PolyScop.h"

namespace fusec::poly {

/// Points of a statement's domain.
double getInstances(sched::StmtOp stmt);
/// The statement of most points, of several the first.
sched::StmtOp findHeaviest(const PolyScop &poly);

/// Whether an array is neither an input nor an output of its group.
bool isLocal(sched::ScopOp scop, mlir::Value memref);

/// Memory operations of `stmt` if iterator `dim` runs on lanes: a contiguous
/// or invariant access takes one operation for all lanes, any other one per
/// lane. Inputs and outputs of the scop count in full, its arrays little: their
/// lanes count as contiguous, for they are laid out to suit (Locals.h). What it
/// takes without lanes if these would take a sum out of its order.
double getVectorCost(sched::ScopOp scop, sched::StmtOp stmt, unsigned dim);

/// A loop that neighbouring threads of a GPU run along, of so many iterations.
struct ThreadLoop {
  unsigned iterator;
  int64_t extent;
};

/// Memory operations of `stmt` if threads of a GPU have their points along
/// `loops`, the first one first: where it is shorter than a warp, along the
/// next, too. An access of a warp takes one where it touches no more sectors of
/// memory than its elements fill, one for each thread where each is in a sector
/// of its own, and in between as many as there are sectors.
double getThreadsCost(sched::ScopOp scop, sched::StmtOp stmt,
                      llvm::ArrayRef<ThreadLoop> loops);

/// The same without lanes.
double getScalarCost(sched::ScopOp scop, sched::StmtOp stmt);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_TREE_COSTMODEL_H
