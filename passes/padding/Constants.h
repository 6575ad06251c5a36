// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that follow from the constants of a model, for several extents.
#ifndef FUSEC_PASSES_PADDING_CONSTANTS_H
#define FUSEC_PASSES_PADDING_CONSTANTS_H

#include "passes/graph/Evaluator.h"
#include "passes/padding/Facts.h"

namespace fusec::padding {

class Constants {
public:
  explicit Constants(llvm::ArrayRef<Symbol> symbols) : symbols(symbols) {}

  /// The dimensions along which the elements of `value` are the same.
  llvm::SmallVector<int64_t, 2> findFree(mlir::Value value);
  /// What is known of `value`, which has these coordinates, each of them a
  /// whole dimension that is not among those.
  Facts describe(mlir::Value value, llvm::ArrayRef<Coordinate> coordinates);
  /// Whether `other`, which is `value` in the model for `extents`, has the
  /// elements of it that are kept there.
  bool agree(mlir::Value value, const Facts &facts, mlir::Value other,
             llvm::ArrayRef<int64_t> extents);

private:
  bool areAlike(mlir::Value value, mlir::Value other);
  static Scalar getUniform(fuse::Evaluator &evaluator, mlir::Value value);

  llvm::ArrayRef<Symbol> symbols;
  fuse::Evaluator evaluator; ///< of the model with the largest extents
};

} // namespace fusec::padding

#endif // FUSEC_PASSES_PADDING_CONSTANTS_H
