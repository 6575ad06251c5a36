// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores past the caches.
#ifndef FUSEC_KERNEL_STREAM_H
#define FUSEC_KERNEL_STREAM_H

#include "fusec/kernel/memory.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

#if FUSEC_AVX2 || FUSEC_AVX512
/// N bytes, which both pointers are aligned for, up to a cache line.
template <int N> FUSEC_INLINE void stream_bytes(void *to, const void *from) {
  if constexpr (N >= 64 && FUSEC_AVX512) {
    FUSEC_UNROLL for (int i = 0; i < N / 64; ++i) _mm512_stream_si512(
        static_cast<__m512i *>(to) + i,
        _mm512_load_si512(static_cast<const __m512i *>(from) + i));
  } else if constexpr (N >= 32) {
    FUSEC_UNROLL for (int i = 0; i < N / 32; ++i) _mm256_stream_si256(
        static_cast<__m256i *>(to) + i,
        _mm256_load_si256(static_cast<const __m256i *>(from) + i));
  } else {
    _mm_stream_si128(static_cast<__m128i *>(to),
                     _mm_load_si128(static_cast<const __m128i *>(from)));
  }
}
#endif

} // namespace detail

/// Stores 16 elements as `store` does, past the caches where p is aligned for
/// it: for lines that are overwritten as a whole, and not read soon. Other
/// threads may see them only after `finish_streams`.
template <class P, class V> FUSEC_INLINE void store_streamed(P *p, const V &v) {
#if FUSEC_AVX2 || FUSEC_AVX512
  constexpr int bytes = 16 * sizeof(P);
  constexpr int alignment = bytes < 64 ? bytes : 64;
  if (reinterpret_cast<uintptr_t>(p) % alignment == 0) {
    alignas(64) P place[16];
    store(place, v);
    detail::stream_bytes<bytes>(p, place);
    return;
  }
#endif
  store(p, v);
}

/// Ends the stores past the caches of this thread: what it does next comes
/// after them.
FUSEC_INLINE void finish_streams() {
#if FUSEC_AVX2 || FUSEC_AVX512
  _mm_sfence();
#endif
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
