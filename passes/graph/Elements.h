// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of tensors between memory and the columns that compute them.
#ifndef FUSEC_PASSES_GRAPH_ELEMENTS_H
#define FUSEC_PASSES_GRAPH_ELEMENTS_H

#include "passes/graph/ScalarProgram.h"

namespace fusec::fuse {

/// Reads and writes elements of one storage type, which may lie unaligned. The
/// type is looked up once, not for each element.
class ElementAccess {
public:
  /// `type` has a row in the table of types.
  explicit ElementAccess(mlir::Type type);

  /// Bytes of one element.
  int64_t size() const { return bytes; }

  /// Reads `count` elements that lie `stride` elements apart into the column's
  /// values from number `at` on, which are there already.
  void read(const char *from, int64_t stride, size_t count, Column &to,
            size_t at) const {
    reader(from, stride * bytes, count, to, at);
  }

  /// Writes the column's first `count` values one after the other.
  void write(const Column &from, size_t count, char *to) const {
    writer(from, count, to);
  }

private:
  int64_t bytes;
  void (*reader)(const char *from, int64_t step, size_t count, Column &to,
                 size_t at);
  void (*writer)(const Column &from, size_t count, char *to);
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_ELEMENTS_H
