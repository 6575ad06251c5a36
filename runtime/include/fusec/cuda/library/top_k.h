// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The best elements of lines, a block a line.
#ifndef FUSEC_CUDA_LIBRARY_TOP_K_H
#define FUSEC_CUDA_LIBRARY_TOP_K_H

#include "fusec/cuda/threads.h"
#include "fusec/library/elements.h"

namespace fusec {
namespace library {
namespace detail {

/// The integer of as many bytes.
template <int Bytes> struct Bits;
template <> struct Bits<1> { typedef uint8_t type; };
template <> struct Bits<2> { typedef uint16_t type; };
template <> struct Bits<4> { typedef uint32_t type; };
template <> struct Bits<8> { typedef uint64_t type; };

/// What elements are ordered by.
template <class T>
using Rank = typename Bits<(sizeof(T) < 4 ? 4 : sizeof(T))>::type;

/// The bits of an element as a number that is as its rank: larger ones first,
/// NaN before all, zeros of both signs alike.
template <class T> FUSEC_ROUTINE Rank<T> rank_of(T element) {
  constexpr Rank<T> sign = Rank<T>(1) << (8 * sizeof(T) - 1);
  constexpr Rank<T> all = sign | (sign - 1);
  const auto value = number(element);
  typename Bits<sizeof(T)>::type bits_of_element;
  memcpy(&bits_of_element, &element, sizeof(T));
  const Rank<T> pattern = bits_of_element;
  if constexpr (is_integer<decltype(number(element))>) {
    return T(-1) < T(1) ? pattern ^ sign : pattern;
  } else {
    if (value != value)
      return all;
    if (value == 0)
      return sign;
    return pattern & sign ? ~pattern & all : pattern | sign;
  }
}

/// One line, as all threads of a block see it: its elements and the places of
/// its results are `stride` apart.
template <int Threads, class T> class Line {
public:
  FUSEC_ROUTINE Line(const T *elements, int64_t *places, int64_t length,
                     int64_t distance, bool largest_first)
      : x(elements), indices(places), extent(length), stride(distance),
        largest(largest_first) {}

  /// Leaves the indices of the `k` best in the first `k` places, in any order.
  FUSEC_ROUTINE void select(int64_t k) const {
    Rank<T> last;
    const int64_t equals = find_last(k, last);
    __shared__ unsigned of_warps[2][warps];
    int64_t better = 0, equal = k - equals;
    for (int64_t begin = 0, call = 0; begin < extent;
         begin += Threads, ++call) {
      const int64_t i = begin + thread();
      const Rank<T> rank = i < extent ? rank_at(i) : 0;
      const bool is_better = i < extent && rank > last;
      const bool is_equal = i < extent && rank == last;
      // Both are counted in one number; Threads fits in half of it.
      const unsigned mine = __ballot_sync(0xffffffffu, is_better);
      const unsigned same = __ballot_sync(0xffffffffu, is_equal);
      if (lane() == 0)
        of_warps[call % 2][warp()] = __popc(mine) | __popc(same) << 16;
      sync_block();
      unsigned before = 0, all = 0;
      for (int w = 0; w < warps; ++w) {
        before += w < warp() ? of_warps[call % 2][w] : 0;
        all += of_warps[call % 2][w];
      }
      const unsigned below = (1u << lane()) - 1;
      const int64_t place =
          is_better ? better + (before & 0xffff) + __popc(mine & below)
                    : equal + (before >> 16) + __popc(same & below);
      if (is_better || (is_equal && place < k))
        indices[place * stride] = i;
      better += all & 0xffff;
      equal += all >> 16;
    }
    sync_block();
  }

  /// Orders the first `k` places by merging runs of twice the length (Batcher's
  /// bitonic sort, with all runs the same way round: what would lie behind the
  /// last place never moves).
  FUSEC_ROUTINE void sort(int64_t k) const {
    for (int64_t run = 1; run < k; run *= 2)
      for (int64_t half = run; half > 0; half /= 2)
        exchange(k, half, half == run ? 2 * run - 1 : half);
  }

private:
  static constexpr int warps = Threads / warp_size;

  FUSEC_ROUTINE Rank<T> rank_at(int64_t i) const {
    constexpr int unused = 8 * (sizeof(Rank<T>) - sizeof(T));
    const Rank<T> rank = rank_of(x[i * stride]);
    return largest ? rank : ~rank << unused >> unused;
  }

  /// The rank of the element that comes in place `k`, digit by digit from the
  /// highest. Returns how many elements of that rank are among the k best.
  FUSEC_ROUTINE int64_t find_last(int64_t k, Rank<T> &last) const {
    __shared__ unsigned counts[256];
    __shared__ unsigned found;
    __shared__ int64_t left;
    last = 0;
    for (int shift = 8 * sizeof(T) - 8; shift >= 0; shift -= 8) {
      for (int digit = thread(); digit < 256; digit += Threads)
        counts[digit] = 0;
      sync_block();
      for (int64_t i = thread(); i < extent; i += Threads) {
        const Rank<T> digits = rank_at(i) >> shift;
        if (digits >> 8 == last)
          atomicAdd(&counts[digits & 255], 1u);
      }
      sync_block();
      if (thread() == 0) {
        int digit = 255;
        int64_t rest = k;
        for (; counts[digit] < rest; --digit)
          rest -= counts[digit];
        found = digit;
        left = rest;
      }
      sync_block();
      last = last << 8 | found;
      k = left;
    }
    return k;
  }

  /// Places whose numbers differ in the bits of `mask`, of which `distance` is
  /// the highest, come in order.
  FUSEC_ROUTINE void exchange(int64_t k, int64_t distance, int64_t mask) const {
    // Copies of the body would take more registers than a thread has.
    FUSEC_ROLL for (int64_t pair = thread(); pair < k; pair += Threads) {
      const int64_t low = 2 * pair - (pair & (distance - 1)), high = low ^ mask;
      if (high >= k)
        continue;
      const int64_t a = indices[low * stride], b = indices[high * stride];
      const Rank<T> rank = rank_at(a), other = rank_at(b);
      if (other > rank || (other == rank && b < a)) {
        indices[low * stride] = b;
        indices[high * stride] = a;
      }
    }
    sync_block();
  }

  const T *x;
  int64_t *indices;
  int64_t extent, stride;
  bool largest;
};

} // namespace detail

/// Line number `line` of what fusec/library/top_k.h says, by a block of
/// `Threads` threads. Works in the results: no scratch memory. A line costs
/// its bytes / Threads, times its elements' bytes, and k log^2 k / Threads.
template <int Threads, class T>
FUSEC_ROUTINE void top_k(int64_t line, const T *x, T *values, int64_t *indices,
                         int64_t /*outer*/, int64_t extent, int64_t inner,
                         int64_t k, bool largest) {
  x += line / inner * extent * inner + line % inner;
  const int64_t at = line / inner * k * inner + line % inner;
  const detail::Line<Threads, T> all(x, indices + at, extent, inner, largest);
  all.select(k);
  all.sort(k);
  for (int64_t j = thread(); j < k; j += Threads)
    values[at + j * inner] = x[indices[at + j * inner] * inner];
}

} // namespace library
} // namespace fusec

#endif
