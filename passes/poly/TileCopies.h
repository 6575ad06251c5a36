// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of what a tile accumulates to: statements that fill them where the
// tile begins and write them back where it ends.
#ifndef FUSEC_PASSES_POLY_TILECOPIES_H
#define FUSEC_PASSES_POLY_TILECOPIES_H

#include "passes/poly/PolyScop.h"

#include "llvm/ADT/StringMap.h"

namespace fusec::poly {

/// `schedule` with a mark (Locals.h) above the reduction of each tile, below
/// which its accumulators are copies.
isl::schedule markCopies(const PolyScop &poly, isl::schedule schedule);

/// A statement that no scop has: its instances are elements of an array.
struct CopyStatement {
  mlir::BlockArgument array;
  /// From the copy to the array.
  bool back;
};
using CopyStatements = llvm::StringMap<CopyStatement>;

/// `schedule` with such statements below each of these marks, by their names in
/// `statements`: each copies an element of what is accessed below the mark.
isl::schedule insertCopies(const PolyScop &poly, const isl::schedule &schedule,
                           CopyStatements &statements);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_TILECOPIES_H
