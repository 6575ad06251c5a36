// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the adapters of libraries with a GEMM have in common: which products
// there are, and which task computes what part of them.
#ifndef FUSEC_LIBRARY_GEMM_H
#define FUSEC_LIBRARY_GEMM_H

#include "fusec/library/common.h"

#include <cstddef>

namespace fusec {
namespace library {

/// y = x w, with x of rows x depth and w of depth x columns. The rows of a
/// matrix, or its columns where it is transposed, begin `stride` elements
/// apart.
struct Product {
  const float *x, *w;
  float *y;
  int64_t rows, columns, depth;
  int64_t x_stride;
  bool x_transposed;
  int64_t w_stride;
  bool w_transposed;
  int64_t y_stride;

  /// The part of y from row `row` and column `column` on, of at most so many.
  Product part(int64_t row, int64_t most_rows, int64_t column,
               int64_t most_columns) const {
    Product result = *this;
    result.x += x_transposed ? row : row * x_stride;
    result.w += w_transposed ? column * w_stride : column;
    result.y += row * y_stride + column;
    result.rows = rows - row < most_rows ? rows - row : most_rows;
    result.columns =
        columns - column < most_columns ? columns - column : most_columns;
    return result;
  }
};

/// `product` at each point of loops of these extents, along which x, w and y
/// move on by so many elements, in parts of at most task_rows x task_columns.
/// Each part is one `Library::multiply` on one thread of `ctx`, so that the
/// bits do not depend on how many there are; a `Library::Alone` that lives
/// meanwhile keeps the library from using threads of its own.
template <class Library, size_t N>
inline void
multiply_parts(const fusec_kernel_ctx *ctx, const Product &product,
               int64_t task_rows, int64_t task_columns,
               const int64_t (&loops)[N], const int64_t (&x_steps)[N],
               const int64_t (&w_steps)[N], const int64_t (&y_steps)[N]) {
  const int64_t down = (product.rows + task_rows - 1) / task_rows;
  const int64_t across = (product.columns + task_columns - 1) / task_columns;
  int64_t tasks = down * across;
  for (const int64_t extent : loops)
    tasks *= extent;
  // Vectors of 16 multiply-adds.
  const int64_t cost = task_rows * task_columns / 16 * product.depth;
  parallel(ctx, tasks, grain_of(cost), [&](int64_t begin, int64_t end) {
    const typename Library::Alone alone;
    (void)alone;
    for (int64_t task = begin; task < end; ++task) {
      Product here = product;
      int64_t rest = task / (down * across);
      for (size_t loop = N; loop-- > 0; rest /= loops[loop]) {
        const int64_t index = rest % loops[loop];
        here.x += index * x_steps[loop];
        here.w += index * w_steps[loop];
        here.y += index * y_steps[loop];
      }
      Library::multiply(here.part(task / across % down * task_rows, task_rows,
                                  task % across * task_columns, task_columns));
    }
  });
}

} // namespace library
} // namespace fusec

#endif
