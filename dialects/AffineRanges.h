// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Affine expressions over dims (loop indices) of which something is known: with
// k in [0, 8), (8 * i + k) mod 8 is k.
#ifndef FUSEC_DIALECTS_AFFINERANGES_H
#define FUSEC_DIALECTS_AFFINERANGES_H

#include "mlir/IR/AffineExpr.h"
#include <optional>

namespace fusec {

/// An integer is in [low, high] (unbounded where absent) and a multiple of
/// `divisor` (0: it is zero). MLIR's ConstantIntRanges have both bounds, of a
/// number of bits, and no divisor.
struct IndexRange {
  std::optional<int64_t> low, high;
  int64_t divisor = 1;

  static IndexRange constant(int64_t value) { return {value, value, value}; }
  bool isConstant() const { return low && high && *low == *high; }
};

/// The range of an expression whose dim number n is in `dims[n]`; nothing is
/// known of symbols, nor of a bound beyond 64 bits.
IndexRange rangeOf(mlir::AffineExpr expr, llvm::ArrayRef<IndexRange> dims);

/// The largest number, without its sign, on the way to the value of `expr`: no
/// sum of some of its terms is larger, nor a dividend in it, in whichever order
/// they are computed. Nothing if that is not known, or beyond 64 bits.
std::optional<int64_t> getLargestPart(mlir::AffineExpr expr,
                                      llvm::ArrayRef<IndexRange> dims);

/// An expression equal to `expr` as long as its dims are in their ranges, with
/// floordiv and mod resolved where the ranges allow.
mlir::AffineExpr simplifyInRange(mlir::AffineExpr expr,
                                 llvm::ArrayRef<IndexRange> dims,
                                 unsigned numSymbols = 0);

/// How much `expr` grows when dim `position` grows by 1, if always the same.
std::optional<int64_t> getSlope(mlir::AffineExpr expr, unsigned position);

} // namespace fusec

#endif // FUSEC_DIALECTS_AFFINERANGES_H
