// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the routines of the library share: elements as numbers, indices, loops
// over threads. Host programs call the routines; they are compiled once, not
// per instruction set, and stay clear of the kernels' vocabulary.
#ifndef FUSEC_LIBRARY_COMMON_H
#define FUSEC_LIBRARY_COMMON_H

#include "fusec/abi.h"
#include "fusec/library/elements.h"

#include <cstring>

namespace fusec {
namespace library {

//===- Threads ------------------------------------------------------------===//

/// How many iterations are worth a thread if one takes about `cost` steps.
inline int64_t grain_of(int64_t cost) {
  return cost >= 16384 ? 1 : 16384 / (cost < 1 ? 1 : cost);
}

/// Calls body(begin, end) on disjoint ranges that cover [0, n), on the threads
/// of `ctx`, and returns after all of them.
template <class Body>
inline void parallel(const fusec_kernel_ctx *ctx, int64_t n, int64_t grain,
                     const Body &body) {
  if (n <= 0)
    return;
  if (n <= grain || ctx->threads <= 1) {
    body(0, n);
    return;
  }
  ctx->parallel_for(
      ctx->parallel_self, n, grain,
      [](void *self, int64_t begin, int64_t end) {
        (*static_cast<const Body *>(self))(begin, end);
      },
      const_cast<Body *>(&body));
}

/// Copies `count` elements.
template <class T>
inline void copy(const fusec_kernel_ctx *ctx, const T *from, T *to,
                 int64_t count) {
  const int64_t block = 65536;
  parallel(ctx, (count + block - 1) / block, 4,
           [=](int64_t begin, int64_t end) {
             const int64_t last = end * block < count ? end * block : count;
             std::memcpy(to + begin * block, from + begin * block,
                         size_t(last - begin * block) * sizeof(T));
           });
}

} // namespace library
} // namespace fusec

#endif
