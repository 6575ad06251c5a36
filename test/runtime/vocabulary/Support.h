// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats to try, and distances between them. Compiled once per instruction set;
// FUSEC_ISA names the one under test.
#ifndef FUSEC_TEST_VOCABULARY_SUPPORT_H
#define FUSEC_TEST_VOCABULARY_SUPPORT_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "fusec/kernel/kernel.h"

namespace vocabulary {

inline float floatOf(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}

inline uint32_t bitsOf(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

/// |got - want| in units in the last place of a float near `want`.
inline double ulpDistance(float got, double want) {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (std::isnan(want) || std::isnan(got))
    return std::isnan(want) && std::isnan(got) ? 0.0 : never;
  const float rounded = static_cast<float>(want);
  if (got == rounded)
    return 0.0;
  if (std::isinf(got) || std::isinf(rounded))
    return never;
  int exponent;
  std::frexp(want, &exponent);
  const double ulp = std::ldexp(1.0, std::max(exponent, -125) - 24);
  return std::fabs(static_cast<double>(got) - want) / ulp;
}

/// Where formulas change: zeros, subnormals, infinities, NaNs with payloads,
/// powers of two and their neighbours, limits of exp and friends.
inline std::vector<float> specialFloats() {
  std::vector<float> all;
  const auto add = [&](float x) {
    for (float v : {x, -x}) {
      all.push_back(v);
      all.push_back(std::nextafter(v, 1e38f));
      all.push_back(std::nextafter(v, -1e38f));
    }
  };
  for (float x :
       {0.0f,        0.25f,       0.5f,          0.9f,        1.0f,
        1.5f,        2.0f,        2.5f,          3.0f,        4.0f,
        10.0f,       20.0f,       86.0f,         87.0f,       87.33f,
        87.3365f,    88.0f,       88.72f,        88.7228394f, 89.0f,
        89.4159851f, 89.5f,       104.0f,        126.0f,      127.0f,
        128.0f,      1000.0f,     4096.0f,       8192.0f,     8388607.5f,
        8388608.0f,  16777216.0f, 2147483648.0f, 1e9f,        1e20f,
        1e30f,       1e-9f,       1e-20f,        1e-38f,      1e-42f,
        0.70710678f, 1.41421356f, 1.57079633f,   3.14159265f, 0.78539816f})
    add(x);
  for (int e = -149; e < 128; ++e)
    add(std::ldexp(1.0f, e));
  add(std::numeric_limits<float>::max());
  for (uint32_t bits : {0x7f800000u, 0xff800000u, 0x7fc00000u, 0xffc00000u,
                        0x7fc001ffu, 0xffffffffu, 0x7fffffffu})
    all.push_back(floatOf(bits));
  return all;
}

/// Special values and an even sweep over all bit patterns.
inline std::vector<float> sweep(uint32_t step = 20011) {
  std::vector<float> all = specialFloats();
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += step)
    all.push_back(floatOf(static_cast<uint32_t>(bits)));
  while (all.size() % 16)
    all.push_back(1.0f);
  return all;
}

namespace reference {
inline double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
inline double rcp(double x) { return 1.0 / x; }
inline double neg(double x) { return -x; }
} // namespace reference

} // namespace vocabulary

#endif
