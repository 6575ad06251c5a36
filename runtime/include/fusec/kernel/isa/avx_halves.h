// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of one f16, for AVX2 and AVX-512.
#ifndef FUSEC_KERNEL_ISA_AVX_HALVES_H
#define FUSEC_KERNEL_ISA_AVX_HALVES_H

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

FUSEC_INLINE float half_to_float(f16 h) {
  // Compilers that know that one lane counts insert it into what a register
  // holds, and wait for that.
  __m128i bits = _mm_cvtsi32_si128(h.bits);
  asm("" : "+" FUSEC_REGISTER(bits));
  return _mm_cvtss_f32(_mm_cvtph_ps(bits));
}
FUSEC_INLINE f16 float_to_half(float x) {
  const __m128i h = _mm_cvtps_ph(_mm_set_ss(x), _MM_FROUND_TO_NEAREST_INT);
  return {static_cast<uint16_t>(_mm_cvtsi128_si32(h))};
}

} // namespace detail
} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
