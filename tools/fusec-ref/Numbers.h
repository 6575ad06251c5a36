// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic on the two kinds of numbers. Integers wrap at 64 bits; narrower
// element types wrap when the result is stored, which gives the same bits.
#ifndef FUSEC_TOOLS_FUSEC_REF_NUMBERS_H
#define FUSEC_TOOLS_FUSEC_REF_NUMBERS_H

#include <cmath>
#include <cstdint>

namespace fusec::ref {

inline double add(double a, double b) { return a + b; }
inline double subtract(double a, double b) { return a - b; }
inline double multiply(double a, double b) { return a * b; }
inline double divide(double a, double b) { return a / b; }

inline int64_t add(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}
inline int64_t subtract(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) -
                              static_cast<uint64_t>(b));
}
inline int64_t multiply(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}
/// Truncates towards zero; x / 0 is 0.
inline int64_t divide(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  return b == -1 ? subtract(0, a) : a / b;
}

/// NaN if either operand is NaN; +0 is more than -0.
inline double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::nan("");
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
inline double minimum(double a, double b) { return -maximum(-a, -b); }
inline int64_t maximum(int64_t a, int64_t b) { return a > b ? a : b; }
inline int64_t minimum(int64_t a, int64_t b) { return a < b ? a : b; }

/// Remainder with the sign of the dividend; 0 for an integer divisor of 0.
inline double remainder(double a, double b) { return std::fmod(a, b); }
inline int64_t remainder(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}

/// Remainder with the sign of the divisor.
template <typename T> T modulo(T a, T b) {
  T r = remainder(a, b);
  return r != 0 && (r < 0) != (b < 0) ? add(r, b) : r;
}

/// Integer power, wrapping; a negative exponent gives the truncated quotient
/// 1 / a^|b| (0 for a = 0).
inline int64_t power(int64_t a, int64_t b) {
  if (b < 0) {
    if (a == 1 || a == -1)
      return b % 2 ? a : 1;
    return 0;
  }
  int64_t result = 1;
  for (; b; b >>= 1, a = multiply(a, a))
    if (b & 1)
      result = multiply(result, a);
  return result;
}
inline double power(double a, double b) { return std::pow(a, b); }

} // namespace fusec::ref

#endif // FUSEC_TOOLS_FUSEC_REF_NUMBERS_H
