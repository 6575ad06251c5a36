// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sin, cos and tan of doubles. Those of CUDA's library keep the product of a
// large argument with 2 / pi in local memory; these have it in registers.
#ifndef FUSEC_CUDA_MATH_TRIG_H
#define FUSEC_CUDA_MATH_TRIG_H

#include "fusec/kernel/scalar.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

/// 128 zeros, and then the bits of 2 / pi behind the point, 64 a word.
FUSEC_TABLE uint64_t two_over_pi[20] = {
    0,
    0,
    0xa2f9836e4e441529u,
    0xfc2757d1f534ddc0u,
    0xdb6295993c439041u,
    0xfe5163abdebbc561u,
    0xb7246e3a424dd2e0u,
    0x06492eea09d1921cu,
    0xfe1deb1cb129a73eu,
    0xe88235f52ebb4484u,
    0xe99c7026b45f7e41u,
    0x3991d639835339f4u,
    0x9c845f8bbdf9283bu,
    0x1ff897ffde05980fu,
    0xef2f118b5a0a6d1fu,
    0x6d367ecf27cb09b7u,
    0x4f463f669e5fea2du,
    0x7527bac7ebe5f17bu,
    0x3d0739f78a5292eau,
    0x6bfb5fb11f8d5d08u,
};

/// x in quarters of a turn, modulo four: quadrant + part, part in [-1/2, 1/2].
struct exact_quarters {
  uint32_t quadrant;
  double part;

  FUSEC_INLINE explicit exact_quarters(double x) {
    const double a = abs(x);
    if (a <= 0.78539816339744828) {
      quadrant = 0;
      part = x * 0.63661977236758138;
    } else if (a < double{FUSEC_INF}) {
      reduce(a);
      if (x < 0) {
        quadrant = 0 - quadrant;
        part = -part;
      }
    } else {
      quadrant = 0;
      part = x - x;
    }
  }

private:
  /// Payne and Hanek, "Radian reduction for trigonometric functions" (1983):
  /// bits of 2 / pi count from that whose product with the last bit of `a` is
  /// 2; 126 bits behind the point are enough, as no double lies closer than
  /// 2^-62 to a multiple of pi / 2.
  FUSEC_INLINE void reduce(double a) {
    const uint64_t bits = static_cast<uint64_t>(bits_of(a));
    const uint64_t factor = bits << 11 | uint64_t{1} << 63;
    const int first = static_cast<int>(bits >> 52) - 960;
    const int word = first / 64, shift = first % 64;
    auto piece = [&](int i) {
      return two_over_pi[word + i] << shift |
             two_over_pi[word + i + 1] >> 1 >> (63 - shift);
    };
    const uint64_t middle = piece(1), last = __umul64hi(factor, piece(2));
    uint64_t low = factor * middle + last;
    uint64_t high =
        factor * piece(0) + __umul64hi(factor, middle) + (low < last);
    // Two bits of quarters, and 62 + 64 behind the point.
    const uint64_t nearest = (high + (uint64_t{1} << 61)) >> 62;
    quadrant = static_cast<uint32_t>(nearest);
    high -= nearest << 62;
    const bool is_below = high >> 63;
    if (is_below) {
      low = 0 - low;
      high = ~high + (low == 0);
    }
    int zeros = __clzll(static_cast<long long>(high));
    if (zeros == 64) {
      high = low;
      low = 0;
      zeros = __clzll(static_cast<long long>(high)) + 64;
    }
    const int gap = zeros % 64;
    high = high << gap | low >> 1 >> (63 - gap);
    const double scale =
        f64_from_bits(static_cast<int64_t>(1023 - 62 - zeros) << 52);
    part = static_cast<double>(high) * scale;
    part = is_below ? -part : part;
  }
};

/// sin(x + shift * pi / 2).
FUSEC_INLINE double exact_sin(double x, uint32_t shift) {
  const exact_quarters turn(x);
  const uint32_t quadrant = turn.quadrant + shift;
  const double half = 0.5 * turn.part;
  const double y =
      quadrant & 1 ? FUSEC_LIBM(cospi)(half) : FUSEC_LIBM(sinpi)(half);
  return quadrant & 2 ? -y : y;
}

} // namespace detail

FUSEC_INLINE double sin(double x) { return detail::exact_sin(x, 0); }
FUSEC_INLINE double cos(double x) { return detail::exact_sin(x, 1); }
FUSEC_INLINE double tan(double x) {
  const detail::exact_quarters turn(x);
  const double half = 0.5 * turn.part;
  const double s = FUSEC_LIBM(sinpi)(half), c = FUSEC_LIBM(cospi)(half);
  return turn.quadrant & 1 ? -c / s : s / c;
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
