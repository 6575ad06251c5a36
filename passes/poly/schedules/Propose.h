// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two proposers of schedule trees. Both results go through findViolation.
#ifndef FUSEC_PASSES_POLY_SCHEDULES_PROPOSE_H
#define FUSEC_PASSES_POLY_SCHEDULES_PROPOSE_H

#include "passes/poly/tree/Legality.h"

namespace fusec::poly {

/// Invariant of a proposed tree: a domain node, then at most one band whose
/// members are all coincident (the outer band, over every statement), then
/// sequences and bands; no marks.

/// isl's scheduler. Reductions keep their order. Where statements read windows
/// of what others make, a second proposal runs them some iterations behind
/// these, in one loop. May not end: it is to run within a limit.
std::vector<isl::schedule> proposeWithIsl(const PolyScop &scop,
                                          const Dependences &dependences);

/// One outer band over the iterators that all statements share, a sequence of
/// runs of statements below it, each run fused over the iterators that it
/// shares. Where that leaves some of the target without work, a second proposal
/// has pieces of arrays in one loop over all of each.
std::vector<isl::schedule> proposeStructurally(const PolyScop &scop,
                                               const Dependences &dependences);

/// The statements one after the other, each under a band of its own: the
/// program order.
isl::schedule proposeNaively(const PolyScop &scop);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_SCHEDULES_PROPOSE_H
