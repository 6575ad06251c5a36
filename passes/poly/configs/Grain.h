// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How many iterations of the loop that threads share are worth a thread.
#ifndef FUSEC_PASSES_POLY_CONFIGS_GRAIN_H
#define FUSEC_PASSES_POLY_CONFIGS_GRAIN_H

#include "passes/poly/tree/PolyScop.h"

#include <optional>

namespace fusec::poly {

/// Nanoseconds that a core is expected to take for all of the scop with its
/// outer band in the tiles of `config` and lanes where that says.
double predictNanoseconds(sched::ScopOp scop, const isl::schedule &schedule,
                          sched::ConfigAttr config);

/// Iterations of the parallel loops, which run as one: tiles, blocks of them,
/// or parts of a reduction. 0 without such a loop.
double countIterations(const PolyScop &poly, const isl::schedule &schedule,
                       sched::ConfigAttr config);

/// What the scop is expected to take with `config` where that has one tile for
/// all of it, on a CPU, in nanoseconds; nothing where it has several, or none.
std::optional<double> predictSingleTile(const PolyScop &poly,
                                        const isl::schedule &schedule,
                                        sched::ConfigAttr config);

/// The iterations that take as long as waking another thread is worth: as the
/// parallel loops count them, which run as one. 0 without such a loop.
int64_t findGrain(const PolyScop &poly, const isl::schedule &schedule,
                  sched::ConfigAttr config);

/// `config` with that many as its grain.
sched::ConfigAttr withGrain(sched::ConfigAttr config, int64_t grain);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_GRAIN_H
