// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on scalars, under the names of the vector forms. Rounding and
// mathematics stand in round.h and math_*.h, written once for both.
#ifndef FUSEC_KERNEL_SCALAR_H
#define FUSEC_KERNEL_SCALAR_H

#include "fusec/kernel/config.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

/// a * b + c; one rounding where the instruction set has it.
FUSEC_INLINE float fma(float a, float b, float c) {
#if defined(__FMA__) && !defined(FUSEC_PORTABLE)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}
FUSEC_INLINE double fma(double a, double b, double c) {
#if defined(__FMA__) && !defined(FUSEC_PORTABLE)
  return __builtin_fma(a, b, c);
#else
  return a * b + c;
#endif
}

#define FUSEC_FLOATING(S)                                                      \
  FUSEC_INLINE S add(S a, S b) { return a + b; }                               \
  FUSEC_INLINE S sub(S a, S b) { return a - b; }                               \
  FUSEC_INLINE S mul(S a, S b) { return a * b; }                               \
  FUSEC_INLINE S div(S a, S b) { return a / b; }                               \
  FUSEC_INLINE S neg(S a) { return -a; }                                       \
  FUSEC_INLINE S max(S a, S b) {                                               \
    const S m = b > a ? b : a;                                                 \
    return b != b ? b : m;                                                     \
  }                                                                            \
  FUSEC_INLINE S min(S a, S b) {                                               \
    const S m = b < a ? b : a;                                                 \
    return b != b ? b : m;                                                     \
  }                                                                            \
  FUSEC_INLINE S maxnum(S a, S b) { return a > b || b != b ? a : b; }          \
  FUSEC_INLINE S minnum(S a, S b) { return a < b || b != b ? a : b; }          \
  FUSEC_INLINE S sign(S a) { return a > 0 ? S(1) : a < 0 ? S(-1) : a; }        \
  FUSEC_INLINE bool isnan(S a) { return a != a; }
FUSEC_FLOATING(float)
FUSEC_FLOATING(double)
#undef FUSEC_FLOATING

FUSEC_INLINE float abs(float a) { return __builtin_fabsf(a); }
FUSEC_INLINE double abs(double a) { return __builtin_fabs(a); }
FUSEC_INLINE bool isinf(float a) { return abs(a) == FUSEC_INF; }
FUSEC_INLINE bool isinf(double a) { return abs(a) == __builtin_inf(); }
FUSEC_INLINE bool isfinite(float a) { return abs(a) < FUSEC_INF; }
FUSEC_INLINE bool isfinite(double a) { return abs(a) < __builtin_inf(); }
FUSEC_INLINE float copysign(float a, float s) {
  return __builtin_copysignf(a, s);
}
FUSEC_INLINE double copysign(double a, double s) {
  return __builtin_copysign(a, s);
}
FUSEC_INLINE float sqrt(float a) { return __builtin_sqrtf(a); }
FUSEC_INLINE double sqrt(double a) { return __builtin_sqrt(a); }

// The functions wrap on overflow, give 0 when they divide by 0, and never trap;
// the C operators promise none of that.
#define FUSEC_INTEGRAL(S, U)                                                   \
  FUSEC_INLINE S add(S a, S b) { return static_cast<S>(U(a) + U(b)); }         \
  FUSEC_INLINE S sub(S a, S b) { return static_cast<S>(U(a) - U(b)); }         \
  FUSEC_INLINE S mul(S a, S b) { return static_cast<S>(U(a) * U(b)); }         \
  FUSEC_INLINE S neg(S a) { return static_cast<S>(U(0) - U(a)); }              \
  FUSEC_INLINE S div(S a, S b) {                                               \
    return b == 0 ? S(0) : b == -1 ? neg(a) : static_cast<S>(a / b);           \
  }                                                                            \
  FUSEC_INLINE S fmod(S a, S b) {                                              \
    return b == 0 || b == -1 ? S(0) : static_cast<S>(a % b);                   \
  }                                                                            \
  FUSEC_INLINE S mod(S a, S b) {                                               \
    const S r = fmod(a, b);                                                    \
    return r != 0 && (r < 0) != (b < 0) ? static_cast<S>(r + b) : r;           \
  }                                                                            \
  FUSEC_INLINE S div_floor(S a, S b) {                                         \
    const S r = fmod(a, b);                                                    \
    return r != 0 && (r < 0) != (b < 0) ? static_cast<S>(div(a, b) - 1)        \
                                        : div(a, b);                           \
  }                                                                            \
  FUSEC_INLINE S div_unsigned(S a, S b) {                                      \
    return b == 0 ? S(0) : static_cast<S>(U(a) / U(b));                        \
  }                                                                            \
  FUSEC_INLINE S fmod_unsigned(S a, S b) {                                     \
    return b == 0 ? S(0) : static_cast<S>(U(a) % U(b));                        \
  }                                                                            \
  FUSEC_INLINE S max(S a, S b) { return a > b ? a : b; }                       \
  FUSEC_INLINE S min(S a, S b) { return a < b ? a : b; }                       \
  FUSEC_INLINE S abs(S a) { return a < 0 ? neg(a) : a; }                       \
  FUSEC_INLINE S sign(S a) { return static_cast<S>((a > 0) - (a < 0)); }       \
  FUSEC_INLINE S shl(S a, S b) { return static_cast<S>(U(a) << U(b)); }        \
  FUSEC_INLINE S shr_logic(S a, S b) { return static_cast<S>(U(a) >> U(b)); }  \
  FUSEC_INLINE S shr_arith(S a, S b) { return a >> b; }                        \
  FUSEC_INLINE S bit_and(S a, S b) { return a & b; }                           \
  FUSEC_INLINE S bit_or(S a, S b) { return a | b; }                            \
  FUSEC_INLINE S bit_xor(S a, S b) { return a ^ b; }                           \
  FUSEC_INLINE S bit_not(S a) { return ~a; }
FUSEC_INTEGRAL(int32_t, uint32_t)
FUSEC_INTEGRAL(int64_t, uint64_t)
#undef FUSEC_INTEGRAL

// Loop bounds mix int64_t variables with literals.
FUSEC_INLINE int64_t max(int64_t a, int b) { return max(a, int64_t{b}); }
FUSEC_INLINE int64_t max(int a, int64_t b) { return max(int64_t{a}, b); }
FUSEC_INLINE int64_t min(int64_t a, int b) { return min(a, int64_t{b}); }
FUSEC_INLINE int64_t min(int a, int64_t b) { return min(int64_t{a}, b); }

FUSEC_INLINE int32_t bits_of(float x) {
  int32_t bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits;
}
FUSEC_INLINE float f32_from_bits(int32_t bits) {
  float x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}
FUSEC_INLINE int64_t bits_of(double x) {
  int64_t bits;
  __builtin_memcpy(&bits, &x, sizeof(bits));
  return bits;
}
FUSEC_INLINE double f64_from_bits(int64_t bits) {
  double x;
  __builtin_memcpy(&x, &bits, sizeof(x));
  return x;
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
