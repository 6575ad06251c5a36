// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What blocks of a reduction save the tiles of accumulators.
#ifndef FUSEC_PASSES_POLY_CONFIGS_TILEDEPTH_H
#define FUSEC_PASSES_POLY_CONFIGS_TILEDEPTH_H

#include "passes/poly/configs/ConfigProposers.h"
#include "passes/poly/tree/Strides.h"

namespace fusec::poly {

/// Tiles that share blocks of a reduction.
struct BlockedTiles {
  /// As a config says them, and how many tiles a block has.
  llvm::SmallVector<int64_t> blocks;
  int64_t tiles = 0;
  int64_t depth = 0;
  /// What a vector's load of a panel costs more, and what a step of the
  /// reduction of a tile does, in operations.
  double panelLoad = 0, extra = 0;
};

/// Where the tiles of a contraction's accumulators find their operands.
class TileDepth {
public:
  TileDepth(const PolyScop &poly, const isl::schedule &schedule,
            const OuterBand &band, sched::StmtOp stmt, unsigned vector);

  /// What a vector's load costs more than from the first-level cache, in
  /// operations, where tiles of `depth` iterations of the reduction share a
  /// panel; 0 are all.
  double getPanelLoad(llvm::ArrayRef<int64_t> tile, int64_t depth) const;
  /// What a step of the reduction of a tile costs more for rows that are far,
  /// or too many for one set of the first-level cache.
  double getRowLoad(llvm::ArrayRef<int64_t> tile, int64_t depth) const;
  /// What it costs to read panels once more, against rows.
  double getPanelWeight() const;
  /// The best blocks for tiles of `rows` times `wide` registers, where what the
  /// whole reduction reads stays in no cache.
  std::optional<BlockedTiles> find(llvm::ArrayRef<int64_t> tile,
                                   unsigned member,
                                   llvm::ArrayRef<unsigned> order, int64_t rows,
                                   double wide) const;

private:
  llvm::SmallVector<int64_t> getCounts(llvm::ArrayRef<int64_t> tile,
                                       int64_t depth) const;
  llvm::SmallVector<Access> getOperands(bool asVectors) const;
  /// Lines that a step of the reduction loads again although the step before
  /// had them: rows a multiple of many sets apart take each other's place.
  double countEvicted(llvm::ArrayRef<int64_t> tile) const;
  /// Whether it is stored in panels as wide as a vector, one step of the
  /// reduction after the other.
  bool isPacked(const Access &access) const;
  /// Whether the reduction goes through memory in even steps.
  bool isForeseen(const Access &access) const;
  bool findBlocks(llvm::ArrayRef<int64_t> tile, unsigned member,
                  llvm::ArrayRef<unsigned> order, BlockedTiles &result) const;

  const OuterBand &band;
  mutable sched::StmtOp stmt;
  unsigned vector;
  const TargetInfo &target;
  llvm::SmallVector<mlir::Value> arrays;
  /// The iterator of the reduction's outermost loop.
  std::optional<unsigned> reduced;
  bool canBlock = false;
};

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_TILEDEPTH_H
