// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every processor of x86-64 has: the portable bodies, and a square root.
#ifndef FUSEC_KERNEL_ISA_SSE2_H
#define FUSEC_KERNEL_ISA_SSE2_H

#include "fusec/kernel/isa/portable.h"

#include <emmintrin.h>

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

FUSEC_INLINE void square_root(f32v &root, const f32v &a) {
  root = _mm_sqrt_ps(a);
}

} // namespace detail
} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
