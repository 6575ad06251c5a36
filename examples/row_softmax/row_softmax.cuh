// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a block of a GPU's threads does: one row. The compiler puts the call into
// a kernel of the model, and launches as many blocks as row_softmax.cpp says.
#pragma once
#include "fusec/op_block.h"

namespace acme {

/// exp(scale * x - m) of the row, divided by the sum of these. X and Y are
/// tensors whose extents are constants; x(i, j) is an element.
template <class X, class Y>
__device__ void row_softmax(const fusec::Block &block, X x, Y y, float scale) {
  constexpr int64_t columns = X::extent(1);
  __shared__ float partial[128]; // of each thread, which the others read
  const int me = block.thread();
  const int64_t row = block.index;

  float most = -INFINITY;
  for (int64_t j = me; j < columns; j += block.threads)
    most = fmaxf(most, scale * x(row, j));
  partial[me] = most;
  for (int half = block.threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (me < half)
      partial[me] = fmaxf(partial[me], partial[me + half]);
  }
  __syncthreads();
  most = partial[0];
  __syncthreads(); // before anybody writes there again

  float sum = 0;
  for (int64_t j = me; j < columns; j += block.threads)
    sum += expf(scale * x(row, j) - most);
  partial[me] = sum;
  for (int half = block.threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (me < half)
      partial[me] += partial[me + half];
  }
  __syncthreads();
  sum = partial[0];

  for (int64_t j = me; j < columns; j += block.threads)
    y(row, j) = expf(scale * x(row, j) - most) / sum;
}

} // namespace acme
