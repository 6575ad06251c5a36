// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The greater and the lesser of two floats on a device, which has instructions
// for them from sm_80 on; fusec/kernel/scalar.h includes it there.
#ifndef FUSEC_CUDA_ORDER_H
#define FUSEC_CUDA_ORDER_H

#include "fusec/kernel/config.h"

#if __CUDA_ARCH__ >= 800
#define FUSEC_ORDERS_FLOATS 1

namespace fusec {
inline namespace FUSEC_ISA_NS {

FUSEC_INLINE float max(float a, float b) {
  asm("max.NaN.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
  return a;
}
FUSEC_INLINE float min(float a, float b) {
  asm("min.NaN.f32 %0, %0, %1;" : "+f"(a) : "f"(b));
  return a;
}

} // namespace FUSEC_ISA_NS
} // namespace fusec
#endif

#endif
