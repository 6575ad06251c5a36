// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores of vectors whose lanes go to rows of memory of their own.
#ifndef FUSEC_KERNEL_TRANSPOSE_H
#define FUSEC_KERNEL_TRANSPOSE_H

#include "fusec/kernel/lanes.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

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
  FUSEC_UNROLL for (int c = 0; c < 4; ++c) { join_fours(fours, columns, c); }
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

/// Transposed as floats, and converted to P a column at a time.
template <int N, class P>
FUSEC_INLINE void store_narrow_rows(P *p, int64_t stride, const f32x16 *rows,
                                    uint32_t bits) {
  FUSEC_UNROLL for (int r = 0; r < N; r += 16) {
    constexpr int rest = N % 16 == 0 ? 16 : N % 16;
    alignas(64) float columns[16][16];
    if (r + 16 <= N)
      store_rows<16>(columns[0], 16, rows + r, 0xffffu);
    else
      store_rows<rest>(columns[0], 16, rows + r, 0xffffu);
    const mask16 inside = mask_lt(r, N);
    FUSEC_UNROLL for (int l = 0; l < 16; ++l) {
      if (bits >> l & 1u)
        store16(p + l * stride + r,
                r + 16 <= N ? load16(columns[l]) : load16(columns[l], inside),
                inside);
    }
  }
}
template <int N>
FUSEC_INLINE void store_rows(f16 *p, int64_t stride, const f32x16 *rows,
                             uint32_t bits) {
  store_narrow_rows<N>(p, stride, rows, bits);
}
template <int N>
FUSEC_INLINE void store_rows(bf16 *p, int64_t stride, const f32x16 *rows,
                             uint32_t bits) {
  store_narrow_rows<N>(p, stride, rows, bits);
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
