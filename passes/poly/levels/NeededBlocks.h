// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which instances run of statements that need not run everywhere.
#ifndef FUSEC_PASSES_POLY_LEVELS_NEEDEDBLOCKS_H
#define FUSEC_PASSES_POLY_LEVELS_NEEDEDBLOCKS_H

#include "passes/poly/tree/PolyScop.h"

namespace fusec::poly {

/// Sets what runs (`runs`) of the statements of a scop, whose `schedule` is to
/// have the tiles of `config`: all but the blocks in which no instance is
/// needed, of as many iterations as a tile has of each loop, and whole vectors
/// of the others. So bounds of loops change from tile to tile, and not within
/// one. On a GPU all run: threads of a block share loops of constant bounds,
/// and those that skip would wait for the others.
void leaveOutBlocks(const PolyScop &poly, const isl::schedule &schedule,
                    sched::ConfigAttr config);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LEVELS_NEEDEDBLOCKS_H
