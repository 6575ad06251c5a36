// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores past the caches.
#ifndef FUSEC_KERNEL_STREAM_H
#define FUSEC_KERNEL_STREAM_H

#include "fusec/kernel/memory.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

/// Stores 16 elements as `store` does, past the caches where p is aligned for
/// it: for lines that are overwritten as a whole, and not read soon. Other
/// threads may see them only after `finish_streams`.
template <class P, class V> FUSEC_INLINE void store_streamed(P *p, const V &v) {
#ifdef FUSEC_STREAMS
  constexpr int bytes = 16 * sizeof(P);
  constexpr int alignment = bytes < 64 ? bytes : 64;
  if (reinterpret_cast<uintptr_t>(p) % alignment == 0) {
    alignas(64) P place[16];
    store(place, v);
    detail::stream_bytes<bytes>(p, place);
    return;
  }
#endif
  store(p, v);
}

/// Ends the stores past the caches of this thread: what it does next comes
/// after them.
FUSEC_INLINE void finish_streams() {
#ifdef FUSEC_STREAMS
  detail::end_streams();
#endif
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
