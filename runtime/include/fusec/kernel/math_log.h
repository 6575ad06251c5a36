// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Logarithms.
#ifndef FUSEC_KERNEL_MATH_LOG_H
#define FUSEC_KERNEL_MATH_LOG_H

#include "fusec/kernel/math_exp.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

/// x = 2^n * (1 + f), f in [sqrt(1/2) - 1, sqrt(2) - 1], for positive finite x;
/// `rest` is log(1 + f) - f + f^2 / 2.
template <class V> struct log_parts {
  V n, f, rest;

  FUSEC_INLINE explicit log_parts(V x) {
    typedef typename integer_of<V>::type I;
    const auto subnormal = x < V(0x1p-126f);
    const I bits = bits_of(select(subnormal, x * V(0x1p23f), x));
    const I exponent = shr_arith(sub(bits, I(0x3f3504f3)), I(23));
    f = f32_from_bits(sub(bits, shl(exponent, I(23)))) - V(1.0f);
    n = to<V>(exponent) - select(subnormal, V(23.0f), V(0.0f));
    // log1p on [-0.293, 0.415]: 0.53
    V p = V(8.70032161e-2f);
    p = fma(p, f, V(-0.142668962f));
    p = fma(p, f, V(0.149145141f));
    p = fma(p, f, V(-0.165776551f));
    p = fma(p, f, V(0.199631006f));
    p = fma(p, f, V(-0.250013351f));
    p = fma(p, f, V(0.333339095f));
    rest = p * f * (f * f);
  }

  /// log(1 + f).
  FUSEC_INLINE V log1p_f() const { return f + fma(f * f, V(-0.5f), rest); }
};

/// -infinity at 0, NaN below, infinity at infinity.
template <class V> FUSEC_INLINE V log_limits(V x, V y) {
  const V outside = select(x == V(0.0f), V(-FUSEC_INF), V(FUSEC_NAN));
  return select(x > V(0.0f), select(x == V(FUSEC_INF), x, y), outside);
}

template <class V> FUSEC_INLINE V log_body(V x) {
  const log_parts<V> l(x);
  V y = fma(l.n, V(ln2_low), l.rest);
  y = fma(l.f * l.f, V(-0.5f), y);
  y = fma(l.n, V(ln2_high), l.f + y);
  return log_limits(x, y);
}

template <class V> FUSEC_INLINE V log2_body(V x) {
  const log_parts<V> l(x);
  return log_limits(x, fma(l.log1p_f(), V(log2_e), l.n));
}

template <class V> FUSEC_INLINE V log10_body(V x) {
  const log_parts<V> l(x);
  // log10(2) = high + low, high of 10 bits.
  const V y = fma(l.n, V(-2.39535584e-4f), l.log1p_f() * V(0.434294492f));
  return log_limits(x, fma(l.n, V(0.30126953125f), y));
}

template <class V> FUSEC_INLINE V log1p_body(V x) {
  // log(u) + (x - (u - 1)) / u for u = 1 + x, rounded: the second term is what
  // the rounding of u lost.
  const V u = x + V(1.0f);
  const V lost = x - (u - V(1.0f));
  const V y = log_body(u) + lost / u;
  const V inside = select(abs(x) < V(0x1p-24f), x, y);
  return select(u == V(0.0f), V(-FUSEC_INF),
                select(x == V(FUSEC_INF), x, inside));
}

} // namespace detail

FUSEC_MATH_1_DOUBLE(log)
FUSEC_MATH_1_DOUBLE(log2)
FUSEC_MATH_1_DOUBLE(log10)
FUSEC_MATH_1_DOUBLE(log1p)

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
