// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tiles of a contraction on a GPU, and what they are expected to take.
#ifndef FUSEC_PASSES_POLY_CONFIGS_TILESPACE_H
#define FUSEC_PASSES_POLY_CONFIGS_TILESPACE_H

#include "dialects/AffineRanges.h"
#include "dialects/TargetInfo.h"
#include "passes/poly/tree/OuterBand.h"

#include <optional>
#include <string>

namespace fusec::poly {

/// Threads of a block and points of each along one member of the band.
struct Share {
  unsigned member;
  int64_t threads, points;
};
using Shares = llvm::SmallVector<Share, 2>;

/// The iterations of `stmt` that a block has at a time, with tiles whose
/// threads have points: of iterator `reduced` a block of the reduction, or all
/// of its part of it. Of what else is reduced it has one with matrices, and all
/// otherwise.
llvm::SmallVector<IndexRange> getBlockRanges(const OuterBand &band,
                                             sched::StmtOp stmt,
                                             unsigned reduced,
                                             sched::ConfigAttr config);

/// The tiles of a contraction.
class TileSpace {
public:
  TileSpace(const OuterBand &band, sched::StmtOp stmt, const TargetInfo &target,
            llvm::ArrayRef<mlir::Value> arrays, unsigned reduced)
      : band(band), stmt(stmt), target(target), mp(*target.multiprocessor),
        arrays(arrays), reduced(reduced) {}

  /// Shares of the loops `members`, of which the first has most, for up to
  /// `threads` threads with up to `points` points each.
  std::vector<Shares> getShares(llvm::ArrayRef<unsigned> members,
                                int64_t threads, int64_t points) const;
  /// Iterations of the reduction's outermost loop for about `steps` of it all;
  /// 0 if that is all.
  int64_t getDepth(int64_t steps) const;
  /// The same of exactly so many; nothing where they do not divide it.
  std::optional<int64_t> getEvenDepth(int64_t depth) const;
  /// Nanoseconds; nothing, with why in `refusal`, where a block is expected to
  /// take more than there is. What it does take is known where there is a tree
  /// (`promoteArrays`).
  std::optional<double> predict(sched::ConfigAttr config,
                                std::string &refusal) const;
  /// Whether copies that arrive while threads compute can load what they read.
  bool canCopyAsync() const;
  /// Parts that one reduction should have at most, of tiles of `threads`, so
  /// that all cores have work.
  int64_t getMostParts(llvm::ArrayRef<int64_t> tile, int64_t threads,
                       int64_t depth) const;
  /// Iterations of a reduction of `parts`, in whole blocks of `depth`.
  int64_t getSplit(int64_t parts, int64_t depth) const;

private:
  int64_t countReductions() const;

  const OuterBand &band;
  mutable sched::StmtOp stmt;
  const TargetInfo &target;
  const Multiprocessor &mp;
  llvm::ArrayRef<mlir::Value> arrays;
  unsigned reduced;
};

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_TILESPACE_H
