// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops around all statements that have their parts of them: pieces of an
// array, each of which begins elsewhere.
#ifndef FUSEC_PASSES_POLY_LOOPS_PIECELOOPS_H
#define FUSEC_PASSES_POLY_LOOPS_PIECELOOPS_H

#include "passes/poly/tree/PolyScop.h"

namespace fusec::poly {

/// A loop from 0 on that stands around all that isl makes loops of, where its
/// index is the parameter `name`.
struct LoopAround {
  std::string name, mark;
  int64_t extent;
};

/// Takes the loops that run at once off the top of `schedule`, outermost first,
/// if statements begin at different iterations of one: of these isl would make
/// a loop for each, of which blocks of a GPU could run one only, and conditions
/// of the others. What is left runs at one point of them. No loops, and the
/// same schedule, where all statements begin together.
llvm::SmallVector<LoopAround> takeLoopsAround(isl::schedule &schedule);

/// What is known of the parameters that `loops` are.
isl::set getBoundsOf(isl::ctx context, llvm::ArrayRef<LoopAround> loops);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LOOPS_PIECELOOPS_H
