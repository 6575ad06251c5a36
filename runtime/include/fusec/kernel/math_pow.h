// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Powers, and the functions that go lane by lane.
#ifndef FUSEC_KERNEL_MATH_POW_H
#define FUSEC_KERNEL_MATH_POW_H

#include "fusec/kernel/round.h"

#if FUSEC_LANES
#include "fusec/kernel/lanes.h"
#endif

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

// A float power needs y * log2(x) to 32 bits, so it is computed in double: D is
// double for a float V, and 16 of them for 16 floats.

/// log2 of positive finite doubles that were floats.
template <class D> FUSEC_INLINE D log2_of_float(D x) {
  typedef typename integer_of<D>::type I;
  const I bits = bits_of(x);
  // The square root of 1/2 is the least mantissa.
  const I n =
      shr_arith(sub(bits, I(int64_t{0x3fe6a09e667f3bcd})), I(int64_t{52}));
  const D m = f64_from_bits(sub(bits, shl(n, I(int64_t{52}))));
  // 2 / ln(2) * atanh(s), s = (m - 1) / (m + 1): relative error 3e-14
  const D s = (m - D(1.0)) / (m + D(1.0)), z = s * s;
  D p = D(0.28294517279652859);
  p = p * z + D(0.31990271484348309);
  p = p * z + D(0.41220932064131788);
  p = p * z + D(0.57707793774171506);
  p = p * z + D(0.96179669411531211);
  p = p * z + D(2.8853900817778490);
  const D magic = D(6755399441055744.0); // 1.5 * 2^52
  const D exponent = f64_from_bits(add(bits_of(magic), n)) - magic;
  return exponent + s * p;
}

/// 2^t for |t| <= 1000.
template <class D> FUSEC_INLINE D exp2_for_float(D t) {
  typedef typename integer_of<D>::type I;
  const D magic = D(6755399441055744.0); // 1.5 * 2^52
  const D rounded = t + magic;
  const D r = t - (rounded - magic);
  // 2^r on [-0.5, 0.5]: relative error 9e-13
  D p = D(1.3178933666278818e-6);
  p = p * r + D(1.5309156165504531e-5);
  p = p * r + D(1.5403825461371735e-4);
  p = p * r + D(1.3333454860618981e-3);
  p = p * r + D(9.6181286161263757e-3);
  p = p * r + D(5.5504109352661160e-2);
  p = p * r + D(0.24022650698110579);
  p = p * r + D(0.69314718054821245);
  p = p * r + D(1.0);
  // The bits of `magic` are shifted out.
  const I scale = shl(add(bits_of(rounded), I(int64_t{1023})), I(int64_t{52}));
  return p * f64_from_bits(scale);
}

template <class D, class V> FUSEC_INLINE V pow_body(V x, V y) {
  const V a = abs(x);
  // At the ends any number will do that even the smallest y takes out of range.
  D l = log2_of_float(to<D>(a));
  l = select(a == V(0.0f), D(-1e300), l);
  l = select(a == V(FUSEC_INF), D(1e300), l);
  D t = to<D>(y) * l;
  t = select(t > D(1000.0), D(1000.0), t);
  t = select(t < D(-1000.0), D(-1000.0), t);
  const V magnitude = to<V>(exp2_for_float(t));
  const auto whole = trunc(y) == y;
  const V half = y * V(0.5f);
  const auto odd = logical_and(whole, trunc(half) != half);
  const V negative = select(odd, -magnitude, magnitude);
  const auto no_power = logical_and(
      logical_and(x < V(0.0f), x != V(-FUSEC_INF)), logical_not(whole));
  const V sign = copysign(V(1.0f), x);
  V r = select(sign < V(0.0f), negative, magnitude);
  r = select(no_power, V(FUSEC_NAN), r);
  r = select(logical_or(x != x, y != y), V(FUSEC_NAN), r);
  r = select(logical_and(a == V(1.0f), abs(y) == V(FUSEC_INF)), V(1.0f), r);
  return select(logical_or(x == V(1.0f), y == V(0.0f)), V(1.0f), r);
}

} // namespace detail

/// x to the power of y, with the special cases of C99 Annex F.
FUSEC_INLINE float pow(float x, float y) {
  return detail::pow_body<double>(x, y);
}
#if FUSEC_LANES
FUSEC_INLINE f32x16 pow(f32x16 x, f32x16 y) {
  return detail::pow_body<f64x16>(x, y);
}
#endif
FUSEC_INLINE double pow(double x, double y) { return FUSEC_LIBM(pow)(x, y); }

// --- integer powers: a negative exponent gives 1 / x^-n, truncated

#define FUSEC_INTEGER_POW(S)                                                   \
  FUSEC_INLINE S pow(S x, S n) {                                               \
    if (n < 0)                                                                 \
      return x == 1 ? 1 : x == -1 ? ((n & 1) ? -1 : 1) : 0;                    \
    S power = 1;                                                               \
    for (; n != 0; n >>= 1, x = mul(x, x))                                     \
      power = (n & 1) ? mul(power, x) : power;                                 \
    return power;                                                              \
  }
FUSEC_INTEGER_POW(int32_t)
FUSEC_INTEGER_POW(int64_t)
#undef FUSEC_INTEGER_POW

// --- rare functions, through the C library in double

#define FUSEC_THROUGH_DOUBLE(name)                                             \
  FUSEC_INLINE double name(double x) { return FUSEC_LIBM(name)(x); }           \
  FUSEC_INLINE float name(float x) {                                           \
    return static_cast<float>(FUSEC_LIBM(name)(static_cast<double>(x)));       \
  }
FUSEC_THROUGH_DOUBLE(cbrt)
FUSEC_THROUGH_DOUBLE(erfc)
#undef FUSEC_THROUGH_DOUBLE

// --- all of these lane by lane
#if FUSEC_LANES
#define FUSEC_BY_LANE_1(name, S, V)                                            \
  FUSEC_INLINE V name(V x) {                                                   \
    S a[16];                                                                   \
    store(a, x);                                                               \
    for (int l = 0; l < 16; ++l)                                               \
      a[l] = name(a[l]);                                                       \
    return load<V>(static_cast<const S *>(a));                                 \
  }
#define FUSEC_BY_LANE_2(name, S, V)                                            \
  FUSEC_INLINE V name(V x, V y) {                                              \
    S a[16], b[16];                                                            \
    store(a, x);                                                               \
    store(b, y);                                                               \
    for (int l = 0; l < 16; ++l)                                               \
      a[l] = name(a[l], b[l]);                                                 \
    return load<V>(static_cast<const S *>(a));                                 \
  }
FUSEC_BY_LANE_2(pow, int32_t, i32x16)
FUSEC_BY_LANE_2(pow, int64_t, i64x16)
FUSEC_BY_LANE_1(cbrt, float, f32x16)
FUSEC_BY_LANE_1(erfc, float, f32x16)
#undef FUSEC_BY_LANE_1
#undef FUSEC_BY_LANE_2
#endif // FUSEC_LANES

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
