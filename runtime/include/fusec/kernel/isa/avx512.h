// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// AVX-512 F, BW, DQ and VL. g++ 12 warns of uninitialised operands inside the
// unmasked forms of many intrinsics; the zeroing forms with a full mask compile
// to the same instruction.
#ifndef FUSEC_KERNEL_ISA_AVX512_H
#define FUSEC_KERNEL_ISA_AVX512_H

#include <immintrin.h>

#define FUSEC_AVX512 1
#define FUSEC_LANES 16
#ifndef FUSEC_ISA
#define FUSEC_ISA avx512
#endif
#define FUSEC_REGISTER "v"
#define FUSEC_BIT_MASKS
#define FUSEC_MASKED_ACCESS
#define FUSEC_GATHERS
#define FUSEC_CONVERTS_HALVES
#define FUSEC_MULTIPLIES_PAIRS
#ifdef __AVX512BF16__
#define FUSEC_MULTIPLIES_BF16
#endif
#if defined(__AMX_INT8__) && defined(__AMX_BF16__)
#define FUSEC_MULTIPLIES_TILES
#endif
#define FUSEC_ROUNDS
#define FUSEC_SCALES_BY_POWERS
#define FUSEC_STREAMS

#include "fusec/kernel/isa/native.h"

#include "fusec/kernel/isa/avx_halves.h"
#include "fusec/kernel/isa/avx_stream.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

FUSEC_INLINE f32v splat(float x) { return _mm512_set1_ps(x); }
FUSEC_INLINE i32v splat(int32_t x) {
  return reinterpret_cast<i32v>(_mm512_set1_epi32(x));
}
FUSEC_INLINE i64v splat(int64_t x) {
  return reinterpret_cast<i64v>(_mm512_set1_epi64(x));
}
FUSEC_INLINE f64v splat(double x) { return _mm512_set1_pd(x); }

FUSEC_INLINE i32v narrow(i64v low, i64v high) {
  const i32h a = __builtin_convertvector(low, i32h);
  const i32h b = __builtin_convertvector(high, i32h);
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                 13, 14, 15);
}

template <int Half> FUSEC_INLINE i64v widen(i32v v) {
  constexpr int s = Half * (lanes / 2);
  const i32h h = __builtin_shufflevector(v, v, s, s + 1, s + 2, s + 3, s + 4,
                                         s + 5, s + 6, s + 7);
  return __builtin_convertvector(h, i64v);
}

// --- masks

FUSEC_INLINE uint32_t mask_bits(mask16 m) { return m.bits; }

#define FUSEC_COMPARE(name, float_predicate, int_predicate)                    \
  FUSEC_INLINE uint16_t name##_bits(f32v a, f32v b) {                          \
    return _mm512_cmp_ps_mask(a, b, float_predicate);                          \
  }                                                                            \
  FUSEC_INLINE uint16_t name##_bits(i32v a, i32v b) {                          \
    return _mm512_cmp_epi32_mask(reinterpret_cast<__m512i>(a),                 \
                                 reinterpret_cast<__m512i>(b), int_predicate); \
  }                                                                            \
  FUSEC_INLINE uint8_t name##_bits(i64v a, i64v b) {                           \
    return _mm512_cmp_epi64_mask(reinterpret_cast<__m512i>(a),                 \
                                 reinterpret_cast<__m512i>(b), int_predicate); \
  }                                                                            \
  FUSEC_INLINE uint8_t name##_bits(f64v a, f64v b) {                           \
    return _mm512_cmp_pd_mask(a, b, float_predicate);                          \
  }
FUSEC_COMPARE(eq, _CMP_EQ_OQ, _MM_CMPINT_EQ)
FUSEC_COMPARE(ne, _CMP_NEQ_UQ, _MM_CMPINT_NE)
FUSEC_COMPARE(lt, _CMP_LT_OQ, _MM_CMPINT_LT)
FUSEC_COMPARE(le, _CMP_LE_OQ, _MM_CMPINT_LE)
FUSEC_COMPARE(gt, _CMP_GT_OQ, _MM_CMPINT_NLE)
FUSEC_COMPARE(ge, _CMP_GE_OQ, _MM_CMPINT_NLT)
#undef FUSEC_COMPARE

FUSEC_INLINE f32v blend(uint16_t m, f32v a, f32v b) {
  return _mm512_mask_blend_ps(m, b, a);
}
FUSEC_INLINE i32v blend(uint16_t m, i32v a, i32v b) {
  return reinterpret_cast<i32v>(_mm512_mask_blend_epi32(
      m, reinterpret_cast<__m512i>(b), reinterpret_cast<__m512i>(a)));
}
FUSEC_INLINE i64v blend(uint8_t m, i64v a, i64v b) {
  return reinterpret_cast<i64v>(_mm512_mask_blend_epi64(
      m, reinterpret_cast<__m512i>(b), reinterpret_cast<__m512i>(a)));
}
FUSEC_INLINE f64v blend(uint8_t m, f64v a, f64v b) {
  return _mm512_mask_blend_pd(m, b, a);
}

// --- arithmetic

FUSEC_INLINE f32v multiply_add(f32v a, f32v b, f32v c) {
  return _mm512_fmadd_ps(a, b, c);
}
FUSEC_INLINE f64v multiply_add(f64v a, f64v b, f64v c) {
  return _mm512_fmadd_pd(a, b, c);
}
FUSEC_INLINE f32v near_quotient(f32v a, float b) {
  const float high = 1.0f / b, low = float(1.0 / double(b) - double(high));
  return _mm512_fmadd_ps(a, _mm512_set1_ps(high),
                         _mm512_mul_ps(a, _mm512_set1_ps(low)));
}
FUSEC_INLINE i32v nearest_part(f32v a) {
  return reinterpret_cast<i32v>(_mm512_maskz_cvtps_epi32(0xffff, a));
}
FUSEC_INLINE f32v greater_or_second(f32v p, f32v q) {
  return _mm512_maskz_max_ps(0xffff, p, q);
}
FUSEC_INLINE f32v less_or_second(f32v p, f32v q) {
  return _mm512_maskz_min_ps(0xffff, p, q);
}
/// q where that is NaN, else p. Of 8 classes of floats the table keeps p for
/// all but the first two, quiet and signalling NaN.
FUSEC_INLINE f32v nan_or(f32v q, f32v p) {
  return _mm512_fixupimm_ps(p, q, _mm512_set1_epi32(0x21), 0);
}
FUSEC_INLINE void square_root(f32v &root, const f32v &a) {
  root = _mm512_maskz_sqrt_ps(0xffff, a);
}

#define FUSEC_ROUND(name, mode)                                                \
  FUSEC_INLINE f32v name##_part(f32v x) {                                      \
    return _mm512_maskz_roundscale_ps(0xffff, x, mode);                        \
  }
FUSEC_ROUND(floor, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)
FUSEC_ROUND(ceil, _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
FUSEC_ROUND(trunc, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC)
FUSEC_ROUND(round_even, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#undef FUSEC_ROUND

/// The smaller of x and `most`, or NaN.
FUSEC_INLINE f32v limit_part(f32v x, float most) {
  return _mm512_maskz_min_ps(0xffff, _mm512_set1_ps(most), x);
}
/// p * 2^n, or 0 where x < low.
FUSEC_INLINE f32v scale_part(f32v p, f32v n, f32v x, float low) {
  const __mmask16 inside =
      _mm512_cmp_ps_mask(x, _mm512_set1_ps(low), _CMP_NLT_UQ);
  return _mm512_maskz_scalef_ps(inside, p, n);
}

FUSEC_INLINE i32v join_pairs(i32v a, i32v b) {
  return reinterpret_cast<i32v>(_mm512_mask_blend_epi16(
      0xaaaaaaaau, reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}
FUSEC_INLINE i32v dot_pairs(i32v a, i32v b, i32v c) {
  return reinterpret_cast<i32v>(
      _mm512_add_epi32(_mm512_madd_epi16(reinterpret_cast<__m512i>(a),
                                         reinterpret_cast<__m512i>(b)),
                       reinterpret_cast<__m512i>(c)));
}

/// VPDPBUSD where the compiler may use it; else bytes 0 and 2 of each sum, then
/// 1 and 3, as terms of 16 bits.
FUSEC_INLINE i32v dot_quads(i32v a, i32v b, i32v c) {
  const __m512i u = reinterpret_cast<__m512i>(a),
                s = reinterpret_cast<__m512i>(b),
                sum = reinterpret_cast<__m512i>(c);
#ifdef __AVX512VNNI__
  return reinterpret_cast<i32v>(_mm512_dpbusd_epi32(sum, u, s));
#else
  const __m512i even =
      _mm512_madd_epi16(_mm512_and_si512(u, _mm512_set1_epi16(0xff)),
                        _mm512_srai_epi16(_mm512_slli_epi16(s, 8), 8));
  const __m512i odd =
      _mm512_madd_epi16(_mm512_srli_epi16(u, 8), _mm512_srai_epi16(s, 8));
  return reinterpret_cast<i32v>(
      _mm512_add_epi32(_mm512_add_epi32(even, sum), odd));
#endif
}

#ifdef FUSEC_MULTIPLIES_BF16
FUSEC_INLINE f32v dot_bf16(i32v a, i32v b, f32v c) {
  return _mm512_dpbf16_ps(c, reinterpret_cast<__m512bh>(a),
                          reinterpret_cast<__m512bh>(b));
}
#endif

FUSEC_INLINE void lookup_part(f32v &v, const float (&table)[16],
                              const i32v &index) {
  v = _mm512_maskz_permutexvar_ps(0xffff, reinterpret_cast<__m512i>(index),
                                  _mm512_load_ps(table));
}
/// Entry `code` of 256 bytes in the low bits of lanes, others above: four
/// entries are a word, and registers have 16 words of the table each.
FUSEC_INLINE __m512i looked_up_bytes(const void *table, i32v codes) {
  const char *p = static_cast<const char *>(table);
  const __m512i at = reinterpret_cast<__m512i>(codes >> 2);
  const __m512i low = _mm512_permutex2var_epi32(_mm512_loadu_si512(p), at,
                                                _mm512_loadu_si512(p + 64)),
                high =
                    _mm512_permutex2var_epi32(_mm512_loadu_si512(p + 128), at,
                                              _mm512_loadu_si512(p + 192));
  const __m512i words = _mm512_mask_blend_epi32(
      _mm512_test_epi32_mask(reinterpret_cast<__m512i>(codes),
                             _mm512_set1_epi32(128)),
      low, high);
  return _mm512_maskz_srlv_epi32(0xffff, words,
                                 reinterpret_cast<__m512i>((codes & 3) << 3));
}
FUSEC_INLINE void look_up_part(i32v &v, const uint8_t *table,
                               const i32v &codes) {
  v = reinterpret_cast<i32v>(looked_up_bytes(table, codes)) & 255;
}
FUSEC_INLINE void look_up_part(i32v &v, const int8_t *table,
                               const i32v &codes) {
  v = reinterpret_cast<i32v>(looked_up_bytes(table, codes)) << 24 >> 24;
}

// --- memory

FUSEC_INLINE f32v load_whole(const float *p) { return _mm512_loadu_ps(p); }
FUSEC_INLINE void store_whole(float *p, f32v v) { _mm512_storeu_ps(p, v); }

#define FUSEC_NARROWED(Narrow, kind)                                           \
  template <> FUSEC_INLINE Narrow narrowed<Narrow>(i32v v) {                   \
    return reinterpret_cast<Narrow>(                                           \
        _mm512_maskz_cvtepi32_##kind(0xffff, reinterpret_cast<__m512i>(v)));   \
  }
FUSEC_NARROWED(i8v, epi8)
FUSEC_NARROWED(u8v, epi8)
FUSEC_NARROWED(i16v, epi16)
FUSEC_NARROWED(u16v, epi16)
#undef FUSEC_NARROWED

FUSEC_INLINE f32v load_halves(const f16 *p) {
  return _mm512_maskz_cvtph_ps(
      0xffff, _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p)));
}
FUSEC_INLINE void store_halves(f16 *p, f32v v) {
  _mm256_storeu_si256(
      reinterpret_cast<__m256i *>(p),
      _mm512_maskz_cvtps_ph(0xffff, v, _MM_FROUND_TO_NEAREST_INT));
}
FUSEC_INLINE f32v round_to_halves(f32v v) {
  return _mm512_maskz_cvtph_ps(
      0xffff, _mm512_maskz_cvtps_ph(0xffff, v, _MM_FROUND_TO_NEAREST_INT));
}
FUSEC_INLINE f32v halves_in(i32v v) {
  return _mm512_maskz_cvtph_ps(0xffff,
                               reinterpret_cast<__m256i>(narrowed<i16v>(v)));
}

// Extended while they are loaded, which g++ does not find.
FUSEC_INLINE __m128i load_bytes(const void *p) {
  return _mm_loadu_si128(static_cast<const __m128i *>(p));
}
FUSEC_INLINE __m128i load_bytes(const void *p, uint16_t m) {
  return _mm_maskz_loadu_epi8(m, p);
}
FUSEC_INLINE __m256i load_words(const void *p) {
  return _mm256_loadu_si256(static_cast<const __m256i *>(p));
}
FUSEC_INLINE __m256i load_words(const void *p, uint16_t m) {
  return _mm256_maskz_loadu_epi16(m, p);
}
#define FUSEC_EXTENDED(P, Narrow, load, kind)                                  \
  template <> FUSEC_INLINE i32v extended<Narrow>(const void *p) {              \
    return reinterpret_cast<i32v>(                                             \
        _mm512_maskz_cvt##kind##_epi32(0xffff, load(p)));                      \
  }                                                                            \
  FUSEC_INLINE i32v load_part(const P *p, uint16_t m) {                        \
    return reinterpret_cast<i32v>(                                             \
        _mm512_maskz_cvt##kind##_epi32(0xffff, load(p, m)));                   \
  }
FUSEC_EXTENDED(int8_t, i8v, load_bytes, epi8)
FUSEC_EXTENDED(uint8_t, u8v, load_bytes, epu8)
FUSEC_EXTENDED(int16_t, i16v, load_words, epi16)
FUSEC_EXTENDED(uint16_t, u16v, load_words, epu16)
#undef FUSEC_EXTENDED

/// Sixteen integers of 4 bits each in the low bits of lanes, with others above:
/// lanes have the words of the even and of the odd ones in turns.
FUSEC_INLINE __m512i spread_nibbles(const void *p) {
  int64_t words;
  copy(&words, p, sizeof(words));
  const __m512i by = _mm512_setr_epi32(0, 0, 4, 4, 8, 8, 12, 12, 16, 16, 20, 20,
                                       24, 24, 28, 28);
  return _mm512_maskz_srlv_epi32(0xffff, _mm512_set1_epi64(words), by);
}
/// The same without a sign.
FUSEC_INLINE i32v extended_nibbles(const void *p) {
  return reinterpret_cast<i32v>(spread_nibbles(p)) & 15;
}
/// What `numbers` has for each of them, as bits without a sign.
FUSEC_INLINE f32v looked_up_nibbles(const void *p, f32v numbers) {
  return _mm512_maskz_permutexvar_ps(0xffff, spread_nibbles(p), numbers);
}

/// 64 integers of 4 bits without a sign as bytes, one after the other.
FUSEC_INLINE i32v nibble_quads(const void *p) {
  // In each quarter the words of a group: of the even ones, and of the odd.
  const __m512i words = _mm512_maskz_cvtepu32_epi64(
      0xff, _mm256_loadu_si256(static_cast<const __m256i *>(p)));
  const __m512i turns =
      _mm512_set4_epi32(0x0b030b03, 0x0a020a02, 0x09010901, 0x08000800);
  const __m512i pairs = _mm512_shuffle_epi8(words, turns);
  const __m512i by = _mm512_set1_epi32(0x00040000);
  return reinterpret_cast<i32v>(_mm512_srlv_epi16(pairs, by)) & 0x0f0f0f0f;
}

// --- memory under a mask

FUSEC_INLINE f32v load_part(const float *p, uint16_t m) {
  return _mm512_maskz_loadu_ps(m, p);
}
FUSEC_INLINE i32v load_part(const int32_t *p, uint16_t m) {
  return reinterpret_cast<i32v>(_mm512_maskz_loadu_epi32(m, p));
}
FUSEC_INLINE i64v load_part(const int64_t *p, uint8_t m) {
  return reinterpret_cast<i64v>(_mm512_maskz_loadu_epi64(m, p));
}
FUSEC_INLINE f32v load_part(const f16 *p, uint16_t m) {
  return _mm512_maskz_cvtph_ps(0xffff, _mm256_maskz_loadu_epi16(m, p));
}
FUSEC_INLINE void store_part(float *p, f32v v, uint16_t m) {
  _mm512_mask_storeu_ps(p, m, v);
}
FUSEC_INLINE void store_part(int32_t *p, i32v v, uint16_t m) {
  _mm512_mask_storeu_epi32(p, m, reinterpret_cast<__m512i>(v));
}
FUSEC_INLINE void store_part(int64_t *p, i64v v, uint8_t m) {
  _mm512_mask_storeu_epi64(p, m, reinterpret_cast<__m512i>(v));
}
FUSEC_INLINE void store_part(f16 *p, f32v v, uint16_t m) {
  _mm256_mask_storeu_epi16(
      p, m, _mm512_maskz_cvtps_ph(0xffff, v, _MM_FROUND_TO_NEAREST_INT));
}
FUSEC_INLINE void store_part(int8_t *p, i32v v, uint16_t m) {
  _mm_mask_storeu_epi8(p, m, reinterpret_cast<__m128i>(narrowed<i8v>(v)));
}
FUSEC_INLINE void store_part(int16_t *p, i32v v, uint16_t m) {
  _mm256_mask_storeu_epi16(p, m, reinterpret_cast<__m256i>(narrowed<i16v>(v)));
}

FUSEC_INLINE i32v load_even(const uint16_t *p, uint16_t m) {
  return reinterpret_cast<i32v>(
      _mm512_maskz_loadu_epi16(_pdep_u32(m, 0x55555555u), p));
}
FUSEC_INLINE f32v load_even(const float *p, uint16_t m) {
  const uint32_t places = _pdep_u32(m, 0x55555555u);
  const __m512 low = _mm512_maskz_loadu_ps(static_cast<__mmask16>(places), p);
  const __m512 high =
      _mm512_maskz_loadu_ps(static_cast<__mmask16>(places >> 16), p + 16);
  const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12,
                                        10, 8, 6, 4, 2, 0);
  return _mm512_permutex2var_ps(low, even, high);
}

FUSEC_INLINE f32v gather_part(const float *p, i32v idx, uint16_t m) {
  return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), m,
                                  reinterpret_cast<__m512i>(idx), p, 4);
}
FUSEC_INLINE i32v gather_part(const int32_t *p, i32v idx, uint16_t m) {
  return reinterpret_cast<i32v>(_mm512_mask_i32gather_epi32(
      _mm512_setzero_si512(), m, reinterpret_cast<__m512i>(idx), p, 4));
}

// --- across lanes

template <int N> FUSEC_INLINE f32v swap_lanes(f32v v) {
  return __builtin_shufflevector(v, v, 0 ^ N, 1 ^ N, 2 ^ N, 3 ^ N, 4 ^ N, 5 ^ N,
                                 6 ^ N, 7 ^ N, 8 ^ N, 9 ^ N, 10 ^ N, 11 ^ N,
                                 12 ^ N, 13 ^ N, 14 ^ N, 15 ^ N);
}

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
FUSEC_INLINE void join_fours(const f32v (&fours)[16], f32v (&columns)[16],
                             int c) {
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
  columns[c + 4] = _mm512_maskz_shuffle_f32x4(0xffff, odd_low, odd_high, 0x88);
  columns[c + 8] =
      _mm512_maskz_shuffle_f32x4(0xffff, even_low, even_high, 0xdd);
  columns[c + 12] = _mm512_maskz_shuffle_f32x4(0xffff, odd_low, odd_high, 0xdd);
}

template <int N> FUSEC_INLINE void store_first(float *p, f32v v) {
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1u << N) - 1), v);
}

} // namespace detail
} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
