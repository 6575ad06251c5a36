// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_LIBRARY_TOP_K_H
#define FUSEC_LIBRARY_TOP_K_H

#include "fusec/library/common.h"

namespace fusec {
namespace library {

/// Whether `a` ranks before `b`. NaN counts as larger than every number, so
/// that the order is one whatever the data.
template <bool Largest, class N> inline bool ranks_before(N a, N b) {
  return Largest ? !(a <= b) && b == b : !(b <= a) && a == a;
}

/// The indices of the best elements of one line, as a heap: no element ranks
/// before one below it, the last of all is at the root. Everything is `stride`
/// elements apart.
template <bool Largest, class T> class BestOfLine {
public:
  BestOfLine(const T *line_begin, int64_t *heap_begin, int64_t step)
      : line(line_begin), heap(heap_begin), stride(step) {}

  /// Leaves the `k` best of `extent` elements in the heap, best first. Keeps
  /// each of the first k once, so that `heap` needs no more room than k.
  void pick(int64_t extent, int64_t k) {
    for (int64_t i = 0; i < k; ++i)
      heap[i * stride] = i;
    for (int64_t i = k / 2; i-- > 0;)
      sift(i, k);
    for (int64_t i = k; i < extent; ++i) {
      // Later equal elements rank behind: no need to compare indices.
      if (!ranks_before<Largest>(number(line[i * stride]),
                                 number(line[heap[0] * stride])))
        continue;
      heap[0] = i;
      sift(0, k);
    }
    for (int64_t size = k - 1; size > 0; --size) {
      const int64_t last = heap[0];
      heap[0] = heap[size * stride];
      heap[size * stride] = last;
      sift(0, size);
    }
  }

private:
  /// Whether element `a` ranks behind element `b`.
  bool behind(int64_t a, int64_t b) const {
    const auto x = number(line[a * stride]), y = number(line[b * stride]);
    if (ranks_before<Largest>(y, x))
      return true;
    return !ranks_before<Largest>(x, y) && a > b;
  }

  /// Moves the entry at `at` down to where it belongs.
  void sift(int64_t at, int64_t size) {
    const int64_t moved = heap[at * stride];
    for (;;) {
      int64_t child = 2 * at + 1;
      if (child >= size)
        break;
      if (child + 1 < size &&
          behind(heap[(child + 1) * stride], heap[child * stride]))
        ++child;
      if (!behind(heap[child * stride], moved))
        break;
      heap[at * stride] = heap[child * stride];
      at = child;
    }
    heap[at * stride] = moved;
  }

  const T *line;
  int64_t *heap;
  int64_t stride;
};

/// The `k` largest (or smallest) elements of each line of x[outer, extent,
/// inner] along its middle dimension and their indices, the best first, equal
/// ones in the order of their indices. Works in the results: no scratch memory.
/// A line costs extent + m log k steps, m being how often a better one is
/// found.
template <class T>
inline void top_k(const fusec_kernel_ctx *ctx, const T *x, T *values,
                  int64_t *indices, int64_t outer, int64_t extent,
                  int64_t inner, int64_t k, bool largest) {
  parallel(
      ctx, outer * inner, grain_of(4 * extent),
      [=](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          const T *line = x + i / inner * extent * inner + i % inner;
          const int64_t at = i / inner * k * inner + i % inner;
          if (largest)
            BestOfLine<true, T>(line, indices + at, inner).pick(extent, k);
          else
            BestOfLine<false, T>(line, indices + at, inner).pick(extent, k);
          for (int64_t j = 0; j < k; ++j)
            values[at + j * inner] = line[indices[at + j * inner] * inner];
        }
      });
}

} // namespace library
} // namespace fusec

#endif
