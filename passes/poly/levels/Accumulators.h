// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of partial results that a reduction along lanes adds to side by side.
#ifndef FUSEC_PASSES_POLY_LEVELS_ACCUMULATORS_H
#define FUSEC_PASSES_POLY_LEVELS_ACCUMULATORS_H

#include "dialects/sched/SchedOps.h"

#include <string>

namespace fusec::poly {

/// How many hide the latency of adding to one in `stmt`, as far as its iterator
/// `reduced` has vectors for them. All instruction sets of the target take the
/// first one's: what a stronger set gains by more is worth no text of its own.
int64_t countAccumulators(sched::StmtOp stmt, int64_t reduced);

/// `config` with so many.
sched::ConfigAttr withAccumulators(sched::ConfigAttr config,
                                   int64_t accumulators);

/// `config`, whose lanes are settled, with what it leaves open: as many as its
/// longest reduction along lanes takes.
sched::ConfigAttr settleAccumulators(sched::ScopOp scop,
                                     sched::ConfigAttr config);

/// Why `config`, whose lanes are settled, cannot have its accumulators; empty
/// if it can.
std::string findAccumulatorMisfit(sched::ScopOp scop, sched::ConfigAttr config);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LEVELS_ACCUMULATORS_H
