// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions of blocks: a row a block, and what the memory of a block is for.
#pragma once
#include "blocks_rows.cuh"
#include "fusec/op_block.h"
#include <cuda_fp16.h>

namespace blocks {

/// softmax(scale * x) of the rows, in whichever order there are blocks.
template <class X, class Y>
__device__ void softmax(const fusec::Block &block, X x, Y y, float scale) {
  fusec::BlockReduction<128> all;
  for (int64_t i = block.index; i < rows_of(x); i += block.count) {
    float most = -INFINITY;
    for (int64_t j = block.thread(); j < x.extent(1); j += block.threads)
      most = fmaxf(most, scale * fusec::load(&x(i, j)));
    most = all.reduce_max(most);
    float sum = 0;
    for (int64_t j = block.thread(); j < x.extent(1); j += block.threads)
      sum += expf(scale * fusec::load(&x(i, j)) - most);
    sum = all.reduce_add(sum);
    for (int64_t j = block.thread(); j < x.extent(1); j += block.threads)
      fusec::store(&y(i, j), expf(scale * fusec::load(&x(i, j)) - most) / sum);
  }
}

/// The largest element of each row and where it is, the first one; a plain
/// function, with the memory of its block.
inline __device__ void largest(const fusec::Block &block,
                               fusec::BlockTensor<const int32_t, 2> x,
                               fusec::BlockTensor<int32_t, 1> value,
                               fusec::BlockTensor<int64_t, 1> place) {
  __shared__ int32_t best[64];
  int64_t *const places = reinterpret_cast<int64_t *>(block.shared);
  const int mine = block.thread();
  best[mine] = INT32_MIN;
  places[mine] = x.extent(1);
  for (int64_t j = mine; j < x.extent(1); j += block.threads)
    if (x(block.index, j) > best[mine]) {
      best[mine] = x(block.index, j);
      places[mine] = j;
    }
  for (int half = block.threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (mine >= half)
      continue;
    const int other = mine + half;
    if (best[other] > best[mine] ||
        (best[other] == best[mine] && places[other] < places[mine])) {
      best[mine] = best[other];
      places[mine] = places[other];
    }
  }
  if (mine == 0) {
    value(block.index) = best[0];
    place(block.index) = places[0];
  }
}

/// Adds to y where it lies: each kind of parameter, through scratch memory.
template <class X, class Y, class Steps>
__device__ void parameters(const fusec::Block &block, X, Y y, bool doubled,
                           int64_t first, Steps steps, const char *mode) {
  const int64_t i = block.index * block.threads + block.thread();
  float *const scratch = reinterpret_cast<float *>(block.workspace);
  float sum = float(first);
  for (int step = 0; step < steps.size(); ++step)
    sum += float(steps[step]);
  if (mode[0] == 'n')
    sum = -sum;
  if (i < y.size()) {
    scratch[i] = doubled ? 2 * sum : sum;
    y.data[i] += scratch[i];
  }
}

/// Reads what another thread writes, without waiting for it.
template <class X, class Y>
__device__ void racy(const fusec::Block &block, X x, Y y) {
  __shared__ float tile[64];
  const int64_t i = block.thread();
  tile[i] = x(block.index, i);
  y(block.index, i) = tile[63 - i];
}

/// Writes a row too many.
template <class X, class Y>
__device__ void overrun(const fusec::Block &block, X x, Y y) {
  const int64_t i = block.thread();
  y(block.index + 1, i) = x(block.index, i);
}

/// Writes behind the memory of its block.
template <class X, class Y>
__device__ void behind(const fusec::Block &block, X x, Y y) {
  float *const tile = reinterpret_cast<float *>(block.shared);
  const int64_t i = block.thread();
  tile[i + 1] = x(block.index, i);
  block.sync();
  y(block.index, i) = tile[i];
}

} // namespace blocks
