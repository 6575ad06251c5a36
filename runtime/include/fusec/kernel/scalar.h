// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic, comparisons and logic on scalars, under the names of the vector
// forms. Rounding and mathematics stand in round.h and math_*.h, written once
// for both.
#ifndef FUSEC_KERNEL_SCALAR_H
#define FUSEC_KERNEL_SCALAR_H

#include "fusec/kernel/config.h"

#if defined(__CUDA_ARCH__)
#include "fusec/cuda/order.h"
#endif

namespace fusec {
inline namespace FUSEC_ISA_NS {

/// a * b + c; one rounding where the instruction set has it.
FUSEC_INLINE float fma(float a, float b, float c) {
#if FUSEC_FUSED
  return FUSEC_LIBM(fmaf)(a, b, c);
#else
  return a * b + c;
#endif
}
FUSEC_INLINE double fma(double a, double b, double c) {
#if FUSEC_FUSED
  return FUSEC_LIBM(fma)(a, b, c);
#else
  return a * b + c;
#endif
}

namespace detail {

#if FUSEC_LANES
/// x, a scalar or a native vector, of which compilers do not see what it is of.
template <class X> FUSEC_INLINE X opaque(X x) {
  asm("" : "+" FUSEC_REGISTER(x));
  return x;
}
#endif

} // namespace detail

/// a * b, rounded by itself: compilers make no multiply-add of it and a sum
/// behind it, as they may of the operator.
FUSEC_INLINE float mul_rounded(float a, float b) {
#if FUSEC_LANES
  return detail::opaque(a * b);
#else
  return __fmul_rn(a, b);
#endif
}
FUSEC_INLINE double mul_rounded(double a, double b) {
#if FUSEC_LANES
  return detail::opaque(a * b);
#else
  return __dmul_rn(a, b);
#endif
}

/// a / b, whose last digit may be another where a multiply-add rounds once, as
/// that takes less time than a division: for what is rounded to a whole number
/// next. b is a constant.
FUSEC_INLINE float near_quotient(float a, float b) {
#if FUSEC_FUSED
  const float high = 1.0f / b, low = float(1.0 / double(b) - double(high));
  return fma(a, high, mul_rounded(a, low));
#else
  return a / b;
#endif
}

#define FUSEC_FLOATING(S)                                                      \
  FUSEC_INLINE S add(S a, S b) { return a + b; }                               \
  FUSEC_INLINE S sub(S a, S b) { return a - b; }                               \
  FUSEC_INLINE S mul(S a, S b) { return a * b; }                               \
  FUSEC_INLINE S div(S a, S b) { return a / b; }                               \
  FUSEC_INLINE S neg(S a) { return -a; }                                       \
  FUSEC_INLINE S maxnum(S a, S b) { return a > b || b != b ? a : b; }          \
  FUSEC_INLINE S minnum(S a, S b) { return a < b || b != b ? a : b; }          \
  FUSEC_INLINE S sign(S a) { return a > 0 ? S(1) : a < 0 ? S(-1) : a; }        \
  FUSEC_INLINE bool isnan(S a) { return a != a; }
FUSEC_FLOATING(float)
FUSEC_FLOATING(double)
#undef FUSEC_FLOATING

// The greater and the lesser of two numbers; NaN if one is NaN.
#define FUSEC_ORDERED(S)                                                       \
  FUSEC_INLINE S max(S a, S b) {                                               \
    const S m = b > a ? b : a;                                                 \
    return b != b ? b : m;                                                     \
  }                                                                            \
  FUSEC_INLINE S min(S a, S b) {                                               \
    const S m = b < a ? b : a;                                                 \
    return b != b ? b : m;                                                     \
  }
#ifndef FUSEC_ORDERS_FLOATS
FUSEC_ORDERED(float)
#endif
FUSEC_ORDERED(double)
#undef FUSEC_ORDERED

FUSEC_INLINE float abs(float a) { return FUSEC_LIBM(fabsf)(a); }
FUSEC_INLINE double abs(double a) { return FUSEC_LIBM(fabs)(a); }
FUSEC_INLINE bool isinf(float a) { return abs(a) == FUSEC_INF; }
FUSEC_INLINE bool isinf(double a) { return abs(a) == double{FUSEC_INF}; }
FUSEC_INLINE bool isfinite(float a) { return abs(a) < FUSEC_INF; }
FUSEC_INLINE bool isfinite(double a) { return abs(a) < double{FUSEC_INF}; }
FUSEC_INLINE float copysign(float a, float s) {
  return FUSEC_LIBM(copysignf)(a, s);
}
FUSEC_INLINE double copysign(double a, double s) {
  return FUSEC_LIBM(copysign)(a, s);
}
FUSEC_INLINE float sqrt(float a) { return FUSEC_LIBM(sqrtf)(a); }
FUSEC_INLINE double sqrt(double a) { return FUSEC_LIBM(sqrt)(a); }

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
  FUSEC_LIBM(memcpy)(&bits, &x, sizeof(bits));
  return bits;
}
FUSEC_INLINE float f32_from_bits(int32_t bits) {
  float x;
  FUSEC_LIBM(memcpy)(&x, &bits, sizeof(x));
  return x;
}
FUSEC_INLINE int64_t bits_of(double x) {
  int64_t bits;
  FUSEC_LIBM(memcpy)(&bits, &x, sizeof(bits));
  return bits;
}
FUSEC_INLINE double f64_from_bits(int64_t bits) {
  double x;
  FUSEC_LIBM(memcpy)(&x, &bits, sizeof(x));
  return x;
}

// Comparisons. The predicates are ordered (false on NaN) except `ne`.
#define FUSEC_COMPARE(name, op)                                                \
  FUSEC_INLINE bool name(float a, float b) { return a op b; }                  \
  FUSEC_INLINE bool name(double a, double b) { return a op b; }                \
  FUSEC_INLINE bool name(int32_t a, int32_t b) { return a op b; }              \
  FUSEC_INLINE bool name(int64_t a, int64_t b) { return a op b; }
FUSEC_COMPARE(eq, ==)
FUSEC_COMPARE(ne, !=)
FUSEC_COMPARE(lt, <)
FUSEC_COMPARE(le, <=)
FUSEC_COMPARE(gt, >)
FUSEC_COMPARE(ge, >=)
#undef FUSEC_COMPARE
FUSEC_INLINE bool eq(bool a, bool b) { return a == b; }
FUSEC_INLINE bool ne(bool a, bool b) { return a != b; }

FUSEC_INLINE bool logical_and(bool a, bool b) { return a && b; }
FUSEC_INLINE bool logical_or(bool a, bool b) { return a || b; }
FUSEC_INLINE bool logical_xor(bool a, bool b) { return a != b; }
FUSEC_INLINE bool logical_not(bool a) { return !a; }

FUSEC_INLINE float select(bool m, float a, float b) { return m ? a : b; }
FUSEC_INLINE double select(bool m, double a, double b) { return m ? a : b; }
FUSEC_INLINE int32_t select(bool m, int32_t a, int32_t b) { return m ? a : b; }
FUSEC_INLINE int64_t select(bool m, int64_t a, int64_t b) { return m ? a : b; }
FUSEC_INLINE bool select(bool m, bool a, bool b) { return m ? a : b; }

/// min(max(x, lo), hi), of every type.
template <class V> FUSEC_INLINE V clamp(V x, V lo, V hi) {
  return min(max(x, lo), hi);
}

/// 1 / x and 1 / sqrt(x), not the approximations of the hardware.
FUSEC_INLINE float rcp(float x) { return 1.0f / x; }
FUSEC_INLINE double rcp(double x) { return 1.0 / x; }
FUSEC_INLINE float rsqrt(float x) { return 1.0f / sqrt(x); }
FUSEC_INLINE double rsqrt(double x) { return 1.0 / sqrt(x); }

namespace detail {

template <class V> struct zero_of {
  static FUSEC_INLINE V get() { return V(0); }
};

/// The integer of the same shape as a float.
template <class V> struct integer_of;
template <> struct integer_of<float> {
  typedef int32_t type;
};
template <> struct integer_of<double> {
  typedef int64_t type;
};

// What reductions combine by, of scalars and of vectors.
struct op_add {
  template <class T> FUSEC_INLINE T operator()(T a, T b) const {
    return add(a, b);
  }
};
struct op_mul {
  template <class T> FUSEC_INLINE T operator()(T a, T b) const {
    return mul(a, b);
  }
};
struct op_max {
  template <class T> FUSEC_INLINE T operator()(T a, T b) const {
    return max(a, b);
  }
};
struct op_min {
  template <class T> FUSEC_INLINE T operator()(T a, T b) const {
    return min(a, b);
  }
};

} // namespace detail

/// Zeros of any scalar or vector type.
template <class V> FUSEC_INLINE V zero() { return detail::zero_of<V>::get(); }

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
