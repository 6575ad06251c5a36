// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Blocks of rows: where lanes run along loops below the outer band for some
// statements (the columns of a product with a row), and rows share their loads.
#ifndef FUSEC_PASSES_POLY_LEVELS_ROWBLOCKS_H
#define FUSEC_PASSES_POLY_LEVELS_ROWBLOCKS_H

#include "passes/poly/tree/PolyScop.h"

namespace fusec::poly {

/// The heaviest statement in a column loop: one below the outer band that is
/// cheaper on lanes than those that stand in it; and its iterator there.
struct ColumnLoop {
  sched::StmtOp stmt;
  unsigned iterator;
  /// Whether others read what it makes: rows of a block, which wait there.
  bool makesRows = false;
};
/// The column loops of a proposed tree: the outermost one of each part of what
/// stands in the outer band.
llvm::SmallVector<ColumnLoop> findColumnLoops(const PolyScop &poly,
                                              const isl::schedule &schedule);

/// Tiles the outer band and the column loops below: a block of rows is computed
/// a row at a time where there are none, and by register tiles, rows by
/// `columns`, where there are. Null where there is no column loop. Nobody has
/// checked that it is legal.
isl::schedule tileRowBlocks(const PolyScop &poly, const isl::schedule &schedule,
                            llvm::ArrayRef<int64_t> sizes, int64_t columns);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LEVELS_ROWBLOCKS_H
