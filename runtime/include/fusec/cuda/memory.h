// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that a kernel has of its own, and accesses of a thread to several
// elements.
#ifndef FUSEC_CUDA_MEMORY_H
#define FUSEC_CUDA_MEMORY_H

#include "fusec/kernel/memory.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

/// The array that lies `offset` bytes into the scratch memory of this kernel.
template <class T> FUSEC_INLINE T *workspace(void *memory, int64_t offset) {
  return reinterpret_cast<T *>(static_cast<char *>(memory) + offset);
}

/// What the launch of this kernel requested for each block, as a T: as many
/// bytes as that has, aligned to 16. All calls in a kernel get the same.
template <class T> FUSEC_INLINE T &shared_memory() {
  alignas(16) extern __shared__ char requested[];
  return *reinterpret_cast<T *>(requested);
}

namespace detail {

/// What one access moves.
template <int Bytes> struct word;
template <> struct word<2> { typedef uint16_t type; };
template <> struct word<4> { typedef uint32_t type; };
template <> struct word<8> { typedef uint2 type; };
template <> struct word<16> { typedef uint4 type; };

/// N elements, as they lie in memory.
template <int N, class P> struct elements {
  typedef typename word<N * sizeof(P)>::type word_type;
  union {
    word_type all;
    P of[N];
  };
  FUSEC_INLINE elements() {}
};

} // namespace detail

/// N elements side by side, as computed, in one access: `from` is a multiple of
/// N elements into an array, and arrays begin at multiples of 16 bytes.
template <int N, class V, class P>
FUSEC_INLINE void load_row(V (&row)[N], const P *from) {
  detail::elements<N, P> here;
  typedef typename detail::elements<N, P>::word_type word;
  here.all = *reinterpret_cast<const word *>(from);
  FUSEC_UNROLL for (int i = 0; i < N; ++i) row[i] = load(&here.of[i]);
}

/// The mirror image.
template <int N, class V, class P>
FUSEC_INLINE void store_row(P *to, const V (&row)[N]) {
  detail::elements<N, P> here;
  typedef typename detail::elements<N, P>::word_type word;
  FUSEC_UNROLL for (int i = 0; i < N; ++i) store(&here.of[i], row[i]);
  *reinterpret_cast<word *>(to) = here.all;
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
