// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies from global to shared memory that arrive while their threads go on.
// Before sm_80, and on GPUs of AMD's, they are loads and stores, and have
// arrived when they return.
#ifndef FUSEC_CUDA_COPY_H
#define FUSEC_CUDA_COPY_H

#include "fusec/cuda/memory.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
/// Of what is not inside 0 bytes are read.
template <int N, class T>
FUSEC_INLINE void begin_copy(T *to, const T *from, bool inside) {
  const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(to));
  constexpr int bytes = N * sizeof(T);
  const int read = inside ? bytes : 0;
  // What goes around the first-level cache is of 16 bytes.
  if constexpr (bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
                 :
                 : "r"(at), "l"(__cvta_generic_to_global(from)), "r"(read)
                 : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;"
                 :
                 : "r"(at), "l"(__cvta_generic_to_global(from)), "n"(bytes),
                   "r"(read)
                 : "memory");
}
FUSEC_INLINE void commit_group() {
  asm volatile("cp.async.commit_group;" : : : "memory");
}
template <int Most> FUSEC_INLINE void wait_group() {
  asm volatile("cp.async.wait_group %0;" : : "n"(Most) : "memory");
}
#else
template <int N, class T>
FUSEC_INLINE void begin_copy(T *to, const T *from, bool inside) {
  FUSEC_UNROLL for (int i = 0; i < N; ++i) to[i] = inside ? from[i] : T{};
}
FUSEC_INLINE void commit_group() {}
template <int Most> FUSEC_INLINE void wait_group() {}
#endif

} // namespace detail

/// Begins to copy N elements of 1 to 8 bytes side by side, together 4 to 16
/// bytes, from global to shared memory. Both begin at a multiple of N elements
/// into their arrays, which begin at multiples of 16 bytes. What is not
/// `inside` is not read: zeros arrive.
template <int N = 1, class T>
FUSEC_INLINE void copy_async(T *to, const T *from, bool inside = true) {
  detail::begin_copy<N>(to, from, inside);
}

/// Makes a group of the copies that this thread has begun since the last one.
FUSEC_INLINE void commit_copies() { detail::commit_group(); }

/// Waits until all groups of this thread but the last `Most` have arrived.
/// Other threads see them behind a barrier after that.
template <int Most> FUSEC_INLINE void wait_copies() {
  detail::wait_group<Most>();
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
