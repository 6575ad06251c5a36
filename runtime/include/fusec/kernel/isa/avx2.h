// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AVX2 with FMA and F16C.
#ifndef FUSEC_KERNEL_ISA_AVX2_H
#define FUSEC_KERNEL_ISA_AVX2_H

#include <immintrin.h>

#define FUSEC_AVX2 1
#define FUSEC_LANES 8
#ifndef FUSEC_ISA
#define FUSEC_ISA avx2
#endif
#define FUSEC_REGISTER "x"
#define FUSEC_MASKED_ACCESS
#define FUSEC_BUILDS_FROM_LANES
#define FUSEC_CONVERTS_HALVES
#define FUSEC_MULTIPLIES_PAIRS
#define FUSEC_ROUNDS
#define FUSEC_STREAMS

#include "fusec/kernel/isa/native.h"

#include "fusec/kernel/isa/avx_halves.h"
#include "fusec/kernel/isa/avx_stream.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

FUSEC_INLINE f32v splat(float x) { return _mm256_set1_ps(x); }
FUSEC_INLINE i32v splat(int32_t x) {
  return reinterpret_cast<i32v>(_mm256_set1_epi32(x));
}
FUSEC_INLINE i64v splat(int64_t x) {
  return reinterpret_cast<i64v>(_mm256_set1_epi64x(x));
}
FUSEC_INLINE f64v splat(double x) { return _mm256_set1_pd(x); }

FUSEC_INLINE i32v narrow(i64v low, i64v high) {
  const i32h a = __builtin_convertvector(low, i32h);
  const i32h b = __builtin_convertvector(high, i32h);
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
}

template <int Half> FUSEC_INLINE i64v widen(i32v v) {
  constexpr int s = Half * (lanes / 2);
  const i32h h = __builtin_shufflevector(v, v, s, s + 1, s + 2, s + 3);
  return __builtin_convertvector(h, i64v);
}

FUSEC_INLINE i32v lane_numbers(int part) {
  return i32v{0, 1, 2, 3, 4, 5, 6, 7} + splat(part * lanes);
}

FUSEC_INLINE uint32_t mask_bits(mask16 m) {
  // g++ does not compute the instruction while compiling.
  const i32v a = m.part[0] & i32v{1, 2, 4, 8, 16, 32, 64, 128};
  const i32v b = m.part[1] & i32v{1, 2, 4, 8, 16, 32, 64, 128};
  const i32v both = a | b << splat(static_cast<int32_t>(8));
  const int32_t known = both[0] | both[1] | both[2] | both[3] | both[4] |
                        both[5] | both[6] | both[7];
  if (__builtin_constant_p(known))
    return static_cast<uint32_t>(known);
  const auto low = _mm256_movemask_ps(reinterpret_cast<__m256>(m.part[0]));
  const auto high = _mm256_movemask_ps(reinterpret_cast<__m256>(m.part[1]));
  return static_cast<uint32_t>(low) | static_cast<uint32_t>(high) << 8;
}

// --- arithmetic

FUSEC_INLINE f32v multiply_add(f32v a, f32v b, f32v c) {
  return _mm256_fmadd_ps(a, b, c);
}
FUSEC_INLINE f64v multiply_add(f64v a, f64v b, f64v c) {
  return _mm256_fmadd_pd(a, b, c);
}
FUSEC_INLINE f32v near_quotient(f32v a, float b) {
  const float high = 1.0f / b, low = float(1.0 / double(b) - double(high));
  return _mm256_fmadd_ps(a, _mm256_set1_ps(high),
                         _mm256_mul_ps(a, _mm256_set1_ps(low)));
}
FUSEC_INLINE i32v nearest_part(f32v a) {
  return reinterpret_cast<i32v>(_mm256_cvtps_epi32(a));
}
FUSEC_INLINE f32v greater_or_second(f32v p, f32v q) {
  return _mm256_max_ps(p, q);
}
FUSEC_INLINE f32v less_or_second(f32v p, f32v q) { return _mm256_min_ps(p, q); }
FUSEC_INLINE void square_root(f32v &root, const f32v &a) {
  root = _mm256_sqrt_ps(a);
}

#define FUSEC_ROUND(name, mode)                                                \
  FUSEC_INLINE f32v name##_part(f32v x) { return _mm256_round_ps(x, mode); }
FUSEC_ROUND(floor, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
FUSEC_ROUND(ceil, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
FUSEC_ROUND(trunc, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
FUSEC_ROUND(round_even, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#undef FUSEC_ROUND

FUSEC_INLINE i32v join_pairs(i32v a, i32v b) {
  return reinterpret_cast<i32v>(_mm256_blend_epi16(
      reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b), 0xaa));
}
FUSEC_INLINE i32v dot_pairs(i32v a, i32v b, i32v c) {
  return reinterpret_cast<i32v>(
      _mm256_add_epi32(_mm256_madd_epi16(reinterpret_cast<__m256i>(a),
                                         reinterpret_cast<__m256i>(b)),
                       reinterpret_cast<__m256i>(c)));
}

/// Bytes 0 and 2 of each sum, then 1 and 3, as terms of 16 bits.
FUSEC_INLINE i32v dot_quads(i32v a, i32v b, i32v c) {
  const __m256i u = reinterpret_cast<__m256i>(a),
                s = reinterpret_cast<__m256i>(b);
  const __m256i even =
      _mm256_madd_epi16(_mm256_and_si256(u, _mm256_set1_epi16(0xff)),
                        _mm256_srai_epi16(_mm256_slli_epi16(s, 8), 8));
  const __m256i odd =
      _mm256_madd_epi16(_mm256_srli_epi16(u, 8), _mm256_srai_epi16(s, 8));
  return reinterpret_cast<i32v>(_mm256_add_epi32(
      _mm256_add_epi32(even, reinterpret_cast<__m256i>(c)), odd));
}

FUSEC_INLINE void lookup_part(f32v &v, const float (&table)[16],
                              const i32v &index) {
  const __m256i at = reinterpret_cast<__m256i>(index);
  v = _mm256_blendv_ps(_mm256_permutevar8x32_ps(_mm256_load_ps(table), at),
                       _mm256_permutevar8x32_ps(_mm256_load_ps(table + 8), at),
                       _mm256_castsi256_ps(_mm256_slli_epi32(at, 28)));
}

// --- memory

FUSEC_INLINE f32v load_whole(const float *p) { return _mm256_loadu_ps(p); }
FUSEC_INLINE void store_whole(float *p, f32v v) { _mm256_storeu_ps(p, v); }

FUSEC_INLINE f32v load_halves(const f16 *p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i *>(p)));
}
FUSEC_INLINE void store_halves(f16 *p, f32v v) {
  _mm_storeu_si128(reinterpret_cast<__m128i *>(p),
                   _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
FUSEC_INLINE f32v round_to_halves(f32v v) {
  return _mm256_cvtph_ps(_mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT));
}
FUSEC_INLINE f32v halves_in(i32v v) {
  const __m256i words = reinterpret_cast<__m256i>(v);
  return _mm256_cvtph_ps(_mm_packus_epi32(_mm256_castsi256_si128(words),
                                          _mm256_extracti128_si256(words, 1)));
}

// Extended while they are loaded, which g++ does not find.
FUSEC_INLINE __m128i load_bytes(const void *p) {
  return _mm_loadl_epi64(static_cast<const __m128i *>(p));
}
FUSEC_INLINE __m128i load_words(const void *p) {
  return _mm_loadu_si128(static_cast<const __m128i *>(p));
}
#define FUSEC_EXTENDED(Narrow, load, kind)                                     \
  template <> FUSEC_INLINE i32v extended<Narrow>(const void *p) {              \
    return reinterpret_cast<i32v>(_mm256_cvt##kind##_epi32(load(p)));          \
  }
FUSEC_EXTENDED(i8v, load_bytes, epi8)
FUSEC_EXTENDED(u8v, load_bytes, epu8)
FUSEC_EXTENDED(i16v, load_words, epi16)
FUSEC_EXTENDED(u16v, load_words, epu16)
#undef FUSEC_EXTENDED

// --- memory under a mask

// g++ takes a masked access for one of the whole vector, and warns where the
// array is narrower than that; the mask keeps the access inside.
#ifndef __clang__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"
#endif
// A mask is often known while compiling: a row of 8 is one part of two. g++
// would keep the masked instructions, of which AMD's stores are slow.
FUSEC_INLINE bool is_known_full(i32v m) {
  const i64v pairs = reinterpret_cast<i64v>(m);
  const bool full = (pairs[0] & pairs[1] & pairs[2] & pairs[3]) == -1;
  return __builtin_constant_p(full) && full;
}
FUSEC_INLINE bool is_known_empty(i32v m) {
  const i64v pairs = reinterpret_cast<i64v>(m);
  const bool empty = (pairs[0] | pairs[1] | pairs[2] | pairs[3]) == 0;
  return __builtin_constant_p(empty) && empty;
}
FUSEC_INLINE f32v load_part(const float *p, i32v m) {
  if (is_known_full(m))
    return _mm256_loadu_ps(p);
  if (is_known_empty(m))
    return _mm256_setzero_ps();
  return _mm256_maskload_ps(p, reinterpret_cast<__m256i>(m));
}
FUSEC_INLINE i32v load_part(const int32_t *p, i32v m) {
  i32v v = {};
  if (is_known_full(m))
    copy(&v, p, sizeof(v));
  else if (!is_known_empty(m))
    v = reinterpret_cast<i32v>(
        _mm256_maskload_epi32(p, reinterpret_cast<__m256i>(m)));
  return v;
}
FUSEC_INLINE void store_part(float *p, f32v v, i32v m) {
  if (is_known_full(m))
    _mm256_storeu_ps(p, v);
  else if (!is_known_empty(m))
    _mm256_maskstore_ps(p, reinterpret_cast<__m256i>(m), v);
}
FUSEC_INLINE void store_part(int32_t *p, i32v v, i32v m) {
  if (is_known_full(m))
    copy(p, &v, sizeof(v));
  else if (!is_known_empty(m))
    _mm256_maskstore_epi32(p, reinterpret_cast<__m256i>(m),
                           reinterpret_cast<__m256i>(v));
}
#ifndef __clang__
#pragma GCC diagnostic pop
#endif

FUSEC_INLINE f32v load_even(const float *p, i32v m) {
  if (is_known_full(m))
    return __builtin_shufflevector(_mm256_loadu_ps(p), _mm256_loadu_ps(p + 7),
                                   0, 2, 4, 6, 9, 11, 13, 15);
  const i64v even = splat(int64_t{0xffffffff});
  const f32v low = load_part(p, reinterpret_cast<i32v>(widen<0>(m) & even));
  const f32v high =
      load_part(p + 8, reinterpret_cast<i32v>(widen<1>(m) & even));
  return __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
}

// Without a mask, loads lane by lane are as fast (Intel) or twice as fast
// (AMD).
FUSEC_INLINE f32v gather_part(const float *p, i32v idx, i32v m) {
  return _mm256_mask_i32gather_ps(_mm256_setzero_ps(), p,
                                  reinterpret_cast<__m256i>(idx),
                                  reinterpret_cast<__m256>(m), 4);
}
FUSEC_INLINE i32v gather_part(const int32_t *p, i32v idx, i32v m) {
  return reinterpret_cast<i32v>(_mm256_mask_i32gather_epi32(
      _mm256_setzero_si256(), p, reinterpret_cast<__m256i>(idx),
      reinterpret_cast<__m256i>(m), 4));
}

// --- across lanes

/// Lane l: lane(n + l), which meet in a register. Of a buffer compilers make
/// narrow stores, and a load of eight lanes that waits until they are in the
/// cache.
template <class Lane> FUSEC_INLINE f32v from_lanes(Lane lane, int n) {
  return f32v{lane(n),     lane(n + 1), lane(n + 2), lane(n + 3),
              lane(n + 4), lane(n + 5), lane(n + 6), lane(n + 7)};
}

template <int N> FUSEC_INLINE f32v swap_lanes(f32v v) {
  return __builtin_shufflevector(v, v, 0 ^ N, 1 ^ N, 2 ^ N, 3 ^ N, 4 ^ N, 5 ^ N,
                                 6 ^ N, 7 ^ N);
}

FUSEC_INLINE f32v zip_low(f32v a, f32v b) { return _mm256_unpacklo_ps(a, b); }
FUSEC_INLINE f32v zip_high(f32v a, f32v b) { return _mm256_unpackhi_ps(a, b); }
FUSEC_INLINE f32v join_low(f32v a, f32v b) {
  return _mm256_shuffle_ps(a, b, 0x44);
}
FUSEC_INLINE f32v join_high(f32v a, f32v b) {
  return _mm256_shuffle_ps(a, b, 0xee);
}
FUSEC_INLINE void join_fours(const f32v (&fours)[8], f32v (&columns)[8],
                             int c) {
  columns[c] = _mm256_permute2f128_ps(fours[c], fours[c + 4], 0x20);
  columns[c + 4] = _mm256_permute2f128_ps(fours[c], fours[c + 4], 0x31);
}

template <int N> FUSEC_INLINE void store_first(float *p, f32v v) {
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
}

} // namespace detail
} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
