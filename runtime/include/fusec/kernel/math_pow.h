// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pow, and the functions that go lane by lane. A float power needs y * log2(x)
// to 32 bits, so it is computed in double, lane by lane and without branches;
// compilers vectorise the loop.
#ifndef FUSEC_KERNEL_MATH_POW_H
#define FUSEC_KERNEL_MATH_POW_H

#include "fusec/kernel/round.h"

#if FUSEC_LANES
#include "fusec/kernel/lanes.h"
#endif

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

/// log2 of a positive finite double that was a float.
FUSEC_INLINE double log2_of_float(double x) {
  const int64_t bits = bits_of(x);
  const int64_t n = (bits - 0x3fe6a09e667f3bcd) >> 52; // sqrt(1/2)
  const double m = f64_from_bits(bits - (n << 52));
  // 2 / ln(2) * atanh(s), s = (m - 1) / (m + 1): relative error 3e-14
  const double s = (m - 1.0) / (m + 1.0), z = s * s;
  double p = 0.28294517279652859;
  p = p * z + 0.31990271484348309;
  p = p * z + 0.41220932064131788;
  p = p * z + 0.57707793774171506;
  p = p * z + 0.96179669411531211;
  p = p * z + 2.8853900817778490;
  return static_cast<double>(n) + s * p;
}

/// 2^t for |t| <= 1000.
FUSEC_INLINE double exp2_for_float(double t) {
  const double magic = 6755399441055744.0; // 1.5 * 2^52
  const double rounded = t + magic;
  const double r = t - (rounded - magic);
  // 2^r on [-0.5, 0.5]: relative error 9e-13
  double p = 1.3178933666278818e-6;
  p = p * r + 1.5309156165504531e-5;
  p = p * r + 1.5403825461371735e-4;
  p = p * r + 1.3333454860618981e-3;
  p = p * r + 9.6181286161263757e-3;
  p = p * r + 5.5504109352661160e-2;
  p = p * r + 0.24022650698110579;
  p = p * r + 0.69314718054821245;
  p = p * r + 1.0;
  // Through unsigned: the bits of `magic` are shifted out on purpose.
  const uint64_t scale = (static_cast<uint64_t>(bits_of(rounded)) + 1023u)
                         << 52;
  return p * f64_from_bits(static_cast<int64_t>(scale));
}

FUSEC_INLINE float pow_lane(float x, float y) {
  const float a = abs(x);
  // At the ends any number will do that even the smallest y takes out of range.
  double l = log2_of_float(static_cast<double>(a));
  l = a == 0.0f ? -1e300 : l;
  l = a == FUSEC_INF ? 1e300 : l;
  double t = static_cast<double>(y) * l;
  t = t > 1000.0 ? 1000.0 : t;
  t = t < -1000.0 ? -1000.0 : t;
  const float magnitude = static_cast<float>(exp2_for_float(t));
  const bool whole = trunc(y) == y;
  const bool odd = whole && trunc(y * 0.5f) != y * 0.5f;
  const float negative = odd ? -magnitude : magnitude;
  const bool no_power = x < 0.0f && !whole && x != -FUSEC_INF;
  float r = bits_of(x) < 0 ? negative : magnitude;
  r = no_power || x != x || y != y ? FUSEC_NAN : r;
  r = a == 1.0f && abs(y) == FUSEC_INF ? 1.0f : r;
  return x == 1.0f || y == 0.0f ? 1.0f : r;
}

} // namespace detail

/// x to the power of y, with the special cases of C99 Annex F.
FUSEC_INLINE float pow(float x, float y) { return detail::pow_lane(x, y); }
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
FUSEC_BY_LANE_2(pow, float, f32x16)
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
