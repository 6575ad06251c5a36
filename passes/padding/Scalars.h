// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is known of single elements, and what the body of a primitive makes of
// it.
#ifndef FUSEC_PASSES_PADDING_SCALARS_H
#define FUSEC_PASSES_PADDING_SCALARS_H

#include "dialects/fuse/FuseOps.h"

namespace fusec::padding {

/// Additive masks are at most this: what a model adds to scores that must not
/// count. Scores are taken to be smaller in size by a thousand and more, so
/// that the exponential of a masked one, less the largest, is exactly zero.
inline constexpr double kMasked = -1e4;

/// What is known of a number. Numbers are taken to be finite unless they are
/// known: a product with zero is zero.
struct Scalar {
  enum Kind {
    Any,        ///< nothing, of what is kept
    Dropped,    ///< nothing, of what is padded: it may be masked as a whole
    Known,      ///< `value`, in the compute type
    Masked,     ///< at most kMasked, with or without a score
    Accumulator ///< of a reduction: number `number`, before this element
  };
  Kind kind = Any;
  mlir::TypedAttr value = {};
  unsigned number = 0;

  static Scalar known(mlir::TypedAttr value) { return {Known, value, 0}; }
  /// `value` in the compute type of `element`.
  static Scalar of(mlir::Type element, double value);

  bool isZero() const;
  bool isOne() const;
  /// Whether it is at most kMasked.
  bool isMasked() const;
  bool operator==(const Scalar &other) const {
    return kind == other.kind && value == other.value && number == other.number;
  }
};

/// The results of the body of `op` where its operands' elements are
/// `elements`, with an accumulator for each result if it reduces.
llvm::SmallVector<Scalar> evaluateBody(fuse::PrimitiveOpInterface op,
                                       llvm::ArrayRef<Scalar> elements);

/// Which iterators the body of `op` reads the index of.
llvm::SmallVector<bool> findReadIndices(fuse::PrimitiveOpInterface op);

} // namespace fusec::padding

#endif // FUSEC_PASSES_PADDING_SCALARS_H
