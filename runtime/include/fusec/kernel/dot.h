// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of pairs of narrow integers: two terms of a sum in one step.
#ifndef FUSEC_KERNEL_DOT_H
#define FUSEC_KERNEL_DOT_H

#include "fusec/kernel/scalar.h"

#if FUSEC_LANES
#include "fusec/kernel/arith.h"
#endif

namespace fusec {
inline namespace FUSEC_ISA_NS {

/// Two terms as one: the low halves of a (16 bits, with their sign) and of b.
FUSEC_INLINE int32_t pairs(int32_t a, int32_t b) {
  return static_cast<int32_t>((static_cast<uint32_t>(a) & 0xffff) |
                              (static_cast<uint32_t>(b) << 16));
}

/// The pair of p[0] and p[1], as it lies in the memory of a little-endian
/// machine.
FUSEC_INLINE int32_t pairs(const int16_t *p) {
  int32_t both;
  FUSEC_LIBM(memcpy)(&both, p, sizeof(both));
  return both;
}

/// a0 * b0 + a1 * b1 + c for the terms of the pairs a and b; wraps.
FUSEC_INLINE int32_t dot(int32_t a, int32_t b, int32_t c) {
  const int32_t first = static_cast<int16_t>(a) * static_cast<int16_t>(b);
  const int32_t second = (a >> 16) * (b >> 16);
  return add(add(first, second), c);
}

#if FUSEC_LANES
FUSEC_INLINE i32x16 pairs(i32x16 a, i32x16 b) {
  b = b << i32x16(16);
#ifdef FUSEC_MULTIPLIES_PAIRS
  FUSEC_PARTS(i, a.part[i] = detail::join_pairs(a.part[i], b.part[i]);)
  return a;
#else
  return (a & i32x16(0xffff)) | b;
#endif
}

FUSEC_INLINE i32x16 dot(i32x16 a, i32x16 b, i32x16 c) {
#ifdef FUSEC_MULTIPLIES_PAIRS
  FUSEC_PARTS(i,
              c.part[i] = detail::dot_pairs(a.part[i], b.part[i], c.part[i]);)
  return c;
#else
  const i32x16 half(16);
  return ((a << half) >> half) * ((b << half) >> half) +
         (a >> half) * (b >> half) + c;
#endif
}
#endif // FUSEC_LANES

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
