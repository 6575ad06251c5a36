// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The formats of numbers and how they round. Everything has internal linkage
// (Alu.h says why).
#ifndef FUSEC_TOOLS_PTXSIM_ALU_NUMBERS_H
#define FUSEC_TOOLS_PTXSIM_ALU_NUMBERS_H

#include <cstdint>
#include <cstring>

namespace fusec::ptx {
namespace {

struct Half {
  uint16_t bits;
};
struct Bfloat {
  uint16_t bits;
};

template <class To, class From> inline To bitsTo(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

constexpr uint32_t kNan32 = 0x7fffffff;
constexpr uint16_t kNan16 = 0x7fff;
/// What TMA fills with where a tensor ends, if that is to be NaN; of f16 and
/// bf16.
constexpr uint16_t kOutside16 = 0x7ff7;

enum class Round : uint8_t { Nearest, Zero, Down, Up, NearestAway };

/// Single-precision results have one NaN.
inline float canonical(float x) {
  uint32_t bits = bitsTo<uint32_t>(x);
  return bitsTo<float>(x != x ? kNan32 : bits);
}

/// Denormal numbers to zeros of the same sign.
inline float flush(float x) {
  uint32_t bits = bitsTo<uint32_t>(x);
  return bitsTo<float>((bits & 0x7f800000) == 0 ? bits & 0x80000000 : bits);
}

inline float saturate(float x) {
  x = x > 0.0f ? x : 0.0f; // also NaN and -0
  return x < 1.0f ? x : 1.0f;
}

inline float toFloat(Half h) {
  uint32_t sign = static_cast<uint32_t>(h.bits & 0x8000) << 16;
  uint32_t rest = h.bits & 0x7fff;
  // Exponents are rebiased by a multiplication, which makes denormals normal.
  float scaled = bitsTo<float>(rest << 13) * bitsTo<float>(0x77800000u);
  uint32_t bits = rest >= 0x7c00 ? 0x7f800000u | (rest & 0x3ff) << 13
                                 : bitsTo<uint32_t>(scaled);
  return bitsTo<float>(bits | sign);
}

inline float toFloat(Bfloat b) {
  return bitsTo<float>(static_cast<uint32_t>(b.bits) << 16);
}

/// Of a magnitude, whose lowest `drop` bits go: whether one is added to the
/// rest.
inline bool roundsUp(uint64_t magnitude, int drop, bool negative, Round round) {
  uint64_t half = 1ull << (drop - 1), mask = (half << 1) - 1;
  uint64_t rest = magnitude & mask;
  switch (round) {
  case Round::Nearest:
    return rest > half || (rest == half && (magnitude >> drop & 1));
  case Round::NearestAway:
    return rest >= half;
  case Round::Zero:
    return false;
  case Round::Down:
    return negative && rest;
  case Round::Up:
    return !negative && rest;
  }
  return false;
}

/// A double to a narrower format of `mantissa` stored bits and exponents up to
/// `maximum` (as of a power of two), rounded once. Returns sign, exponent,
/// mantissa.
inline uint32_t narrow(double x, int mantissa, int exponentBits, Round round) {
  uint64_t bits = bitsTo<uint64_t>(x);
  bool negative = bits >> 63;
  uint32_t sign = static_cast<uint32_t>(negative) << (mantissa + exponentBits);
  int bias = (1 << (exponentBits - 1)) - 1;
  uint32_t infinity = ((1u << exponentBits) - 1) << mantissa;
  int exponent = static_cast<int>(bits >> 52 & 0x7ff);
  uint64_t fraction = bits & 0xfffffffffffffull;
  if (exponent == 0x7ff)
    return fraction ? infinity | ((1u << mantissa) - 1) : sign | infinity;
  if (!exponent) {
    if (!fraction)
      return sign;
    bool up =
        (round == Round::Down && negative) || (round == Round::Up && !negative);
    return sign | (up ? 1u : 0u);
  }
  int power = exponent - 1023;
  uint64_t magnitude = fraction | 1ull << 52;
  int drop = 52 - mantissa;
  if (power < 1 - bias)
    drop += 1 - bias - power; // a denormal has fewer bits
  uint64_t kept;
  if (drop > 62) {
    kept = roundsUp(1, 2, negative, round); // below half of the smallest
  } else {
    kept = magnitude >> drop;
    kept += roundsUp(magnitude, drop, negative, round);
  }
  uint32_t result;
  if (power < 1 - bias)
    result = static_cast<uint32_t>(kept); // a carry makes the smallest normal
  else
    result = static_cast<uint32_t>(kept) +
             (static_cast<uint32_t>(power + bias - 1) << mantissa);
  if (result >= infinity) {
    bool toLargest = round == Round::Zero ||
                     (round == Round::Down && !negative) ||
                     (round == Round::Up && negative);
    result = toLargest ? infinity - 1 : infinity;
  }
  return sign | result;
}

inline Half toHalf(double x, Round round = Round::Nearest) {
  uint32_t bits = narrow(x, 10, 5, round);
  return {static_cast<uint16_t>((bits & 0x7fff) > 0x7c00 ? kNan16 : bits)};
}

inline Bfloat toBfloat(double x, Round round = Round::Nearest) {
  uint32_t bits = narrow(x, 7, 8, round);
  return {static_cast<uint16_t>((bits & 0x7fff) > 0x7f80 ? kNan16 : bits)};
}

/// x + y, its last bit set if that was not exact: rounding once more is then as
/// if the sum had been rounded once.
inline double addToOdd(double x, double y) {
  double sum = x + y;
  double back = sum - x;
  double error = (x - (sum - back)) + (y - back);
  if (error == 0 || error != error)
    return sum;
  uint64_t bits = bitsTo<uint64_t>(sum);
  if (bits & 1)
    return sum;
  bool shrink = (error < 0) != (sum < 0);
  return bitsTo<double>(shrink ? bits - 1 : bits + 1);
}

inline Half roundTo(Half *, double x) { return toHalf(x); }
inline Bfloat roundTo(Bfloat *, double x) { return toBfloat(x); }

} // namespace
} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_ALU_NUMBERS_H
