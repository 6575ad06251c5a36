// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of K: some iterations of a reduction for all tiles of a block, then
// the next ones, so that what they read stays in a cache.
#ifndef FUSEC_PASSES_POLY_LEVELS_DEPTHBLOCKS_H
#define FUSEC_PASSES_POLY_LEVELS_DEPTHBLOCKS_H

#include "passes/poly/tree/PolyScop.h"

namespace fusec::poly {

/// Moves the loops `inside`, over the tiles of a block, into each part of the
/// sequence that stands in them, in the order `order`, and below blocks of
/// `depth` iterations of the reductions there. Returns the sequence, or null
/// where it has no reduction of more iterations.
isl::schedule_node blockReductions(const PolyScop &poly,
                                   const isl::schedule_node_band &inside,
                                   llvm::ArrayRef<unsigned> order,
                                   int64_t depth);

/// The outermost loop over what `stmt` reduces, but for one over blocks of its
/// iterations; null where there is none.
isl::schedule_node findReduction(const isl::schedule &schedule,
                                 const PolyStmt &stmt);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LEVELS_DEPTHBLOCKS_H
