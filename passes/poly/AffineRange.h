// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Affine expressions over loop indices whose ranges are known.
#ifndef FUSEC_PASSES_POLY_AFFINERANGE_H
#define FUSEC_PASSES_POLY_AFFINERANGE_H

#include "mlir/IR/AffineExpr.h"
#include <optional>

namespace fusec::poly {

/// An inclusive range of integers.
struct Range {
  int64_t low, high;
};

/// The range of `expr`, given those of its dims; nullopt with symbols.
std::optional<Range> getRange(mlir::AffineExpr expr,
                              llvm::ArrayRef<Range> dims);

/// Drops divisions that the ranges decide: with 0 <= d1 < 8,
/// `(d0 * 8 + d1) mod 8` is `d1` and its floordiv is `d0`.
mlir::AffineExpr simplifyInRange(mlir::AffineExpr expr,
                                 llvm::ArrayRef<Range> dims);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_AFFINERANGE_H
