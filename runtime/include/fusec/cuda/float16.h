// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounding to binary16 on a device, which has instructions for it;
// fusec/kernel/float16.h includes it there.
#ifndef FUSEC_CUDA_FLOAT16_H
#define FUSEC_CUDA_FLOAT16_H

#include "fusec/kernel/config.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

/// The nearest binary16, ties to even, as a float.
FUSEC_INLINE float round_to_f16(float x) {
  uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(x));
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(bits));
  return x;
}

} // namespace detail
} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
