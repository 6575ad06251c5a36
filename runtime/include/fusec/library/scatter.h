// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_LIBRARY_SCATTER_H
#define FUSEC_LIBRARY_SCATTER_H

#include "fusec/library/common.h"

namespace fusec {
namespace library {

/// result = data, which may be the same memory, but result[.., indices[p], ..]
/// = updates[p] for all points p of `counts`, with the index in place of p's
/// coordinate `axis`. Indices below 0 count from the end; points whose index is
/// outside of the data are left out. Only points of one line along `axis` meet,
/// and one thread takes them in order: the result does not depend on the
/// threads.
template <class T, class I, int N>
inline void scatter_elements(const fusec_kernel_ctx *ctx, const T *data,
                             const I *indices, const T *updates, T *result,
                             const int64_t (&dims)[N],
                             const int64_t (&counts)[N], int64_t axis,
                             Reduction reduction) {
  const Strides<N> to(dims), from(counts);
  if (result != data)
    copy(ctx, data, result, to.of[0] * dims[0]);
  // Work items are blocks of the last dimension, unless that is the axis.
  const int64_t last = N - 1, block = 1024;
  const int64_t run = axis == last ? 1 : counts[last];
  const int64_t blocks = (run + block - 1) / block;
  int64_t items = blocks;
  for (int64_t d = 0; d < last; ++d)
    items *= d == axis ? 1 : counts[d];
  const int64_t length = counts[axis], step = from.of[axis];
  auto scatter = [&](auto constant) {
    constexpr Reduction R = decltype(constant)::value;
    parallel(
        ctx, items, grain_of(4 * length * (run < block ? run : block)),
        [&](int64_t begin, int64_t end) {
          for (int64_t item = begin; item < end; ++item) {
            const int64_t first = item % blocks * block;
            const int64_t width = first + block < run ? block : run - first;
            int64_t source = first, target = first;
            int64_t rest = item / blocks;
            for (int64_t d = last; d-- > 0;) {
              if (d == axis)
                continue;
              source += rest % counts[d] * from.of[d];
              target += rest % counts[d] * to.of[d];
              rest /= counts[d];
            }
            for (int64_t a = 0; a < length; ++a)
              for (int64_t i = 0; i < width; ++i) {
                const int64_t p = source + a * step + i;
                const int64_t index =
                    wrap_index(int64_t(indices[p]), dims[axis]);
                if (index >= 0)
                  detail::update<R>(result[target + index * to.of[axis] + i],
                                    updates[p]);
              }
          }
        });
  };
  detail::with(reduction, scatter);
}

/// result = data, which may be the same memory, but slice result[indices[s]] =
/// updates[s] for s = 0, 1, ... below `slices`: an index is `depth` coordinates
/// of the data's first dimensions. Those below 0 count from the end; slices
/// with one outside of the data are left out. Each thread takes all slices in
/// order, for a part of their elements: the result does not depend on the
/// threads.
template <class T, class I, int N>
inline void scatter_nd(const fusec_kernel_ctx *ctx, const T *data,
                       const I *indices, const T *updates, T *result,
                       const int64_t (&dims)[N], int64_t slices, int64_t depth,
                       Reduction reduction) {
  const Strides<N> to(dims);
  if (result != data)
    copy(ctx, data, result, to.of[0] * dims[0]);
  const int64_t size = to.of[depth - 1], block = 1024;
  auto scatter = [&](auto constant) {
    constexpr Reduction R = decltype(constant)::value;
    parallel(ctx, (size + block - 1) / block,
             grain_of(slices * (size < block ? size : block)),
             [&](int64_t begin, int64_t end) {
               const int64_t first = begin * block;
               const int64_t last = end * block < size ? end * block : size;
               for (int64_t s = 0; s < slices; ++s) {
                 int64_t target = 0;
                 bool inside = true;
                 for (int64_t d = 0; d < depth; ++d) {
                   const int64_t index =
                       wrap_index(int64_t(indices[s * depth + d]), dims[d]);
                   inside &= index >= 0;
                   target += index * to.of[d];
                 }
                 for (int64_t i = first; inside && i < last; ++i)
                   detail::update<R>(result[target + i], updates[s * size + i]);
               }
             });
  };
  detail::with(reduction, scatter);
}

} // namespace library
} // namespace fusec

#endif
