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
/// The column loops of a proposed tree: the outermost ones below each member of
/// a sequence.
llvm::SmallVector<ColumnLoop> findColumnLoops(const PolyScop &poly,
                                              const isl::schedule &schedule);

/// The iterators of a loop below the outer band that several parts stand in,
/// some with column loops: over parts of rows, each of which is computed before
/// the next one. By the statements' names; empty where there is none.
std::map<std::string, unsigned> findPartLoop(const PolyScop &poly,
                                             const isl::schedule &schedule);

/// Tiles the outer band and the column loops below, by the tile and the columns
/// of `config`: a block of rows is computed a row at a time where there are no
/// column loops, and by register tiles, rows by columns, where there are. What
/// stands in a loop over parts of rows is computed so for each part, for all
/// tiles of a block of `config`. Null where there is no column loop. Nobody has
/// checked that it is legal.
isl::schedule tileRowBlocks(const PolyScop &poly, const isl::schedule &schedule,
                            sched::ConfigAttr config);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_LEVELS_ROWBLOCKS_H
