// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a proposed schedule is expected to take, before anyone chooses tiles: to
// choose between proposals for one scop.
#ifndef FUSEC_PASSES_POLY_SCHEDULES_PROPOSALCOST_H
#define FUSEC_PASSES_POLY_SCHEDULES_PROPOSALCOST_H

#include "passes/poly/tree/PolyScop.h"

namespace fusec::poly {

/// The parts of an estimate, in steps of one core (TargetInfo.h).
struct ProposalCost {
  /// Cores that share the loops around all statements.
  double cores = 1;
  /// Accesses and arithmetic, each statement with its best loop on lanes: one
  /// that is askew to its iterators cannot run there.
  double work = 0;
  /// Moving what waits between statements through the caches that have room
  /// for it.
  double waiting = 0;
  /// Beginning loops.
  double loops = 0;

  double getTotal() const { return (work + waiting + loops) / cores; }
  /// "12000 steps (work ..., waiting values ..., loops ..., on 2 cores)"
  std::string describe() const;
};

ProposalCost estimate(const PolyScop &scop, const isl::schedule &schedule);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_SCHEDULES_PROPOSALCOST_H
