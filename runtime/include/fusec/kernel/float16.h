// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// binary16 and bfloat16 from and to float, on bits that lie in 32-bit lanes.
#ifndef FUSEC_KERNEL_FLOAT16_H
#define FUSEC_KERNEL_FLOAT16_H

#include "fusec/kernel/round.h"

#if defined(__CUDA_ARCH__)
#include "fusec/cuda/float16.h"
#endif

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

/// V is float or f32x16; `bits` holds binary16 in the low half of each lane.
template <class V>
FUSEC_INLINE V f32_from_f16_bits(typename integer_of<V>::type bits) {
  typedef typename integer_of<V>::type I;
  // Read as a float, the exponent is 112 too small; a multiplication corrects
  // it, for subnormals too. Infinity and NaN get the exponent of all ones.
  const I magnitude = shl(bit_and(bits, I(0x7fff)), I(13));
  const I number = bits_of(f32_from_bits(magnitude) * V(0x1p112f));
  const I special = bit_or(magnitude, I(0x7f800000));
  const I sign_bit = shl(bit_and(bits, I(0x8000)), I(16));
  return f32_from_bits(
      bit_or(select(magnitude >= I(0x0f800000), special, number), sign_bit));
}

/// The nearest binary16, ties to even; NaN becomes a quiet NaN.
template <class V>
FUSEC_INLINE typename integer_of<V>::type f16_bits_from_f32(V x) {
  typedef typename integer_of<V>::type I;
  const I all = bits_of(x);
  const I magnitude = bit_and(all, I(0x7fffffff));
  const I sign_bit = bit_and(shr_logic(all, I(16)), I(0x8000));
  // Normal: round at bit 13 and move the exponent; a carry is wanted.
  const I odd = bit_and(shr_logic(magnitude, I(13)), I(1));
  const I normal =
      shr_logic(sub(add(add(magnitude, I(0xfff)), odd), I(112 << 23)), I(13));
  // Subnormal: the last place of 0.5f is 2^-24, that of a subnormal binary16.
  const I subnormal =
      sub(bits_of(f32_from_bits(magnitude) + V(0.5f)), I(0x3f000000));
  const I finite = select(magnitude < I(0x38800000), subnormal, normal);
  const I special =
      select(magnitude > I(0x7f800000),
             bit_or(bit_and(shr_logic(magnitude, I(13)), I(0x3ff)), I(0x7e00)),
             I(0x7c00));
  return bit_or(select(magnitude >= I(0x47800000), special, finite), sign_bit);
}

/// The nearest bfloat16, ties to even; NaN stays NaN.
template <class V>
FUSEC_INLINE typename integer_of<V>::type bf16_bits_from_f32(V x) {
  typedef typename integer_of<V>::type I;
  const I all = bits_of(x);
  const I odd = bit_and(shr_logic(all, I(16)), I(1));
  const I rounded = shr_logic(add(add(all, I(0x7fff)), odd), I(16));
  const I quiet = bit_or(shr_logic(all, I(16)), I(0x40));
  return select(x == x, rounded, quiet);
}

FUSEC_INLINE float f32_of(f16 h) {
#ifdef FUSEC_CONVERTS_HALVES
  return half_to_float(h);
#else
  return f32_from_f16_bits<float>(static_cast<int32_t>(h.bits));
#endif
}
FUSEC_INLINE float f32_of(bf16 h) {
  return f32_from_bits(shl(static_cast<int32_t>(h.bits), 16));
}
FUSEC_INLINE f16 f16_of(float x) {
#ifdef FUSEC_CONVERTS_HALVES
  return float_to_half(x);
#else
  return {static_cast<uint16_t>(f16_bits_from_f32<float>(x))};
#endif
}
FUSEC_INLINE bf16 bf16_of(float x) {
#ifdef FUSEC_ROUNDS_TO_BF16
  return float_to_bf16(x);
#else
  return {static_cast<uint16_t>(bf16_bits_from_f32<float>(x))};
#endif
}

} // namespace detail

// --- rounded to the type, and held as a float
// Compilers do not see through it, and so contract no product before it with a
// sum behind it.

FUSEC_INLINE float to_f16(float x) {
  return detail::f32_of(detail::f16_of(x));
}
FUSEC_INLINE float to_bf16(float x) {
  return detail::f32_of(detail::bf16_of(x));
}

namespace detail {
/// The float on the way to fewer digits: the nearest, or, where that is not
/// exact, a neighbour whose last digit is odd, which is no tie of fewer digits.
template <class V, class D> FUSEC_INLINE V f32_to_odd(D x) {
  typedef typename integer_of<V>::type I;
  const V nearest = to<V>(x);
  const D back = to<D>(nearest);
  const I all = bits_of(nearest);
  // From zero or towards it, whatever the sign.
  const I moved = add(all, select(abs(back) < abs(x), I(1), I(-1)));
  const auto stays =
      logical_or(logical_or(back == x, x != x), bit_and(all, I(1)) != I(0));
  return f32_from_bits(select(stays, all, moved));
}
} // namespace detail
FUSEC_INLINE float to_f16(double x) {
  return to_f16(detail::f32_to_odd<float>(x));
}
FUSEC_INLINE float to_bf16(double x) {
  return to_bf16(detail::f32_to_odd<float>(x));
}

#if FUSEC_LANES
FUSEC_INLINE f32x16 to_f16(f32x16 x) {
#ifdef FUSEC_CONVERTS_HALVES
  FUSEC_PARTS(i, x.part[i] = detail::round_to_halves(x.part[i]);)
  return x;
#else
  return detail::f32_from_f16_bits<f32x16>(
      detail::f16_bits_from_f32<f32x16>(x));
#endif
}
FUSEC_INLINE f32x16 to_bf16(f32x16 x) {
  return f32_from_bits(shl(detail::bf16_bits_from_f32<f32x16>(x), i32x16(16)));
}

FUSEC_INLINE f32x16 to_f16(f64x16 x) {
  return to_f16(detail::f32_to_odd<f32x16>(x));
}
FUSEC_INLINE f32x16 to_bf16(f64x16 x) {
  return to_bf16(detail::f32_to_odd<f32x16>(x));
}
#endif

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
