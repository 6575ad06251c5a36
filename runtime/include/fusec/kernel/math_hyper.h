// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hyperbolic functions but tanh (math_exp.h), and their inverses.
#ifndef FUSEC_KERNEL_MATH_HYPER_H
#define FUSEC_KERNEL_MATH_HYPER_H

#include "fusec/kernel/math_log.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

/// exp(x) / 2 for x >= 0, which is finite a little longer than exp(x).
template <class V> FUSEC_INLINE V half_exp(V x) {
  return exp_shifted(x, -1, -86.0f, 89.4159851f);
}

template <class V> FUSEC_INLINE V sinh_body(V x) {
  const V a = abs(x);
  // With e = exp(a) - 1: (e + e / (e + 1)) / 2.
  const V e = expm1_body(a);
  const V near = (e + e / (e + V(1.0f))) * V(0.5f);
  return copysign(select(a > V(20.0f), half_exp(a), near), x);
}

template <class V> FUSEC_INLINE V cosh_body(V x) {
  const V h = half_exp(abs(x));
  return h + V(0.25f) / h;
}

// From here on x^2 + 1 rounds to x^2.
constexpr float inverse_limit = 4096.0f;
constexpr float ln2 = 0.693147182f;

template <class V> FUSEC_INLINE V asinh_body(V x) {
  const V a = abs(x);
  const auto far = a > V(inverse_limit);
  const V s = select(far, V(1.0f), a), z = s * s;
  const V near = log1p_body(s + z / (V(1.0f) + sqrt(z + V(1.0f))));
  return copysign(select(far, log_body(a) + V(ln2), near), x);
}

template <class V> FUSEC_INLINE V acosh_body(V x) {
  const auto far = x > V(inverse_limit);
  const V s = select(far, V(1.0f), x - V(1.0f));
  const V near = log1p_body(s + sqrt(s * (s + V(2.0f))));
  const V y = select(far, log_body(x) + V(ln2), near);
  return select(x < V(1.0f), V(FUSEC_NAN), y);
}

template <class V> FUSEC_INLINE V atanh_body(V x) {
  const V a = abs(x);
  return copysign(V(0.5f) * log1p_body((a + a) / (V(1.0f) - a)), x);
}

} // namespace detail

FUSEC_MATH_1_DOUBLE(sinh)
FUSEC_MATH_1_DOUBLE(cosh)
FUSEC_MATH_1_DOUBLE(asinh)
FUSEC_MATH_1_DOUBLE(acosh)
FUSEC_MATH_1_DOUBLE(atanh)

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
