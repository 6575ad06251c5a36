// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Circular functions and their inverses.
#ifndef FUSEC_KERNEL_MATH_TRIG_H
#define FUSEC_KERNEL_MATH_TRIG_H

#include "fusec/kernel/math_exp.h"

#if FUSEC_LANES
#include "fusec/kernel/lanes.h"
#else
#include "fusec/cuda/math_trig.h"
#endif

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

// Up to here the quadrant has 13 bits, and its products with 11-bit pieces of
// pi/2 are exact. Larger arguments go through doubles.
constexpr float trig_limit = 8192.0f;
constexpr float pio2_high = 1.57079637f, pio2_low = -4.37113883e-8f;

/// x - q * pi/2 in [-pi/4, pi/4]; `quadrant` has q in its low bits.
template <class V> struct quarter_turns {
  typename integer_of<V>::type quadrant;
  V r;

  FUSEC_INLINE explicit quarter_turns(V x) {
    const V t = fma(x, V(0.636619747f), V(round_magic));
    const V q = t - V(round_magic);
    quadrant = bits_of(t);
    r = fma(q, V(-1.5703125f), x);
    r = fma(q, V(-4.83751297e-4f), r);
    r = fma(q, V(-7.54953362e-8f), r);
    r = fma(q, V(-2.56334407e-12f), r);
  }
};

/// sin(x + shift * pi/2).
template <class V> FUSEC_INLINE V sin_shifted(V x, int32_t shift) {
  typedef typename integer_of<V>::type I;
  const quarter_turns<V> turn(x);
  const I quadrant = add(turn.quadrant, I(shift));
  const V r = turn.r, z = r * r;
  // sin on [-pi/4, pi/4]: 0.01
  V s = V(2.80043059e-6f);
  s = fma(s, z, V(-1.98499052e-4f));
  s = fma(s, z, V(8.33337195e-3f));
  s = fma(s, z, V(-0.166666672f));
  s = fma(r * z, s, r);
  // cos on [-pi/4, pi/4]: 0.01
  V c = V(2.44325456e-5f);
  c = fma(c, z, V(-1.38873106e-3f));
  c = fma(c, z, V(4.16666456e-2f));
  c = fma(z * z, c, fma(z, V(-0.5f), V(1.0f)));
  const V y = select(bit_and(quadrant, I(1)) == I(0), s, c);
  const I flip = shl(bit_and(quadrant, I(2)), I(30));
  return f32_from_bits(bit_xor(bits_of(y), flip));
}

template <class V> FUSEC_INLINE V sin_body(V x) { return sin_shifted(x, 0); }
template <class V> FUSEC_INLINE V cos_body(V x) { return sin_shifted(x, 1); }

template <class V> FUSEC_INLINE V tan_body(V x) {
  typedef typename integer_of<V>::type I;
  const quarter_turns<V> turn(x);
  const V r = turn.r, z = r * r;
  // tan on [-pi/4, pi/4]: 0.03
  V p = V(4.37681749e-3f);
  p = fma(p, z, V(9.05926572e-5f));
  p = fma(p, z, V(1.08328406e-2f));
  p = fma(p, z, V(2.12844238e-2f));
  p = fma(p, z, V(5.40591851e-2f));
  p = fma(p, z, V(0.133326739f));
  p = fma(p, z, V(0.333333492f));
  const V t = fma(r * z, p, r);
  return select(bit_and(turn.quadrant, I(1)) == I(0), t, V(-1.0f) / t);
}

/// atan(s) for s in [0, 1].
template <class V> FUSEC_INLINE V atan_small(V s) {
  const V z = s * s;
  // atan on [0, 1]: 0.05
  V p = V(-1.79150200e-3f);
  p = fma(p, z, V(1.09045367e-2f));
  p = fma(p, z, V(-3.11577666e-2f));
  p = fma(p, z, V(5.79358004e-2f));
  p = fma(p, z, V(-8.40205625e-2f));
  p = fma(p, z, V(0.109516546f));
  p = fma(p, z, V(-0.142641261f));
  p = fma(p, z, V(0.199985355f));
  p = fma(p, z, V(-0.333332986f));
  return fma(s * z, p, s);
}

template <class V> FUSEC_INLINE V atan_body(V x) {
  const V a = abs(x);
  const auto steep = a > V(1.0f);
  const V y = atan_small(select(steep, V(1.0f) / a, a));
  const V turned = V(pio2_high) - (y - V(pio2_low));
  return copysign(select(steep, turned, y), x);
}

/// The angle of (x, y), in [-pi, pi].
template <class V> FUSEC_INLINE V atan2_body(V y, V x) {
  typedef typename integer_of<V>::type I;
  const V a = abs(x), b = abs(y);
  const V low = min(a, b), high = max(a, b);
  // 0 / 0 counts as 0, inf / inf as 1; NaN stays.
  const V slope = select(high == V(0.0f), V(0.0f),
                         select(low == V(FUSEC_INF), V(1.0f), low / high));
  const V r = atan_small(slope);
  const V steep = select(b > a, V(pio2_high) - (r - V(pio2_low)), r);
  const V left = V(2.0f * pio2_high) - (steep - V(2.0f * pio2_low));
  return copysign(select(bits_of(x) < I(0), left, steep), y);
}

/// asin(s) for s in [0, 0.5], z = s * s.
template <class V> FUSEC_INLINE V asin_small(V s, V z) {
  // asin on [0, 0.5]: 0.01
  V p = V(3.75767685e-2f);
  p = fma(p, z, V(1.43912192e-2f));
  p = fma(p, z, V(3.18218246e-2f));
  p = fma(p, z, V(4.45149951e-2f));
  p = fma(p, z, V(7.50051662e-2f));
  p = fma(p, z, V(0.166666597f));
  return fma(s * z, p, s);
}

// Beyond 0.5: asin(a) = pi/2 - 2 asin(sqrt((1 - a) / 2)).
template <class V> FUSEC_INLINE V asin_body(V x) {
  const V a = abs(x);
  const auto big = a > V(0.5f);
  const V z = select(big, (V(1.0f) - a) * V(0.5f), a * a);
  const V p = asin_small(select(big, sqrt(z), a), z);
  const V turned = V(pio2_high) - (p + p - V(pio2_low));
  return copysign(select(big, turned, p), x);
}

template <class V> FUSEC_INLINE V acos_body(V x) {
  const V a = abs(x);
  const auto big = a > V(0.5f);
  const V z = select(big, (V(1.0f) - a) * V(0.5f), a * a);
  const V p = asin_small(select(big, sqrt(z), a), z);
  const V middle = V(pio2_high) - (copysign(p, x) - V(pio2_low));
  const V twice = p + p;
  const V left = V(2.0f * pio2_high) - (twice - V(2.0f * pio2_low));
  return select(big, select(x > V(0.0f), twice, left), middle);
}

} // namespace detail

#if FUSEC_LANES
FUSEC_INLINE double sin(double x) { return FUSEC_LIBM(sin)(x); }
FUSEC_INLINE double cos(double x) { return FUSEC_LIBM(cos)(x); }
FUSEC_INLINE double tan(double x) { return FUSEC_LIBM(tan)(x); }
#endif
#define FUSEC_TRIG(name)                                                       \
  FUSEC_INLINE float name(float x) {                                           \
    return abs(x) > detail::trig_limit                                         \
               ? static_cast<float>(name(static_cast<double>(x)))              \
               : detail::name##_body(x);                                       \
  }
FUSEC_TRIG(sin)
FUSEC_TRIG(cos)
FUSEC_TRIG(tan)
#undef FUSEC_TRIG

FUSEC_MATH_1_DOUBLE(atan)
FUSEC_INLINE float atan2(float y, float x) { return detail::atan2_body(y, x); }
FUSEC_INLINE double atan2(double y, double x) {
  return FUSEC_LIBM(atan2)(y, x);
}
FUSEC_MATH_1_DOUBLE(asin)
FUSEC_MATH_1_DOUBLE(acos)

#if FUSEC_LANES
#define FUSEC_TRIG(name)                                                       \
  FUSEC_INLINE f32x16 name(f32x16 x) {                                         \
    f32x16 y = detail::name##_body(x);                                         \
    if (__builtin_expect(reduce_or(abs(x) > detail::trig_limit), 0))           \
      FUSEC_PARTS(i, for (int l = 0; l < detail::lanes; ++l) y.part[i][l] =    \
                         name(static_cast<float>(x.part[i][l]));)              \
    return y;                                                                  \
  }
FUSEC_TRIG(sin)
FUSEC_TRIG(cos)
FUSEC_TRIG(tan)
#undef FUSEC_TRIG

FUSEC_INLINE f32x16 atan2(f32x16 y, f32x16 x) {
  return detail::atan2_body(y, x);
}
#endif // FUSEC_LANES

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
