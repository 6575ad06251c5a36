// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates at indices, of what the result holds already. Updates of one line may
// meet, those of different lines do not: lines are apart, and the updates of
// one come in order, so that the result is the same however threads run.
#ifndef FUSEC_CUDA_LIBRARY_SCATTER_H
#define FUSEC_CUDA_LIBRARY_SCATTER_H

#include "fusec/cuda/threads.h"
#include "fusec/library/elements.h"

namespace fusec {
namespace library {
namespace detail {

/// Combines updates number 0, 1, ... below `length` of a line with what they
/// meet, one thread by itself: update p, at `source(p)`, goes to `target(p)`,
/// or nowhere if that is negative.
template <Reduction R, class T, class Source, class Target>
FUSEC_ROUTINE void update_alone(T *result, const T *updates, int64_t length,
                                Source source, Target target) {
  for (int64_t p = 0; p < length; ++p)
    if (const int64_t to = target(p); to >= 0)
      update<R>(result[to], updates[source(p)]);
}

/// The same by all threads of a block, an update each at a time. Those of one
/// element wait for each other.
template <int Threads, Reduction R, class T, class Source, class Target>
FUSEC_ROUTINE void update_together(T *result, const T *updates, int64_t length,
                                   Source source, Target target) {
  __shared__ int64_t targets[Threads];
  for (int64_t begin = 0; begin < length; begin += Threads) {
    const int64_t p = begin + thread();
    const int64_t to = p < length ? target(p) : -1;
    targets[thread()] = to;
    sync_block();
    int turn = 0;
    for (int earlier = 0; earlier < thread(); ++earlier)
      turn += targets[earlier] == to;
    for (int now = 0; __syncthreads_or(to >= 0 && turn >= now); ++now)
      if (to >= 0 && turn == now)
        update<R>(result[to], updates[source(p)]);
  }
}

/// The lines of a block: one, or with `OfLine` = 1 one for each thread.
template <int Threads, int OfLine, Reduction R, class T, class Source,
          class Target>
FUSEC_ROUTINE void update_line(T *result, const T *updates, int64_t length,
                               Source source, Target target) {
  if constexpr (OfLine == 1)
    update_alone<R>(result, updates, length, source, target);
  else
    update_together<Threads, R>(result, updates, length, source, target);
}

} // namespace detail

/// The lines of block number `block` of what fusec/library/scatter.h says:
/// `OfLine` threads take one, of `Threads` that the block has.
template <int Threads, int OfLine, class T, class I, int N>
FUSEC_ROUTINE void scatter_elements(int64_t block, const T *, const I *indices,
                                    const T *updates, T *result,
                                    const int64_t (&dims)[N],
                                    const int64_t (&counts)[N], int64_t axis,
                                    Reduction reduction) {
  const Strides<N> to(dims), from(counts);
  int64_t rest = OfLine == 1 ? block * Threads + thread() : block;
  int64_t first = 0, place = 0;
  for (int d = N; d-- > 0;) {
    if (d == axis)
      continue;
    first += rest % counts[d] * from.of[d];
    place += rest % counts[d] * to.of[d];
    rest /= counts[d];
  }
  if (rest > 0)
    return;
  const auto source = [&](int64_t p) { return first + p * from.of[axis]; };
  const auto target = [&](int64_t p) {
    const int64_t index = wrap_index(int64_t(indices[source(p)]), dims[axis]);
    return index < 0 ? -1 : place + index * to.of[axis];
  };
  detail::with(reduction, [&](auto constant) {
    detail::update_line<Threads, OfLine, decltype(constant)::value>(
        result, updates, counts[axis], source, target);
  });
}

template <int Threads, int OfLine, class T, class I, int N>
FUSEC_ROUTINE void scatter_nd(int64_t block, const T *, const I *indices,
                              const T *updates, T *result,
                              const int64_t (&dims)[N], int64_t slices,
                              int64_t depth, Reduction reduction) {
  const Strides<N> to(dims);
  const int64_t size = to.of[depth - 1];
  const int64_t line = OfLine == 1 ? block * Threads + thread() : block;
  if (line >= size)
    return;
  const auto source = [&](int64_t slice) { return slice * size + line; };
  const auto target = [&](int64_t slice) {
    int64_t place = line;
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t index =
          wrap_index(int64_t(indices[slice * depth + d]), dims[d]);
      if (index < 0)
        return int64_t(-1);
      place += index * to.of[d];
    }
    return place;
  };
  detail::with(reduction, [&](auto constant) {
    detail::update_line<Threads, OfLine, decltype(constant)::value>(
        result, updates, slices, source, target);
  });
}

} // namespace library
} // namespace fusec

#endif
