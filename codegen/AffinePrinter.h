// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Affine expressions, maps and sets of loop indices as readable C++:
// `i * 16 + k`, `i * 8 + r < 100`.
#ifndef FUSEC_CODEGEN_AFFINEPRINTER_H
#define FUSEC_CODEGEN_AFFINEPRINTER_H

#include "codegen/Expr.h"
#include "dialects/AffineRanges.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/IntegerSet.h"
#include <optional>

namespace fusec::codegen {

/// Prints expressions whose dims and symbols have the given texts and ranges.
/// Where functions need all arguments of one type, literals get `literalType`,
/// if it is not theirs (empty).
class AffinePrinter {
public:
  AffinePrinter(llvm::ArrayRef<Expr> operands,
                llvm::ArrayRef<IndexRange> ranges, unsigned numDims,
                llvm::StringRef literalType)
      : operands(operands), ranges(ranges), numDims(numDims),
        literalType(literalType) {}

  /// A sum with its constants folded. Division rounds down: as `/` where the
  /// dividend cannot be negative, else by the vocabulary's div_floor and mod.
  Expr print(mlir::AffineExpr expr) const;

  /// The largest (or smallest) of the map's results.
  Expr printMax(mlir::AffineMap map) const { return printExtremum(map, "max"); }
  Expr printMin(mlir::AffineMap map) const { return printExtremum(map, "min"); }

  /// `expr >= 0` or `expr == 0`, as a comparison of sums without negative
  /// terms.
  Expr printConstraint(mlir::AffineExpr expr, bool isEquality) const;

  /// The conjunction of a set's constraints.
  Expr printSet(mlir::IntegerSet set) const;

  /// What is known of `expr`; nothing of symbols.
  IndexRange rangeOf(mlir::AffineExpr expr) const {
    return fusec::rangeOf(expr, ranges);
  }

private:
  struct Term {
    int64_t factor;
    Expr expr;
  };
  /// `expr` as terms and a constant.
  int64_t flatten(mlir::AffineExpr expr, int64_t factor,
                  llvm::SmallVectorImpl<Term> &terms) const;
  Expr printDivision(mlir::AffineBinaryOpExpr expr) const;
  Expr typed(Expr expr) const;
  Expr printExtremum(mlir::AffineMap map, llvm::StringRef function) const;
  static Expr sum(llvm::ArrayRef<Term> terms, int64_t constant);

  llvm::ArrayRef<Expr> operands;
  llvm::ArrayRef<IndexRange> ranges;
  unsigned numDims;
  llvm::StringRef literalType;
};

/// The row-major linear index of `map`'s results in `shape`.
mlir::AffineExpr linearIndex(mlir::AffineMap map,
                             llvm::ArrayRef<int64_t> shape);

/// Subscripts of the element that `map` names in `shape`. A dimension may get
/// one beyond its extent: only the place in the row of all elements is kept.
/// Where what was one index was split only to be put together again
/// (x floordiv 8, x mod 8), it is 0, x. If all of them go, one subscript is
/// left, that place.
llvm::SmallVector<mlir::AffineExpr>
joinSubscripts(mlir::AffineMap map, llvm::ArrayRef<int64_t> shape);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_AFFINEPRINTER_H
