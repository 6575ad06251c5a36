// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/padding/Facts.h"

namespace fusec::padding {

void Facts::add(Coordinate coordinate, Scalar tail) {
  if (llvm::is_contained(coordinates, coordinate))
    return;
  auto *place = llvm::find_if(coordinates, [&](const Coordinate &other) {
    return other.inner < coordinate.inner;
  });
  tails.insert(tails.begin() + (place - coordinates.begin()), tail);
  coordinates.insert(place, coordinate);
}

const Scalar *Facts::findTail(const Coordinate &coordinate) const {
  const auto *found = llvm::find(coordinates, coordinate);
  return found == coordinates.end() ? nullptr
                                    : &tails[found - coordinates.begin()];
}

std::optional<Place> findPlace(const Coordinate &coordinate,
                               llvm::ArrayRef<int64_t> shape) {
  int64_t stride = 1;
  for (int64_t axis = int64_t(shape.size()) - 1; axis >= 0; --axis) {
    const int64_t all = stride * shape[axis];
    const int64_t period = coordinate.inner * coordinate.extent;
    if (coordinate.inner >= stride && period <= all)
      return coordinate.inner % stride == 0 && all % period == 0
                 ? std::optional<Place>({axis, coordinate.inner / stride})
                 : std::nullopt;
    stride = all;
  }
  return std::nullopt;
}

Coordinate makeCoordinate(unsigned symbol, int64_t extent, Place place,
                          llvm::ArrayRef<int64_t> shape) {
  int64_t stride = 1;
  for (int64_t behind : shape.drop_front(place.axis + 1))
    stride *= behind;
  return {symbol, extent, place.inner * stride};
}

llvm::SmallVector<int64_t> getKeptShape(llvm::ArrayRef<int64_t> shape,
                                        llvm::ArrayRef<Coordinate> coordinates,
                                        llvm::ArrayRef<int64_t> extents) {
  llvm::SmallVector<int64_t> kept(shape);
  for (const Coordinate &coordinate : coordinates)
    if (std::optional<Place> place = findPlace(coordinate, shape))
      kept[place->axis] =
          kept[place->axis] / coordinate.extent * extents[coordinate.symbol];
  return kept;
}

} // namespace fusec::padding
