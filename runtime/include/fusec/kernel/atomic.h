// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Results that the threads of one loop combine.
#ifndef FUSEC_KERNEL_ATOMIC_H
#define FUSEC_KERNEL_ATOMIC_H

#include "fusec/kernel/scalar.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

// Replaces what `to` holds by `combined`, of `held` and `value`; again where
// another thread came between. What else a thread has stored, others see at the
// end of the loop.
#define FUSEC_ATOMIC(name, combined)                                           \
  template <class T> FUSEC_INLINE void atomic_##name(T &to, T value) {         \
    T held, next;                                                              \
    __atomic_load(&to, &held, __ATOMIC_RELAXED);                               \
    do                                                                         \
      next = combined;                                                         \
    while (!__atomic_compare_exchange(&to, &held, &next, /*weak=*/true,        \
                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED));    \
  }
FUSEC_ATOMIC(add, add(held, value))
FUSEC_ATOMIC(mul, mul(held, value))
FUSEC_ATOMIC(max, max(held, value))
FUSEC_ATOMIC(min, min(held, value))
FUSEC_ATOMIC(and, held &&value)
FUSEC_ATOMIC(or, held || value)
#undef FUSEC_ATOMIC

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
