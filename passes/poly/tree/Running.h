// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instances run: trees have all of a scop's, and are proven for all of
// them; loops are made of those that run.
#ifndef FUSEC_PASSES_POLY_TREE_RUNNING_H
#define FUSEC_PASSES_POLY_TREE_RUNNING_H

#include "passes/poly/tree/Legality.h"
#include "passes/poly/tree/PolyScop.h"

namespace fusec::poly {

/// Whether a statement of `scop` does not run everywhere.
bool leavesOut(sched::ScopOp scop);

/// The instances that run.
isl::union_set getRunning(const PolyScop &poly);

/// Why `running` is not enough: an instance that is needed is not in it, or an
/// element is read in it that none of it writes. A tree that is legal for all
/// instances is legal for a part of them: values go the same way, and none
/// lives longer.
std::optional<Violation> findMissing(const PolyScop &poly,
                                     const isl::union_set &running);

/// `schedule` of the instances that run, and of other statements that it has.
isl::schedule leaveOut(const PolyScop &poly, const isl::schedule &schedule);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_TREE_RUNNING_H
