// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions of binary16 and bfloat16 on a device, which has instructions for
// them; fusec/kernel/float16.h includes it there.
#ifndef FUSEC_CUDA_FLOAT16_H
#define FUSEC_CUDA_FLOAT16_H

#include "fusec/kernel/config.h"

#define FUSEC_CONVERTS_HALVES 1

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

FUSEC_INLINE float half_to_float(f16 h) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h.bits));
  return x;
}

/// The nearest binary16, ties to even.
FUSEC_INLINE f16 float_to_half(float x) {
  f16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
  return h;
}

#if __CUDA_ARCH__ >= 800
#define FUSEC_ROUNDS_TO_BF16 1
/// The nearest bfloat16, ties to even.
FUSEC_INLINE bf16 float_to_bf16(float x) {
  bf16 h;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
  return h;
}
#endif

} // namespace detail
} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
