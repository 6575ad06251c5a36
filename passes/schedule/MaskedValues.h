// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What values of statements are where a comparison of iterators hides others.
#ifndef FUSEC_PASSES_SCHEDULE_MASKEDVALUES_H
#define FUSEC_PASSES_SCHEDULE_MASKEDVALUES_H

#include "passes/schedule/NumberSources.h"

#include "llvm/ADT/DenseSet.h"

#include <cmath>

namespace fusec::sched {

/// Numbers from `low` to `high`, which may be infinite, and no NaN.
struct Interval {
  double low, high;

  bool isZero() const { return low == 0 && high == 0; }
};

/// What numbers of models are taken to be (Source::numbers): beyond are those
/// that a mask stands for.
inline constexpr Interval kOrdinary = {-1e29, 1e29};
/// What may be a mask (Source::given). Nobody raises scores by an infinity.
inline constexpr Interval kGiven = {-HUGE_VAL, 1e300};
/// What a mask sets to this or less has no part in a softmax.
inline constexpr double kMasked = -1e30;

/// What is known of the elements of arrays.
struct KnownValues {
  /// Where `expr`, over the subscripts, is negative, elements are in `values`.
  struct Outside {
    mlir::AffineExpr expr;
    Interval values;
  };
  llvm::DenseMap<mlir::Value, llvm::SmallVector<Outside>> outside;
  /// All elements.
  llvm::DenseMap<mlir::Value, Interval> everywhere;
  /// Arrays whose elements may be what hides others, or anything.
  llvm::DenseSet<mlir::Value> unknown;
  /// Where the numbers of arrays that the scop writes come from, and of others.
  llvm::DenseMap<mlir::Value, Source> sources;
  MemorySources *memory = nullptr;

  Source getSource(mlir::Value array, bool asks) const;
};

/// Values of the body of a statement, at the points where some differences of
/// iterators are negative, and others are not.
class MaskedValues {
public:
  /// `negative` and `positive` may be null.
  MaskedValues(StmtOp stmt, const KnownValues &known, mlir::AffineExpr negative,
               llvm::ArrayRef<mlir::AffineExpr> positive)
      : stmt(stmt), known(known), negative(negative), positive(positive),
        sources(stmt, [&known](mlir::Value array, bool asks) {
          return known.getSource(array, asks);
        }) {}

  /// Nothing where it may be any number, or NaN. What is computed from ordinary
  /// numbers is one.
  std::optional<Interval> get(mlir::Value value);
  std::optional<bool> getTruth(mlir::Value value);
  /// Where it comes from.
  Source getSource(mlir::Value value) { return sources.get(value); }
  /// Whether `value` is `accumulator`, with terms that change nothing. What is
  /// masked changes no maximum of `isOrdinary` numbers; minus infinity changes
  /// none.
  bool isUnchanged(mlir::Value value, mlir::Value accumulator, bool isOrdinary);

private:
  std::optional<Interval> compute(mlir::Operation *op);
  /// As it is, or as a factor, which is an ordinary number if it is given.
  std::optional<Interval> getRead(unsigned read, bool isFactor);
  std::optional<Interval> getProduct(mlir::Value a, mlir::Value b);

  StmtOp stmt;
  const KnownValues &known;
  mlir::AffineExpr negative;
  llvm::ArrayRef<mlir::AffineExpr> positive;
  NumberSources sources;
  llvm::DenseMap<mlir::Value, std::optional<Interval>> values;
};

/// The integers `value`, of a body, as an affine expression of the iterators.
mlir::AffineExpr getIndex(mlir::Value value);

/// What is 0 or more exactly where the comparison `value` holds, if it is one
/// of integers that iterators give; null otherwise.
mlir::AffineExpr getDifference(mlir::Value value, unsigned numIterators);

/// Whether `a` is negative wherever `b` is.
bool isNegativeWith(mlir::AffineExpr a, mlir::AffineExpr b,
                    unsigned numIterators);

} // namespace fusec::sched

#endif // FUSEC_PASSES_SCHEDULE_MASKEDVALUES_H
