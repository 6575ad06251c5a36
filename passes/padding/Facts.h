// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the elements of a tensor depend on a dimension of the model that is
// longer than it need be.
#ifndef FUSEC_PASSES_PADDING_FACTS_H
#define FUSEC_PASSES_PADDING_FACTS_H

#include "passes/padding/Scalars.h"

#include <string>

namespace fusec::padding {

/// A dimension of the model that is padded: compiled for `extent`, and run with
/// any extent from `least` on. At least 1, and less than `extent`.
struct Symbol {
  std::string name;
  int64_t extent = 0, least = 0;
};

/// A symbol in a tensor. The element at the row-major position i is at
/// (i floordiv inner) mod extent of it; it is kept where that is less than the
/// extent of the run. Reshapes leave it as it is.
struct Coordinate {
  unsigned symbol;
  int64_t extent, inner;

  bool operator==(const Coordinate &other) const {
    return symbol == other.symbol && inner == other.inner;
  }
};

/// The place of a coordinate: at (i floordiv inner) mod extent of index i of
/// dimension `axis`.
struct Place {
  int64_t axis, inner;
};

/// What is known of a tensor. Elements that are kept along all coordinates are
/// those of a model that is compiled for the extents of the run, in their
/// order.
struct Facts {
  /// Outermost first.
  llvm::SmallVector<Coordinate, 2> coordinates;
  /// Per coordinate: the elements that it does not keep, and all others do.
  llvm::SmallVector<Scalar, 2> tails;
  /// The elements that are kept.
  Scalar kept;
  /// Of a constant: dimensions along which its elements are the same. They have
  /// no coordinates, however they grow.
  llvm::SmallVector<int64_t, 2> free;

  /// Adds a coordinate unless it is there.
  void add(Coordinate coordinate, Scalar tail);
  const Scalar *findTail(const Coordinate &coordinate) const;
};

/// The shape of a tensor.
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType()).getShape();
}

/// Where `coordinate` lies in a tensor of `shape`; nothing where no dimension
/// has all of it.
std::optional<Place> findPlace(const Coordinate &coordinate,
                               llvm::ArrayRef<int64_t> shape);

/// The coordinate at a place of a tensor of `shape`.
Coordinate makeCoordinate(unsigned symbol, int64_t extent, Place place,
                          llvm::ArrayRef<int64_t> shape);

/// The shape that `shape` has where the symbols have `extents`.
llvm::SmallVector<int64_t> getKeptShape(llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<Coordinate> coordinates,
                                        llvm::ArrayRef<int64_t> extents);

} // namespace fusec::padding

#endif // FUSEC_PASSES_PADDING_FACTS_H
