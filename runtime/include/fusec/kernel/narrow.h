// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers of 8 and 16 bits in memory, which 32 bits compute.
#ifndef FUSEC_KERNEL_NARROW_H
#define FUSEC_KERNEL_NARROW_H

#include "fusec/kernel/mask.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {
namespace detail {

template <class Narrow, class P> FUSEC_INLINE i32x16 load_extended(const P *p) {
  i32x16 v;
  FUSEC_PARTS(i, v.part[i] = extended<Narrow>(p + i * lanes);)
  return v;
}

template <class Narrow, class P>
FUSEC_INLINE void store_narrowed(P *p, i32x16 v) {
  FUSEC_PARTS(i, const Narrow n = narrowed<Narrow>(v.part[i]);
              copy(p + i * lanes, &n, sizeof(n));)
}

FUSEC_INLINE i32x16 load16(const int8_t *p) { return load_extended<i8v>(p); }
FUSEC_INLINE i32x16 load16(const uint8_t *p) { return load_extended<u8v>(p); }
FUSEC_INLINE i32x16 load16(const int16_t *p) { return load_extended<i16v>(p); }
FUSEC_INLINE i32x16 load16(const uint16_t *p) { return load_extended<u16v>(p); }

FUSEC_INLINE void store16(int8_t *p, i32x16 v) { store_narrowed<i8v>(p, v); }
FUSEC_INLINE void store16(uint8_t *p, i32x16 v) { store_narrowed<u8v>(p, v); }
FUSEC_INLINE void store16(int16_t *p, i32x16 v) { store_narrowed<i16v>(p, v); }
FUSEC_INLINE void store16(uint16_t *p, i32x16 v) { store_narrowed<u16v>(p, v); }

} // namespace detail
} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
