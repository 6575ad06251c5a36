// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A long reduction whose parts threads add up, each by itself.
#ifndef FUSEC_PASSES_POLY_LEVELS_SPLITLOOPS_H
#define FUSEC_PASSES_POLY_LEVELS_SPLITLOOPS_H

#include "passes/poly/tree/PolyScop.h"

#include <optional>

namespace fusec::poly {

/// The band of the proposed tree `schedule` whose outermost loop threads may
/// share, part by part, each with sums of its own: the one around the longest
/// statement, which reduces along that loop. Nothing, with why in `refusal`, if
/// there is none, or none for threads that have points in registers
/// (`ofTiles`).
std::optional<isl::schedule_node_band>
findSplitLoop(const PolyScop &poly, const isl::schedule &schedule,
              std::string &refusal, bool ofTiles = false);

/// Why blocks of a GPU cannot add their parts of the reductions in `band` to
/// outputs that begin with zeros; empty if they can.
std::string explainNotAdded(const PolyScop &poly,
                            const isl::schedule_node_band &band);

/// A loop over parts of `split` iterations of that loop, around it: the mark
/// above. Nobody has checked that it is legal.
isl::schedule_node splitLoop(const isl::schedule_node_band &band,
                             int64_t split);

/// Parts of the loop that the config splits; 0 if it splits none.
int64_t countParts(const PolyScop &poly, const isl::schedule &schedule,
                   sched::ConfigAttr config);

/// Why numerics=reproducible does not take a kernel of `scop` with `config`:
/// its bits depend on the order of threads, or its factors are rounded. Empty
/// where it does.
std::string explainIrreproducible(sched::ScopOp scop, sched::ConfigAttr config);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LEVELS_SPLITLOOPS_H
