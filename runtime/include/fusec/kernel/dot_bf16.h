// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of bf16 side by side: two terms of a sum of floats in one step, with
// the bits of VDPBF16PS on each instruction set.
#ifndef FUSEC_KERNEL_DOT_BF16_H
#define FUSEC_KERNEL_DOT_BF16_H

#include "fusec/kernel/dot.h"
#include "fusec/kernel/round.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

/// Two terms as one, from the lowest bits: numbers of bf16, held as floats.
FUSEC_INLINE int32_t bf16_pairs(float a, float b) {
  return bit_or(shr_logic(bits_of(a), 16), bit_and(bits_of(b), -65536));
}

/// The pair of p[0] and p[1], as it lies in the memory of a little-endian
/// machine.
FUSEC_INLINE int32_t bf16_pairs(const bf16 *p) {
  int32_t both;
  FUSEC_LIBM(memcpy)(&both, p, sizeof(both));
  return both;
}

#if FUSEC_LANES
FUSEC_INLINE i32x16 bf16_pairs(f32x16 a, f32x16 b) {
  return shr_logic(bits_of(a), i32x16(16)) | (bits_of(b) & i32x16(-65536));
}

/// The pairs of 16 lanes, one after the other from p[0] on.
template <class V> FUSEC_INLINE V bf16_pairs(const bf16 *p) {
  return detail::copy_lanes<V>(p);
}
#endif

namespace detail {

template <class V> struct double_of;
template <> struct double_of<float> {
  typedef double type;
};
#if FUSEC_LANES
template <> struct double_of<f32x16> {
  typedef f64x16 type;
};
#endif

/// x, or the zero of its sign where it is subnormal.
template <class V> FUSEC_INLINE V flushed(V x) {
  typedef typename integer_of<V>::type I;
  const I all = bits_of(x);
  const auto tiny = eq(bit_and(all, I(0x7f800000)), I(0));
  return f32_from_bits(select(tiny, bit_and(all, I(INT32_MIN)), all));
}

/// a * b + c of numbers of bf16 a and b, rounded once to the nearest, ties to
/// even. Subnormal numbers count as zeros, and so does a sum that would be one
/// if exponents had no end: what is rounded up to the least normal number from
/// more than half a step below it is none.
template <class V> FUSEC_INLINE V multiply_add_flushed(V a, V b, V c) {
  a = flushed(a);
  b = flushed(b);
  c = flushed(c);
#if FUSEC_FUSED
  const V sum = fma(a, b, c);
  // The same sum by 2^48, where it is near the least normal number. Elsewhere
  // it may be infinite or NaN, but never small.
  const V scaled = fma(a * V(0x1p48f), b, c * V(0x1p48f));
  const auto tiny = lt(abs(scaled), V(0x1p-78f));
#else
  // A product of 16 digits, and a sum whose digits beyond 53 decide nothing:
  // rounding twice is rounding once.
  typedef typename double_of<V>::type D;
  const D exact = to<D>(a) * to<D>(b) + to<D>(c);
  const V sum = to<V>(exact);
  const auto tiny = lt(abs(exact), D(0x1.ffffffp-127));
#endif
  typedef typename integer_of<V>::type I;
  const V zero = f32_from_bits(bit_and(bits_of(sum), I(INT32_MIN)));
  return select(tiny, zero, sum);
}

template <class V, class I> FUSEC_INLINE V dot_bf16_body(I a, I b, V c) {
  auto low = [](I pair) { return f32_from_bits(shl(pair, I(16))); };
  auto high = [](I pair) { return f32_from_bits(bit_and(pair, I(-65536))); };
  c = multiply_add_flushed<V>(high(a), high(b), c);
  return multiply_add_flushed<V>(low(a), low(b), c);
}
} // namespace detail

/// a0 * b0 + (a1 * b1 + c) for the terms of the pairs a and b. Each of the two
/// steps rounds once, and takes and gives zeros for subnormal numbers.
FUSEC_INLINE float dot_bf16(int32_t a, int32_t b, float c) {
  return detail::dot_bf16_body<float, int32_t>(a, b, c);
}

#if FUSEC_LANES
FUSEC_INLINE f32x16 dot_bf16(i32x16 a, i32x16 b, f32x16 c) {
#ifdef FUSEC_MULTIPLIES_BF16
  FUSEC_PARTS(i, c.part[i] = detail::dot_bf16(a.part[i], b.part[i], c.part[i]);)
  return c;
#else
  return detail::dot_bf16_body<f32x16, i32x16>(a, b, c);
#endif
}
#endif

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
