// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores past the caches, for AVX2 and AVX-512.
#ifndef FUSEC_KERNEL_ISA_AVX_STREAM_H
#define FUSEC_KERNEL_ISA_AVX_STREAM_H

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

template <int N> FUSEC_INLINE void stream_bytes(void *to, const void *from) {
  if constexpr (N >= 64 && FUSEC_LANES == 16) {
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

FUSEC_INLINE void end_streams() { _mm_sfence(); }

} // namespace detail
} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
