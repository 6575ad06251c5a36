// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of what a tile accumulates to: statements that fill them where the
// tile begins and write them back where it ends.
#ifndef FUSEC_PASSES_POLY_ARRAYS_TILECOPIES_H
#define FUSEC_PASSES_POLY_ARRAYS_TILECOPIES_H

#include "passes/poly/tree/PolyScop.h"

#include "mlir/IR/AffineMap.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "llvm/ADT/StringMap.h"

namespace fusec::poly {

/// `schedule` with a mark (Locals.h) above the reduction of each tile, below
/// which its accumulators are copies.
isl::schedule markCopies(const PolyScop &poly, isl::schedule schedule);

/// A statement that no scop has: its instances are elements of an array; of an
/// operand, values of the loops around and elements of the copy.
struct CopyStatement {
  mlir::BlockArgument array;
  /// From the copy to the array.
  bool back = false;
  /// Of an operand: loops around -> where in the array the copy begins, and
  /// what lies outside of the array.
  mlir::AffineMap offset = {};
  mlir::TypedAttr fill = {};
};
using CopyStatements = llvm::StringMap<CopyStatement>;

/// A name that neither the scop nor `statements` have.
std::string makeCopyName(const PolyScop &poly, llvm::StringRef verb,
                         mlir::BlockArgument array,
                         const CopyStatements &statements);

/// The part of `insertCopies` for operands: all threads of a block load them,
/// after all have read what was there, and wait for each other.
isl::schedule insertOperandLoads(const PolyScop &poly, isl::schedule schedule,
                                 CopyStatements &statements);

/// `schedule` with such statements below each of these marks, by their names in
/// `statements`: each copies an element of what is accessed below the mark.
isl::schedule insertCopies(const PolyScop &poly, const isl::schedule &schedule,
                           CopyStatements &statements);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_ARRAYS_TILECOPIES_H
