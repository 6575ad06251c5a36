// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops over threads.
#ifndef FUSEC_KERNEL_PARALLEL_H
#define FUSEC_KERNEL_PARALLEL_H

#include "fusec/kernel/config.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

namespace detail {
template <class Body> void call_range(void *body, int64_t begin, int64_t end) {
  (*static_cast<const Body *>(body))(begin, end);
}
} // namespace detail

/// Calls body(begin, end) on disjoint ranges that cover [0, n), on the threads
/// of `ctx`, and returns after all of them. `grain` is how many iterations are
/// worth a thread; up to that many run right here.
template <class Body>
FUSEC_INLINE void parallel_for(const fusec_kernel_ctx *ctx, int64_t n,
                               int64_t grain, const Body &body) {
  if (n <= 0)
    return;
  if (n <= grain || ctx->threads <= 1)
    return body(int64_t{0}, n);
  ctx->parallel_for(ctx->parallel_self, n, grain, detail::call_range<Body>,
                    const_cast<Body *>(&body));
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
