// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of codes of 8 bits, as tables of what each code becomes.
#ifndef FUSEC_KERNEL_LOOK_UP_H
#define FUSEC_KERNEL_LOOK_UP_H

#include "fusec/kernel/scalar.h"

#if FUSEC_LANES
#include "fusec/kernel/types.h"
#endif

namespace fusec {
inline namespace FUSEC_ISA_NS {

/// Entry number `code` of the 256 of table: of codes with a sign the negative
/// ones are behind the others.
template <class P> FUSEC_INLINE int32_t look_up(const P *table, int32_t code) {
  return table[code & 255];
}
#if FUSEC_LANES
template <class P> FUSEC_INLINE i32x16 look_up(const P *table, i32x16 codes) {
  i32x16 v;
  FUSEC_PARTS(i, detail::look_up_part(v.part[i], table, codes.part[i]);)
  return v;
}
#endif

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
