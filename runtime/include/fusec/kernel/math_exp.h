// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// exp, exp2, expm1, and what is made of them: tanh, sigmoid.
#ifndef FUSEC_KERNEL_MATH_EXP_H
#define FUSEC_KERNEL_MATH_EXP_H

#include "fusec/kernel/round.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

// Both overloads of a formula, and the C library's function for double.
#if FUSEC_LANES
#define FUSEC_MATH_1(name)                                                     \
  FUSEC_INLINE float name(float x) { return detail::name##_body(x); }          \
  FUSEC_INLINE f32x16 name(f32x16 x) { return detail::name##_body(x); }
#else
#define FUSEC_MATH_1(name)                                                     \
  FUSEC_INLINE float name(float x) { return detail::name##_body(x); }
#endif
#define FUSEC_MATH_1_DOUBLE(name)                                              \
  FUSEC_MATH_1(name)                                                           \
  FUSEC_INLINE double name(double x) { return FUSEC_LIBM(name)(x); }

namespace detail {

// Adding it leaves the nearest integer in the low bits of the sum.
constexpr float round_magic = 12582912.0f; // 1.5 * 2^23
constexpr float log2_e = 1.44269502f;
constexpr float ln2_high = 0.693145751953125f; // 15 bits
constexpr float ln2_low = 1.42860677e-6f;

/// x, or less where the result is infinite anyway: scale_by_power then takes
/// what is made of it. As it is where that looks at x itself.
template <class V> FUSEC_INLINE V limit_power(V x, float) { return x; }

/// p * 2^n with n = the low bits of `t` (round_magic + n), p in [0.7, 1.42],
/// for low <= x <= high; 0 below, infinity above, NaN for NaN.
template <class V>
FUSEC_INLINE V scale_by_power(V p, V t, V x, float low, float high) {
  typedef typename integer_of<V>::type I;
  const V scaled = f32_from_bits(add(bits_of(p), shl(bits_of(t), I(23))));
  const V inside = select(x <= V(high), scaled, x * V(FUSEC_INF));
  return select(x < V(low), V(0.0f), inside);
}

#ifdef FUSEC_SCALES_BY_POWERS
FUSEC_INLINE f32x16 limit_power(f32x16 x, float most) {
  FUSEC_PARTS(i, x.part[i] = limit_part(x.part[i], most);)
  return x;
}

FUSEC_INLINE f32x16 scale_by_power(f32x16 p, f32x16 t, f32x16 x, float low,
                                   float) {
  const f32x16 n = t - round_magic;
  FUSEC_PARTS(i, p.part[i] = scale_part(p.part[i], n.part[i], x.part[i], low);)
  return p;
}
#endif

/// exp(x) * 2^shift. `low` and `high` bound the arguments with a normal result.
template <class V>
FUSEC_INLINE V exp_shifted(V x, int32_t shift, float low, float high) {
  x = limit_power(x, high + 1.0f);
  const V t = fma(x, V(log2_e), V(round_magic));
  const V n = t - V(round_magic);
  const V r = fma(n, V(-ln2_low), fma(n, V(-ln2_high), x));
  // exp on [-0.3466, 0.3466]: 0.06
  V q = V(1.37824938e-3f);
  q = fma(q, r, V(8.36867280e-3f));
  q = fma(q, r, V(4.16689627e-2f));
  q = fma(q, r, V(0.166665211f));
  q = fma(q, r, V(0.499999911f));
  const V p = fma(r * r, q, r) + V(1.0f);
  const V shifted = shift == 0 ? t : t + V(static_cast<float>(shift));
  return scale_by_power(p, shifted, x, low, high);
}

template <class V> FUSEC_INLINE V exp_body(V x) {
  return exp_shifted(x, 0, -87.33f, 88.7228317f);
}

#if defined(__CUDA_ARCH__)
/// CUDA's, whose error is at most 1 ulp too: a device raises 2 to a power in one
/// instruction.
FUSEC_INLINE float exp_body(float x) { return FUSEC_LIBM(expf)(x); }
#endif

template <class V> FUSEC_INLINE V exp2_body(V x) {
  x = limit_power(x, 129.0f);
  const V t = x + V(round_magic);
  const V r = x - (t - V(round_magic));
  // 2^x on [-0.5, 0.5]: 0.06
  V p = V(1.52412860e-4f);
  p = fma(p, r, V(1.33913022e-3f));
  p = fma(p, r, V(9.61883367e-3f));
  p = fma(p, r, V(5.55035882e-2f));
  p = fma(p, r, V(0.240226448f));
  p = fma(p, r, V(0.693147182f));
  p = fma(p, r, V(1.0f));
  return scale_by_power(p, t, x, -126.0f, 127.999992f);
}

template <class V> FUSEC_INLINE V expm1_body(V x) {
  typedef typename integer_of<V>::type I;
  // Outside of this range the result is -1 or infinity anyway.
  const V in = min(max(x, -20.0f), 89.0f);
  const V t = fma(in, V(log2_e), V(round_magic));
  const V n = t - V(round_magic);
  const V r = fma(n, V(-ln2_low), fma(n, V(-ln2_high), in));
  // expm1 on [-0.3466, 0.3466]: 0.24
  V q = V(1.38645433e-3f);
  q = fma(q, r, V(8.36653635e-3f));
  q = fma(q, r, V(4.16675024e-2f));
  q = fma(q, r, V(0.166665435f));
  q = fma(q, r, V(0.499999970f));
  const V p = fma(r * r, q, r);
  // 2^n (p + 1) - 1, at half the scale, because 2^128 is no float.
  const V half_scale = f32_from_bits(shl(add(bits_of(t), I(126)), I(23)));
  const V half = fma(half_scale, p, half_scale - V(0.5f));
  return half + half;
}

/// (exp(2x) - 1) / (exp(2x) + 1), without cancellation.
template <class V> FUSEC_INLINE V tanh_body(V x) {
  const V e = expm1_body(min(abs(x) * V(2.0f), 20.0f));
  return copysign(e / (e + V(2.0f)), x);
}

template <class V> FUSEC_INLINE V sigmoid_body(V x) {
  return V(1.0f) / (V(1.0f) + exp_body(-x));
}

} // namespace detail

/// 0 where the result would be subnormal.
FUSEC_MATH_1_DOUBLE(exp)
FUSEC_MATH_1_DOUBLE(exp2)
FUSEC_MATH_1_DOUBLE(expm1)
FUSEC_MATH_1_DOUBLE(tanh)

/// 1 / (1 + exp(-x)).
FUSEC_MATH_1(sigmoid)
FUSEC_INLINE double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
