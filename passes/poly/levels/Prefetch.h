// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rows that are fetched from memory while the iterations before compute.
#ifndef FUSEC_PASSES_POLY_LEVELS_PREFETCH_H
#define FUSEC_PASSES_POLY_LEVELS_PREFETCH_H

#include "passes/poly/tree/OuterBand.h"
#include "passes/poly/tree/PolyScop.h"

namespace fusec::poly {

/// The arguments of the scop whose rows are worth it: where an iteration of the
/// outer band of `schedule` runs over rows several times, the first and last
/// time wait for memory while the ones between compute. `refuse` hears why
/// others are left out.
llvm::SmallVector<int64_t>
findPrefetches(const PolyScop &poly, const isl::schedule &schedule,
               llvm::function_ref<void(const std::string &reason)> refuse);

/// The inputs of which a tile of `stmt` may fetch what the next tile of the
/// innermost loop over tiles reads: one element for all lanes, which run along
/// its iterator `vector`, in another cache line with each step of a reduction.
/// No processor foresees those.
llvm::SmallVector<int64_t> findTilePrefetches(const OuterBand &band,
                                              sched::StmtOp stmt,
                                              llvm::ArrayRef<int64_t> tile,
                                              llvm::ArrayRef<unsigned> order,
                                              std::optional<unsigned> vector);

/// Why the rows that `config` names cannot be prefetched in `schedule`; empty
/// if they can.
std::string findPrefetchMisfit(const PolyScop &poly,
                               const isl::schedule &schedule,
                               sched::ConfigAttr config);

/// Lines of the first-level cache that all rows of `arguments` have.
double countLines(sched::ScopOp scop, llvm::ArrayRef<int64_t> arguments);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LEVELS_PREFETCH_H
