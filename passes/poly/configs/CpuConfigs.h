// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What proposers of configs for CPUs share.
#ifndef FUSEC_PASSES_POLY_CONFIGS_CPUCONFIGS_H
#define FUSEC_PASSES_POLY_CONFIGS_CPUCONFIGS_H

#include "passes/poly/configs/ConfigProposers.h"

namespace fusec::poly {

/// What a proposer for CPUs says of a config.
struct CpuDecision {
  llvm::SmallVector<int64_t> tile;
  std::optional<unsigned> along = {};
  llvm::ArrayRef<unsigned> order = {};
  int64_t columns = 0, unroll = 1, accumulators = 0;
  llvm::ArrayRef<int64_t> blocks = {};
  int64_t depth = 0;
  llvm::ArrayRef<int64_t> prefetch = {};
};

/// Adds a config that takes `cost` operations, with and without what is worth
/// writing past the caches.
void addForCpu(const ScheduledScop &group, ConfigSpace &space,
               llvm::StringRef family, const CpuDecision &decision,
               double cost);

/// How many copies the innermost loops of a reduction become, `most` at most.
int64_t countCopies(sched::StmtOp stmt, int64_t most);

/// How many rows a tile may have, the better first: what makes the fewest tiles
/// does, of these what leaves no rows over, and then the most.
llvm::SmallVector<int64_t> getRowCounts(int64_t extent, int64_t most);

/// Register tiles of a contraction with lanes along `member`, which takes
/// `cost` operations otherwise: rows are those of the loops `reuses`.
void proposeRegisterTiles(const ScheduledScop &group, unsigned member,
                          llvm::ArrayRef<unsigned> reuses, double cost,
                          ConfigSpace &space);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_CPUCONFIGS_H
