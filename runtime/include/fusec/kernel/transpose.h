// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores of vectors whose lanes go to rows of memory of their own.
#ifndef FUSEC_KERNEL_TRANSPOSE_H
#define FUSEC_KERNEL_TRANSPOSE_H

#include "fusec/kernel/lanes.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

// Within each 128 bits: what is in the low, or in the high, halves of a and b,
// in turns of 32 bits (zip) or one after the other (join).
#if FUSEC_AVX512
FUSEC_INLINE f32v zip_low(f32v a, f32v b) {
  return _mm512_maskz_unpacklo_ps(0xffff, a, b);
}
FUSEC_INLINE f32v zip_high(f32v a, f32v b) {
  return _mm512_maskz_unpackhi_ps(0xffff, a, b);
}
FUSEC_INLINE f32v join_low(f32v a, f32v b) {
  return _mm512_maskz_shuffle_ps(0xffff, a, b, 0x44);
}
FUSEC_INLINE f32v join_high(f32v a, f32v b) {
  return _mm512_maskz_shuffle_ps(0xffff, a, b, 0xee);
}
#elif FUSEC_AVX2
FUSEC_INLINE f32v zip_low(f32v a, f32v b) { return _mm256_unpacklo_ps(a, b); }
FUSEC_INLINE f32v zip_high(f32v a, f32v b) { return _mm256_unpackhi_ps(a, b); }
FUSEC_INLINE f32v join_low(f32v a, f32v b) {
  return _mm256_shuffle_ps(a, b, 0x44);
}
FUSEC_INLINE f32v join_high(f32v a, f32v b) {
  return _mm256_shuffle_ps(a, b, 0xee);
}
#else
FUSEC_INLINE f32v zip_low(f32v a, f32v b) {
  return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}
FUSEC_INLINE f32v zip_high(f32v a, f32v b) {
  return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}
FUSEC_INLINE f32v join_low(f32v a, f32v b) {
  return __builtin_shufflevector(a, b, 0, 1, 4, 5);
}
FUSEC_INLINE f32v join_high(f32v a, f32v b) {
  return __builtin_shufflevector(a, b, 2, 3, 6, 7);
}
#endif

/// Lane l of rows[r] becomes lane r of columns[l].
FUSEC_INLINE void transpose(const f32v (&rows)[lanes], f32v (&columns)[lanes]) {
  // Four rows in each 128 bits: those number q of fours[4 * g + c] are column
  // 4 * q + c of the rows from 4 * g on.
  f32v fours[lanes];
  FUSEC_UNROLL for (int g = 0; g < lanes; g += 4) {
    const f32v low01 = zip_low(rows[g], rows[g + 1]);
    const f32v high01 = zip_high(rows[g], rows[g + 1]);
    const f32v low23 = zip_low(rows[g + 2], rows[g + 3]);
    const f32v high23 = zip_high(rows[g + 2], rows[g + 3]);
    fours[g] = join_low(low01, low23);
    fours[g + 1] = join_high(low01, low23);
    fours[g + 2] = join_low(high01, high23);
    fours[g + 3] = join_high(high01, high23);
  }
  FUSEC_UNROLL for (int c = 0; c < 4; ++c) {
#if FUSEC_AVX512
    // 0x88 takes number 0 and 2 of both, 0xdd takes 1 and 3.
    const f32v even_low =
        _mm512_maskz_shuffle_f32x4(0xffff, fours[c], fours[c + 4], 0x88);
    const f32v even_high =
        _mm512_maskz_shuffle_f32x4(0xffff, fours[c + 8], fours[c + 12], 0x88);
    const f32v odd_low =
        _mm512_maskz_shuffle_f32x4(0xffff, fours[c], fours[c + 4], 0xdd);
    const f32v odd_high =
        _mm512_maskz_shuffle_f32x4(0xffff, fours[c + 8], fours[c + 12], 0xdd);
    columns[c] = _mm512_maskz_shuffle_f32x4(0xffff, even_low, even_high, 0x88);
    columns[c + 4] =
        _mm512_maskz_shuffle_f32x4(0xffff, odd_low, odd_high, 0x88);
    columns[c + 8] =
        _mm512_maskz_shuffle_f32x4(0xffff, even_low, even_high, 0xdd);
    columns[c + 12] =
        _mm512_maskz_shuffle_f32x4(0xffff, odd_low, odd_high, 0xdd);
#elif FUSEC_AVX2
    columns[c] = _mm256_permute2f128_ps(fours[c], fours[c + 4], 0x20);
    columns[c + 4] = _mm256_permute2f128_ps(fours[c], fours[c + 4], 0x31);
#else
    columns[c] = fours[c];
#endif
  }
}

/// The first N lanes of v to p.
template <int N> FUSEC_INLINE void store_first(float *p, f32v v) {
#if FUSEC_AVX512
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << N) - 1), v);
#elif FUSEC_AVX2
  if (N == 8)
    return _mm256_storeu_ps(p, v);
  // In pieces, for AMD's masked stores are slow.
  __m128 rest = _mm256_castps256_ps128(v);
  if (N & 4) {
    _mm_storeu_ps(p, rest);
    rest = _mm256_extractf128_ps(v, 1);
    p += 4;
  }
  if (N & 2) {
    _mm_storel_pi(reinterpret_cast<__m64 *>(p), rest);
    rest = _mm_movehl_ps(rest, rest);
    p += 2;
  }
  if (N & 1)
    _mm_store_ss(p, rest);
#else
  copy(p, &v, N * static_cast<int>(sizeof(float)));
#endif
}

/// Part `part` of N rows, at most as many as a native vector has lanes.
template <int N>
FUSEC_INLINE void store_columns(float *p, int64_t stride, const f32x16 *rows,
                                int part, uint32_t bits) {
  f32v block[lanes], columns[lanes];
  // What lies beyond the rows is not stored.
  FUSEC_UNROLL for (int r = 0; r < lanes; ++r) {
    block[r] = rows[r < N ? r : N - 1].part[part];
  }
  transpose(block, columns);
  FUSEC_UNROLL for (int l = 0; l < lanes; ++l) {
    if (bits >> (part * lanes + l) & 1u)
      store_first<N>(p + (part * lanes + l) * stride, columns[l]);
  }
}

template <int N, class P, class V>
FUSEC_OUT_OF_LINE void store_rows(P *p, int64_t stride, const V *rows,
                                  uint32_t bits) {
  for (int r = 0; r < N; ++r) {
    P buffer[16];
    store(buffer, rows[r]);
    copy_lanes<P>(p + r, stride, buffer, 1, bits);
  }
}

template <int N>
FUSEC_INLINE void store_rows(float *p, int64_t stride, const f32x16 *rows,
                             uint32_t bits) {
  constexpr int rest = N % lanes;
  FUSEC_UNROLL for (int part = 0; part < parts; ++part) {
    FUSEC_UNROLL for (int r = 0; r + lanes <= N; r += lanes) {
      store_columns<lanes>(p + r, stride, rows + r, part, bits);
    }
    if (rest != 0)
      store_columns<rest == 0 ? 1 : rest>(p + N - rest, stride, rows + N - rest,
                                          part, bits);
  }
}

} // namespace detail

/// Lane l of rows[r] is written to p[l * stride + r], where that is in m.
template <class P, int N>
FUSEC_INLINE void
store_transposed(P *p, int64_t stride,
                 const typename detail::loaded<P>::vector (&rows)[N]) {
  detail::store_rows<N>(p, stride, rows, 0xffffu);
}
template <class P, int N>
FUSEC_INLINE void
store_transposed(P *p, int64_t stride,
                 const typename detail::loaded<P>::vector (&rows)[N],
                 mask16 m) {
  detail::store_rows<N>(p, stride, rows, detail::mask_bits(m));
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
