// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of 8 and 16 bits in memory, which 32 bits compute.
#ifndef FUSEC_KERNEL_NARROW_H
#define FUSEC_KERNEL_NARROW_H

#include "fusec/kernel/mask.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

// g++ converts vectors in steps of twice the size, or lane by lane.
template <class Narrow> struct widened {
  typedef i32v type;
};
template <> struct widened<i8v> {
  typedef i16v type;
};
template <> struct widened<u8v> {
  typedef u16v type;
};

/// The integers at p, extended to 32 bits with the sign that Narrow has.
template <class Narrow> FUSEC_INLINE i32v extended(const void *p) {
  Narrow n;
  copy(&n, p, sizeof(n));
  return __builtin_convertvector(
      __builtin_convertvector(n, typename widened<Narrow>::type), i32v);
}

// Extended while they are loaded, which g++ does not find.
#if FUSEC_AVX512
FUSEC_INLINE __m128i load_bytes(const void *p) {
  return _mm_loadu_si128(static_cast<const __m128i *>(p));
}
FUSEC_INLINE __m128i load_bytes(const void *p, mask16 m) {
  return _mm_maskz_loadu_epi8(m.bits, p);
}
FUSEC_INLINE __m256i load_words(const void *p) {
  return _mm256_loadu_si256(static_cast<const __m256i *>(p));
}
FUSEC_INLINE __m256i load_words(const void *p, mask16 m) {
  return _mm256_maskz_loadu_epi16(m.bits, p);
}
#define FUSEC_EXTENDED(P, Narrow, load, kind)                                  \
  template <> FUSEC_INLINE i32v extended<Narrow>(const void *p) {              \
    return reinterpret_cast<i32v>(                                             \
        _mm512_maskz_cvt##kind##_epi32(0xffff, load(p)));                      \
  }                                                                            \
  FUSEC_INLINE i32x16 load16(const P *p, mask16 m) {                           \
    i32x16 v;                                                                  \
    v.part[0] = reinterpret_cast<i32v>(                                        \
        _mm512_maskz_cvt##kind##_epi32(0xffff, load(p, m)));                   \
    return v;                                                                  \
  }
#elif FUSEC_AVX2
FUSEC_INLINE __m128i load_bytes(const void *p) {
  return _mm_loadl_epi64(static_cast<const __m128i *>(p));
}
FUSEC_INLINE __m128i load_words(const void *p) {
  return _mm_loadu_si128(static_cast<const __m128i *>(p));
}
#define FUSEC_EXTENDED(P, Narrow, load, kind)                                  \
  template <> FUSEC_INLINE i32v extended<Narrow>(const void *p) {              \
    return reinterpret_cast<i32v>(_mm256_cvt##kind##_epi32(load(p)));          \
  }
#endif
#ifdef FUSEC_EXTENDED
FUSEC_EXTENDED(int8_t, i8v, load_bytes, epi8)
FUSEC_EXTENDED(uint8_t, u8v, load_bytes, epu8)
FUSEC_EXTENDED(int16_t, i16v, load_words, epi16)
FUSEC_EXTENDED(uint16_t, u16v, load_words, epu16)
#undef FUSEC_EXTENDED
#endif

/// The low bits of 32.
template <class Narrow> FUSEC_INLINE Narrow narrowed(i32v v) {
  return __builtin_convertvector(
      __builtin_convertvector(v, typename widened<Narrow>::type), Narrow);
}

template <class Narrow, class P> FUSEC_INLINE i32x16 load_extended(const P *p) {
  i32x16 v;
  FUSEC_PARTS(i, v.part[i] = extended<Narrow>(p + i * lanes);)
  return v;
}

template <class Narrow, class P>
FUSEC_INLINE void store_narrowed(P *p, i32x16 v) {
  FUSEC_PARTS(i, const Narrow n = narrowed<Narrow>(v.part[i]);
              copy(p + i * lanes, &n, sizeof(n));)
}

FUSEC_INLINE i32x16 load16(const int8_t *p) { return load_extended<i8v>(p); }
FUSEC_INLINE i32x16 load16(const uint8_t *p) { return load_extended<u8v>(p); }
FUSEC_INLINE i32x16 load16(const int16_t *p) { return load_extended<i16v>(p); }
FUSEC_INLINE i32x16 load16(const uint16_t *p) { return load_extended<u16v>(p); }

FUSEC_INLINE void store16(int8_t *p, i32x16 v) { store_narrowed<i8v>(p, v); }
FUSEC_INLINE void store16(uint8_t *p, i32x16 v) { store_narrowed<u8v>(p, v); }
FUSEC_INLINE void store16(int16_t *p, i32x16 v) { store_narrowed<i16v>(p, v); }
FUSEC_INLINE void store16(uint16_t *p, i32x16 v) { store_narrowed<u16v>(p, v); }

#if FUSEC_AVX512
FUSEC_INLINE void store16(int8_t *p, i32x16 v, mask16 m) {
  _mm_mask_storeu_epi8(p, m.bits,
                       reinterpret_cast<__m128i>(narrowed<i8v>(v.part[0])));
}
FUSEC_INLINE void store16(uint8_t *p, i32x16 v, mask16 m) {
  store16(reinterpret_cast<int8_t *>(p), v, m);
}
FUSEC_INLINE void store16(int16_t *p, i32x16 v, mask16 m) {
  _mm256_mask_storeu_epi16(
      p, m.bits, reinterpret_cast<__m256i>(narrowed<i16v>(v.part[0])));
}
FUSEC_INLINE void store16(uint16_t *p, i32x16 v, mask16 m) {
  store16(reinterpret_cast<int16_t *>(p), v, m);
}
#endif

} // namespace detail
} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
