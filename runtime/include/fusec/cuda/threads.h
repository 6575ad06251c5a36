// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who a thread is, and how threads wait for each other. Blocks and grids have
// one dimension: kernels divide it as their loops need.
#ifndef FUSEC_CUDA_THREADS_H
#define FUSEC_CUDA_THREADS_H

#include "fusec/kernel/config.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

constexpr int warp_size = 32;

/// The number of this block in its grid, and of this thread in its block.
FUSEC_INLINE int block() { return static_cast<int>(blockIdx.x); }
FUSEC_INLINE int thread() { return static_cast<int>(threadIdx.x); }

/// The number of this warp in its block, and of this thread in its warp.
FUSEC_INLINE int warp() { return thread() / warp_size; }
FUSEC_INLINE int lane() { return thread() % warp_size; }

/// Waits for all threads of the block, or of the warp: what they have stored
/// before, all of them see afterwards.
FUSEC_INLINE void sync_block() { __syncthreads(); }
FUSEC_INLINE void sync_warp() { __syncwarp(); }

namespace detail {

/// What was there; it becomes one more, or 0 after `most`. Hands over what this
/// thread knows of, and takes what others handed over here.
FUSEC_INLINE unsigned exchange_incremented(int32_t *at, unsigned most) {
#ifdef __HIP__
  return __builtin_amdgcn_atomic_inc32(reinterpret_cast<unsigned *>(at), most,
                                       __ATOMIC_ACQ_REL, "agent");
#else
  unsigned before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(__cvta_generic_to_global(at)), "r"(most)
               : "memory");
  return before;
#endif
}

} // namespace detail

/// Whether this block is the last one of `blocks` to come here; what the first
/// thread of each of the others stored before, it sees, and what their other
/// threads stored before a sync_block(). `ticket`, in global memory, is 0
/// before the first of them comes, and again after the last. All threads of a
/// block come, once in a kernel, and get one answer.
FUSEC_INLINE bool is_last_block(int32_t *ticket, int blocks) {
  __shared__ bool last;
  const unsigned most = static_cast<unsigned>(blocks) - 1;
  if (thread() == 0)
    last = detail::exchange_incremented(ticket, most) == most;
  sync_block();
  return last;
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
