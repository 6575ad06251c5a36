// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walking rectangular domains of points, and linear functions of points.
#ifndef FUSEC_PASSES_GRAPH_DOMAIN_H
#define FUSEC_PASSES_GRAPH_DOMAIN_H

#include "dialects/AffineRanges.h"

#include "mlir/IR/AffineMap.h"

#include <optional>

namespace fusec::fuse {

/// A linear function of points.
struct Linear {
  int64_t origin = 0;
  llvm::SmallVector<int64_t> steps;

  int64_t at(llvm::ArrayRef<int64_t> point) const {
    int64_t value = origin;
    for (auto [index, step] : llvm::zip(point, steps))
      value += index * step;
    return value;
  }
};

/// The results of `map`, which has no symbols, as linear functions; nothing if
/// it divides.
inline std::optional<llvm::SmallVector<Linear>> getLinear(mlir::AffineMap map) {
  llvm::SmallVector<int64_t> origins =
      map.compose(llvm::SmallVector<int64_t>(map.getNumDims(), 0));
  llvm::SmallVector<Linear> functions;
  for (auto [expr, origin] : llvm::zip(map.getResults(), origins)) {
    Linear &function = functions.emplace_back(Linear{origin, {}});
    for (unsigned d = 0; d < map.getNumDims(); ++d) {
      std::optional<int64_t> slope = getSlope(expr, d);
      if (!slope)
        return std::nullopt;
      function.steps.push_back(*slope);
    }
  }
  return functions;
}

/// A place in a domain that is walked in row-major order.
class Cursor {
public:
  explicit Cursor(llvm::ArrayRef<int64_t> extents)
      : extents(extents), position(extents.size(), 0),
        ended(llvm::is_contained(extents, 0)) {}

  bool isAtEnd() const { return ended; }
  llvm::ArrayRef<int64_t> point() const { return position; }
  /// How many points follow along the last iterator.
  size_t left() const {
    return position.empty() ? 1 : extents.back() - position.back();
  }
  /// Moves on by `count` points, at most those that are left.
  void advance(size_t count) {
    size_t d = position.size();
    for (int64_t by = count; d-- > 0; by = 1) {
      position[d] += by;
      if (position[d] < extents[d])
        return;
      position[d] = 0;
    }
    ended = true;
  }

private:
  llvm::ArrayRef<int64_t> extents;
  llvm::SmallVector<int64_t> position;
  bool ended;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_DOMAIN_H
