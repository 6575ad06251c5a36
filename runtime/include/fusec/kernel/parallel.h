// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over threads.
#ifndef FUSEC_KERNEL_PARALLEL_H
#define FUSEC_KERNEL_PARALLEL_H

#include "fusec/kernel/config.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {

/// The one copy of a loop's body. It works on a copy of the closure: through
/// the pointer, every store would make the compiler load the captured values
/// again. No iteration is negative: what an index is divided into is none
/// either, and most tests of padding hold for all of a tile.
template <class Body>
__attribute__((noinline)) void call_range(void *body, int64_t begin,
                                          int64_t end) {
  if (begin < 0)
    __builtin_unreachable();
  const Body local = *static_cast<const Body *>(body);
  local(begin, end);
}

} // namespace detail

/// The array that lies `offset` bytes into the scratch memory of this kernel.
template <class T>
FUSEC_INLINE T *workspace(const fusec_kernel_ctx *ctx, int64_t offset) {
  return reinterpret_cast<T *>(static_cast<char *>(ctx->workspace) + offset);
}

/// Calls body(begin, end) on disjoint ranges that cover [0, n), on the threads
/// of `ctx`, and returns after all of them. `grain` is how many iterations are
/// worth a thread; up to that many run right here. Capture by value: the body
/// is copied once for each range.
template <class Body>
FUSEC_INLINE void parallel_for(const fusec_kernel_ctx *ctx, int64_t n,
                               int64_t grain, const Body &body) {
  if (n <= 0)
    return;
  void *closure = const_cast<Body *>(&body);
  if (n <= grain || ctx->threads <= 1)
    detail::call_range<Body>(closure, 0, n);
  else
    ctx->parallel_for(ctx->parallel_self, n, grain, detail::call_range<Body>,
                      closure);
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
