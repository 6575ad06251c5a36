// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 16-lane values. Each is a struct of native vectors (one on AVX-512, two
// on AVX2, four elsewhere): wider GCC vectors than the machine has would live
// in memory, and would change the calling convention (-Wpsabi).
#ifndef FUSEC_KERNEL_TYPES_H
#define FUSEC_KERNEL_TYPES_H

#include "fusec/kernel/scalar.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

constexpr int lanes = FUSEC_LANES; // 32-bit lanes of a native vector
constexpr int parts = 16 / lanes;  // native vectors of a 16-lane value
constexpr int halves = 2 * parts;  // the same for 64-bit lanes

typedef float f32v __attribute__((vector_size(4 * FUSEC_LANES)));
typedef int32_t i32v __attribute__((vector_size(4 * FUSEC_LANES)));
typedef uint32_t u32v __attribute__((vector_size(4 * FUSEC_LANES)));
typedef int64_t i64v __attribute__((vector_size(4 * FUSEC_LANES)));
typedef uint64_t u64v __attribute__((vector_size(4 * FUSEC_LANES)));
typedef double f64v __attribute__((vector_size(4 * FUSEC_LANES)));
// As many 32-bit lanes as a native vector has 64-bit ones.
typedef int32_t i32h __attribute__((vector_size(2 * FUSEC_LANES)));
typedef float f32h __attribute__((vector_size(2 * FUSEC_LANES)));
// As many narrow lanes as a native vector has 32-bit ones.
typedef int8_t i8v __attribute__((vector_size(FUSEC_LANES)));
typedef uint8_t u8v __attribute__((vector_size(FUSEC_LANES)));
typedef int16_t i16v __attribute__((vector_size(2 * FUSEC_LANES)));
typedef uint16_t u16v __attribute__((vector_size(2 * FUSEC_LANES)));

FUSEC_INLINE f32v splat(float x) {
#if FUSEC_AVX512
  return _mm512_set1_ps(x);
#elif FUSEC_AVX2
  return _mm256_set1_ps(x);
#else
  return f32v{x, x, x, x};
#endif
}

FUSEC_INLINE i32v splat(int32_t x) {
#if FUSEC_AVX512
  return reinterpret_cast<i32v>(_mm512_set1_epi32(x));
#elif FUSEC_AVX2
  return reinterpret_cast<i32v>(_mm256_set1_epi32(x));
#else
  return i32v{x, x, x, x};
#endif
}

FUSEC_INLINE i64v splat(int64_t x) {
#if FUSEC_AVX512
  return reinterpret_cast<i64v>(_mm512_set1_epi64(x));
#elif FUSEC_AVX2
  return reinterpret_cast<i64v>(_mm256_set1_epi64x(x));
#else
  return i64v{x, x};
#endif
}

FUSEC_INLINE f64v splat(double x) {
#if FUSEC_AVX512
  return _mm512_set1_pd(x);
#elif FUSEC_AVX2
  return _mm256_set1_pd(x);
#else
  return f64v{x, x};
#endif
}

// Lets exactly the listed scalars convert to a vector: float must not become
// i32x16 by way of int.
template <class S, class Want> struct only {};
template <class S> struct only<S, S> {
  typedef int type;
};

} // namespace detail

// g++ copies an array member through memory, 16 bytes at a time; not so what is
// assigned part by part.
#define FUSEC_COPIED_(type, each_part)                                         \
  FUSEC_INLINE type(const type &other) {                                       \
    each_part(i, part[i] = other.part[i];)                                     \
  }                                                                            \
  FUSEC_INLINE type &operator=(const type &other) {                            \
    each_part(i, part[i] = other.part[i];) return *this;                       \
  }

/// 16 lanes of float.
struct f32x16 {
  detail::f32v part[detail::parts];

  f32x16() = default;
  FUSEC_COPIED_(f32x16, FUSEC_PARTS)
  template <class S, typename detail::only<S, float>::type = 0>
  FUSEC_INLINE f32x16(S x) {
    FUSEC_PARTS(i, part[i] = detail::splat(x);)
  }
};

/// 16 lanes of int32_t.
struct i32x16 {
  detail::i32v part[detail::parts];

  i32x16() = default;
  FUSEC_COPIED_(i32x16, FUSEC_PARTS)
  template <class S, typename detail::only<S, int32_t>::type = 0>
  FUSEC_INLINE i32x16(S x) {
    FUSEC_PARTS(i, part[i] = detail::splat(x);)
  }
};

/// 16 lanes of int64_t.
struct i64x16 {
  detail::i64v part[detail::halves];

  i64x16() = default;
  FUSEC_COPIED_(i64x16, FUSEC_HALVES)
  template <class S, typename detail::only<S, int64_t>::type = 0>
  FUSEC_INLINE i64x16(S x) {
    FUSEC_HALVES(i, part[i] = detail::splat(x);)
  }
  template <class S, typename detail::only<S, int32_t>::type = 0, int = 0>
  FUSEC_INLINE i64x16(S x) {
    FUSEC_HALVES(i, part[i] = detail::splat(int64_t{x});)
  }
};

/// 16 lanes of double.
struct f64x16 {
  detail::f64v part[detail::halves];

  f64x16() = default;
  FUSEC_COPIED_(f64x16, FUSEC_HALVES)
  template <class S, typename detail::only<S, double>::type = 0>
  FUSEC_INLINE f64x16(S x) {
    FUSEC_HALVES(i, part[i] = detail::splat(x);)
  }
};

/// 16 lanes of bool: a bit each on AVX-512, else 32 bits each, all alike.
struct mask16 {
#if FUSEC_AVX512
  uint16_t bits;
#else
  detail::i32v part[detail::parts];
#endif
};

#undef FUSEC_COPIED_

namespace detail {

/// The vector of a scalar and the other way round.
template <class S> struct lanewise;
template <> struct lanewise<float> {
  typedef f32x16 vector;
};
template <> struct lanewise<int32_t> {
  typedef i32x16 vector;
};
template <> struct lanewise<int64_t> {
  typedef i64x16 vector;
};
template <> struct lanewise<double> {
  typedef f64x16 vector;
};
template <> struct lanewise<bool> {
  typedef mask16 vector;
};

template <> struct integer_of<f32x16> {
  typedef i32x16 type;
};

FUSEC_INLINE void copy(void *to, const void *from, int bytes) {
  __builtin_memcpy(to, from, static_cast<unsigned long>(bytes));
}

/// 64-bit lanes to 32-bit ones, keeping the low bits, and back with sign.
FUSEC_INLINE i32v narrow(i64v low, i64v high) {
  const i32h a = __builtin_convertvector(low, i32h);
  const i32h b = __builtin_convertvector(high, i32h);
#if FUSEC_LANES == 16
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12,
                                 13, 14, 15);
#elif FUSEC_LANES == 8
  return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
  return __builtin_shufflevector(a, b, 0, 1, 2, 3);
#endif
}

template <int Half> FUSEC_INLINE i64v widen(i32v v) {
  constexpr int s = Half * (lanes / 2);
#if FUSEC_LANES == 16
  const i32h h = __builtin_shufflevector(v, v, s, s + 1, s + 2, s + 3, s + 4,
                                         s + 5, s + 6, s + 7);
#elif FUSEC_LANES == 8
  const i32h h = __builtin_shufflevector(v, v, s, s + 1, s + 2, s + 3);
#else
  const i32h h = __builtin_shufflevector(v, v, s, s + 1);
#endif
  return __builtin_convertvector(h, i64v);
}

} // namespace detail

/// x in all lanes.
FUSEC_INLINE f32x16 broadcast(float x) { return f32x16(x); }
FUSEC_INLINE i32x16 broadcast(int32_t x) { return i32x16(x); }
FUSEC_INLINE i64x16 broadcast(int64_t x) { return i64x16(x); }
FUSEC_INLINE f64x16 broadcast(double x) { return f64x16(x); }
FUSEC_INLINE mask16 broadcast(bool x) {
  mask16 m;
#if FUSEC_AVX512
  m.bits = x ? 0xffff : 0;
#else
  FUSEC_PARTS(i, m.part[i] = detail::splat(-static_cast<int32_t>(x));)
#endif
  return m;
}

namespace detail {
template <> struct zero_of<f32x16> {
  static FUSEC_INLINE f32x16 get() { return f32x16(0.0f); }
};
template <> struct zero_of<f64x16> {
  static FUSEC_INLINE f64x16 get() { return f64x16(0.0); }
};
template <> struct zero_of<mask16> {
  static FUSEC_INLINE mask16 get() { return broadcast(false); }
};
} // namespace detail

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
