// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding to integer values, remainders, and conversions between types.
#ifndef FUSEC_KERNEL_ROUND_H
#define FUSEC_KERNEL_ROUND_H

#include "fusec/kernel/scalar.h"

#if FUSEC_LANES
#include "fusec/kernel/arith.h"
#endif

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

/// Any float of at least 2^23 is an integer.
template <class V> FUSEC_INLINE V round_even_body(V x) {
  // Adding 2^23 leaves no fraction bits; the addition rounds halves to even.
  const V magic = copysign(V(8388608.0f), x);
  const V rounded = copysign((x + magic) - magic, x);
  return select(abs(x) < V(8388608.0f), rounded, x);
}

template <class V> FUSEC_INLINE V floor_body(V x) {
  const V r = round_even_body(x);
  return copysign(select(r > x, r - V(1.0f), r), x);
}

template <class V> FUSEC_INLINE V ceil_body(V x) {
  const V r = round_even_body(x);
  return copysign(select(r < x, r + V(1.0f), r), x);
}

template <class V> FUSEC_INLINE V trunc_body(V x) {
  return copysign(floor_body(abs(x)), x);
}

} // namespace detail

// rint rounds halves to even in the default rounding mode, which nothing here
// changes.
#define FUSEC_ROUND(name, function)                                            \
  FUSEC_INLINE double name(double x) { return FUSEC_LIBM(function)(x); }       \
  FUSEC_INLINE float name(float x) { return FUSEC_ROUND_FLOAT(name, function); }
#if defined(FUSEC_ROUNDS) || !FUSEC_LANES
#define FUSEC_ROUND_FLOAT(name, function) FUSEC_LIBM(function##f)(x)
#else
#define FUSEC_ROUND_FLOAT(name, function) detail::name##_body(x)
#endif
FUSEC_ROUND(floor, floor)
FUSEC_ROUND(ceil, ceil)
FUSEC_ROUND(trunc, trunc)
FUSEC_ROUND(round_even, rint)
#undef FUSEC_ROUND
#undef FUSEC_ROUND_FLOAT

/// Halves away from zero.
FUSEC_INLINE float round_away(float x) {
  const float whole = trunc(x);
  return abs(x - whole) >= 0.5f ? whole + copysign(1.0f, x) : whole;
}
FUSEC_INLINE double round_away(double x) { return FUSEC_LIBM(round)(x); }

/// Remainder with the sign of a, exact, as C's fmod.
FUSEC_INLINE float fmod(float a, float b) { return FUSEC_LIBM(fmodf)(a, b); }
FUSEC_INLINE double fmod(double a, double b) { return FUSEC_LIBM(fmod)(a, b); }

/// Remainder with the sign of b, as Python's %.
template <class V> FUSEC_INLINE V mod_body(V a, V b) {
  const V r = fmod(a, b);
  const V shifted = select(
      logical_and(r != V(0.0f), (r < V(0.0f)) != (b < V(0.0f))), r + b, r);
  return shifted;
}
FUSEC_INLINE float mod(float a, float b) { return mod_body(a, b); }
FUSEC_INLINE double mod(double a, double b) { return mod_body(a, b); }

namespace detail {

// --- conversions: convert(x, V *) gives a V

template <class From, class To> FUSEC_INLINE To convert_scalar(From x, To) {
  return static_cast<To>(x);
}
template <class To> FUSEC_INLINE To saturate(double x, To low, To high) {
  // `high` rounds up to a power of two as a double where To has 64 bits.
  return x != x                           ? To(0)
         : x >= static_cast<double>(high) ? high
         : x <= static_cast<double>(low)  ? low
                                          : static_cast<To>(x);
}
FUSEC_INLINE int32_t convert_scalar(double x, int32_t) {
  return saturate<int32_t>(x, -0x7fffffff - 1, 0x7fffffff);
}
FUSEC_INLINE int64_t convert_scalar(double x, int64_t) {
  constexpr int64_t top = 0x7fffffffffffffff;
  return saturate<int64_t>(x, -top - 1, top);
}
FUSEC_INLINE int32_t convert_scalar(float x, int32_t to) {
  return convert_scalar(static_cast<double>(x), to);
}
FUSEC_INLINE int64_t convert_scalar(float x, int64_t to) {
  return convert_scalar(static_cast<double>(x), to);
}
template <class From> FUSEC_INLINE bool convert_scalar(From x, bool) {
  return x != 0;
}
template <class From, class To> FUSEC_INLINE To convert(From x, To *) {
  return convert_scalar(x, To());
}

} // namespace detail

#if FUSEC_LANES
#ifdef FUSEC_ROUNDS
#define FUSEC_ROUND(name)                                                      \
  FUSEC_INLINE f32x16 name(f32x16 x) {                                         \
    FUSEC_PARTS(i, x.part[i] = detail::name##_part(x.part[i]);)                \
    return x;                                                                  \
  }
#else
#define FUSEC_ROUND(name)                                                      \
  FUSEC_INLINE f32x16 name(f32x16 x) { return detail::name##_body(x); }
#endif
FUSEC_ROUND(floor)
FUSEC_ROUND(ceil)
FUSEC_ROUND(trunc)
FUSEC_ROUND(round_even)
#undef FUSEC_ROUND

FUSEC_INLINE f32x16 round_away(f32x16 x) {
  const f32x16 whole = trunc(x);
  const f32x16 next = whole + copysign(f32x16(1.0f), x);
  return select(abs(x - whole) >= 0.5f, next, whole);
}

FUSEC_INLINE f32x16 fmod(f32x16 a, f32x16 b) {
  // Exact for any quotient, which only the C library's long division is.
  FUSEC_PARTS(i, for (int l = 0; l < detail::lanes; ++l) a.part[i][l] =
                     __builtin_fmodf(a.part[i][l], b.part[i][l]);)
  return a;
}
FUSEC_INLINE f32x16 mod(f32x16 a, f32x16 b) { return mod_body(a, b); }

namespace detail {

FUSEC_INLINE f32x16 convert(f32x16 x, f32x16 *) { return x; }
FUSEC_INLINE i32x16 convert(i32x16 x, i32x16 *) { return x; }
FUSEC_INLINE i64x16 convert(i64x16 x, i64x16 *) { return x; }
FUSEC_INLINE f64x16 convert(f64x16 x, f64x16 *) { return x; }
FUSEC_INLINE mask16 convert(mask16 x, mask16 *) { return x; }

FUSEC_INLINE f32x16 convert(i32x16 x, f32x16 *) {
  f32x16 r;
  FUSEC_PARTS(i, r.part[i] = __builtin_convertvector(x.part[i], f32v);)
  return r;
}

FUSEC_INLINE i64x16 convert(i32x16 x, i64x16 *) {
  i64x16 r;
  FUSEC_HALVES(i, r.part[i] = widen<i % 2>(x.part[i / 2]);)
  return r;
}

FUSEC_INLINE i32x16 convert(i64x16 x, i32x16 *) {
  i32x16 r;
  FUSEC_PARTS(i, r.part[i] = narrow(x.part[2 * i], x.part[2 * i + 1]);)
  return r;
}

/// Truncates; saturates; NaN gives 0.
FUSEC_INLINE i32x16 convert(f32x16 x, i32x16 *) {
  // The largest float below 2^31; conversions stay in range.
  const f32x16 number = select(x == x, x, f32x16(0.0f));
  const f32x16 inside =
      min(max(number, f32x16(-2147483648.0f)), f32x16(2147483520.0f));
  i32x16 r;
  FUSEC_PARTS(i, r.part[i] = __builtin_convertvector(inside.part[i], i32v);)
  return select(number >= 2147483648.0f, i32x16(0x7fffffff), r);
}

/// Half `half` of a vector of 32-bit lanes, and the other way round.
template <class H, class V> FUSEC_INLINE H take_half(const V &v, int half) {
  H h;
  copy(&h,
       reinterpret_cast<const char *>(&v) +
           static_cast<unsigned long>(half) * sizeof(h),
       sizeof(h));
  return h;
}
template <class V, class H>
FUSEC_INLINE void put_half(V &v, int half, const H &h) {
  copy(reinterpret_cast<char *>(&v) +
           static_cast<unsigned long>(half) * sizeof(h),
       &h, sizeof(h));
}

FUSEC_INLINE i64x16 convert(f32x16 x, i64x16 *) {
  const f32x16 number = select(x == x, x, f32x16(0.0f));
  const f32x16 inside = min(max(number, f32x16(-9223372036854775808.0f)),
                            f32x16(9223371487098961920.0f));
  i64x16 r;
  FUSEC_HALVES(
      i, r.part[i] = __builtin_convertvector(take_half<f32h>(inside, i), i64v);)
  return select(number >= 9223372036854775808.0f,
                i64x16(static_cast<int64_t>(0x7fffffffffffffff)), r);
}

FUSEC_INLINE f32x16 convert(i64x16 x, f32x16 *) {
  f32x16 r;
  FUSEC_HALVES(i, put_half(r, i, __builtin_convertvector(x.part[i], f32h));)
  return r;
}

FUSEC_INLINE f64x16 convert(f32x16 x, f64x16 *) {
  f64x16 r;
  FUSEC_HALVES(i, r.part[i] =
                      __builtin_convertvector(take_half<f32h>(x, i), f64v);)
  return r;
}
FUSEC_INLINE f64x16 convert(i32x16 x, f64x16 *) {
  f64x16 r;
  FUSEC_HALVES(i, r.part[i] =
                      __builtin_convertvector(take_half<i32h>(x, i), f64v);)
  return r;
}
FUSEC_INLINE f64x16 convert(i64x16 x, f64x16 *) {
  f64x16 r;
  FUSEC_HALVES(i, r.part[i] = __builtin_convertvector(x.part[i], f64v);)
  return r;
}
FUSEC_INLINE f32x16 convert(f64x16 x, f32x16 *) {
  f32x16 r;
  FUSEC_HALVES(i, put_half(r, i, __builtin_convertvector(x.part[i], f32h));)
  return r;
}
FUSEC_INLINE i32x16 convert(f64x16 x, i32x16 *) {
  const f64x16 number = select(x == x, x, f64x16(0.0));
  const f64x16 inside =
      min(max(number, f64x16(-2147483648.0)), f64x16(2147483647.0));
  i32x16 r;
  FUSEC_HALVES(i,
               put_half(r, i, __builtin_convertvector(inside.part[i], i32h));)
  return r;
}
FUSEC_INLINE i64x16 convert(f64x16 x, i64x16 *) {
  // The largest double below 2^63; conversions stay in range.
  const f64x16 number = select(x == x, x, f64x16(0.0));
  const f64x16 inside = min(max(number, f64x16(-9223372036854775808.0)),
                            f64x16(9223372036854774784.0));
  i64x16 r;
  FUSEC_HALVES(i, r.part[i] = __builtin_convertvector(inside.part[i], i64v);)
  return select(number >= 9223372036854775808.0,
                i64x16(static_cast<int64_t>(0x7fffffffffffffff)), r);
}
FUSEC_INLINE mask16 convert(f64x16 x, mask16 *) { return x != 0.0; }
FUSEC_INLINE f64x16 convert(mask16 m, f64x16 *) {
  return select(m, f64x16(1.0), f64x16(0.0));
}

FUSEC_INLINE mask16 convert(f32x16 x, mask16 *) { return x != 0.0f; }
FUSEC_INLINE mask16 convert(i32x16 x, mask16 *) { return x != 0; }
FUSEC_INLINE mask16 convert(i64x16 x, mask16 *) { return x != 0; }
FUSEC_INLINE f32x16 convert(mask16 m, f32x16 *) {
  return select(m, f32x16(1.0f), f32x16(0.0f));
}
FUSEC_INLINE i32x16 convert(mask16 m, i32x16 *) {
  return select(m, i32x16(1), i32x16(0));
}
FUSEC_INLINE i64x16 convert(mask16 m, i64x16 *) {
  return select(m, i64x16(1), i64x16(0));
}

} // namespace detail
#endif // FUSEC_LANES

#if FUSEC_LANES
/// The nearest whole numbers, halves to even ones, of numbers within 2^22;
/// whole ones may be as far from 0 as 2^24.
FUSEC_INLINE i32x16 to_nearest(f32x16 x) {
  i32x16 r;
#if defined(FUSEC_ROUNDS)
  FUSEC_PARTS(i, r.part[i] = detail::nearest_part(x.part[i]);)
#else
  const f32x16 whole = round_even(x);
  FUSEC_PARTS(i,
              r.part[i] = __builtin_convertvector(whole.part[i], detail::i32v);)
#endif
  return r;
}
FUSEC_INLINE int32_t to_nearest(float x) {
  return static_cast<int32_t>(round_even(x));
}
#else
FUSEC_INLINE int32_t to_nearest(float x) { return __float2int_rn(x); }
#endif

/// x as a `To`: a scalar from a scalar, a vector from a vector.
template <class To, class From> FUSEC_INLINE To to(From x) {
  return detail::convert(x, static_cast<To *>(nullptr));
}

// --- through narrow integers, in 32-bit lanes

/// Keeps the low 8 bits.
template <class I> FUSEC_INLINE I to_i8(I x) {
  return shr_arith(shl(x, I(24)), I(24));
}
template <class I> FUSEC_INLINE I to_u8(I x) { return bit_and(x, I(255)); }

/// Clamps to the range of 8 bits.
template <class I> FUSEC_INLINE I sat_i8(I x) {
  return clamp(x, I(-128), I(127));
}
template <class I> FUSEC_INLINE I sat_u8(I x) { return clamp(x, I(0), I(255)); }

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
