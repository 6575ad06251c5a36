// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs that are written past the caches. A cache that a line is stored to
// reads the line first, though all of it is overwritten; of an output that is
// larger than the last cache, nothing is won by having lines there.
#ifndef FUSEC_PASSES_POLY_LEVELS_STREAMS_H
#define FUSEC_PASSES_POLY_LEVELS_STREAMS_H

#include "dialects/sched/SchedOps.h"

namespace fusec::poly {

/// The outputs of `scop`, by their numbers as arguments, that are worth it:
/// those that no statement reads, of whole cache lines, more than the target's
/// last cache holds.
llvm::SmallVector<int64_t> findStreams(sched::ScopOp scop);

/// Why outputs that `config`, whose lanes are settled, names cannot be
/// streamed; empty if they can.
std::string findStreamMisfit(sched::ScopOp scop, sched::ConfigAttr config);

/// Nanoseconds that a core waits for lines of `arguments` to be read that are
/// overwritten.
double getOwnershipCost(sched::ScopOp scop, llvm::ArrayRef<int64_t> arguments);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LEVELS_STREAMS_H
