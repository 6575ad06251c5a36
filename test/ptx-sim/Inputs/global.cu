// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planted bugs between blocks, each beside its right form: template argument true.
#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;

/// The last block sums what the others left.
template <bool kRight>
__global__ void last(const float *x, float *parts, unsigned *ticket, float *y) {
  __shared__ bool isLast;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = x[blockIdx.x];
    if (kRight)
      __threadfence();
    isLast = atomicAdd(ticket, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (isLast && threadIdx.x == 0) {
    float sum = 0;
    for (int i = 0; i < gridDim.x; ++i)
      sum += parts[i];
    *y = sum;
  }
}
/// All threads write, all fence, one tells.
template <bool kRight>
__global__ void lastAll(const float *x, float *parts, unsigned *ticket, float *y) {
  __shared__ bool isLast;
  int n = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  parts[i] = x[i];
  __threadfence();
  if (kRight)
    __syncthreads();
  if (threadIdx.x == 0)
    isLast = atomicAdd(ticket, 1) == gridDim.x - 1;
  __syncthreads();
  if (isLast && threadIdx.x == 0) {
    float sum = 0;
    for (int k = 0; k < n; ++k)
      sum += parts[k];
    *y = sum;
  }
}
/// Each block waits for the one before it.
template <bool kRight> __global__ void chain(int *flags, int *y) {
  if (threadIdx.x == 0) {
    int before = 0;
    if (blockIdx.x) {
      while (*(volatile int *)&flags[blockIdx.x - 1] == 0)
        ;
      if (kRight)
        __threadfence();
      before = y[blockIdx.x - 1];
    }
    y[blockIdx.x] = before + 1;
    __threadfence();
    *(volatile int *)&flags[blockIdx.x] = 1;
  }
}
template <bool kRight> __global__ void ordered(int *flag, int *data, int *y) {
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (threadIdx.x)
    return;
  if (blockIdx.x == 0) {
    *data = 7;
    f.store(1, kRight ? cuda::memory_order_release : cuda::memory_order_relaxed);
  } else {
    while (f.load(cuda::memory_order_acquire) == 0)
      ;
    *y = *data;
  }
}
template <bool kRight> __global__ void scope(int *n) {
  if (kRight)
    atomicAdd(n, 1);
  else
    atomicAdd_block(n, 1);
}
__global__ void grid_right(float *x, float *y) {
  auto grid = cg::this_grid();
  int i = grid.thread_rank(), n = grid.size();
  x[i] = i;
  grid.sync();
  y[i] = x[n - 1 - i];
}
__global__ void grid_wrong(float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  x[i] = i;
  __syncthreads();
  y[i] = x[n - 1 - i];
}
__global__ void add(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] += x[i];
}

#define BOTH(NAME, ...)                                                        \
  template __global__ void NAME<false>(__VA_ARGS__);                           \
  template __global__ void NAME<true>(__VA_ARGS__);
BOTH(last, const float *, float *, unsigned *, float *)
BOTH(lastAll, const float *, float *, unsigned *, float *)
BOTH(chain, int *, int *)
BOTH(ordered, int *, int *, int *)
BOTH(scope, int *)

// Wrong: a fence of the block, where another block reads.
template <bool Right> __global__ void fenced(int *flag, int *data, int *y) {
  if (threadIdx.x)
    return;
  if (blockIdx.x == 0) {
    *data = 7;
    if (Right)
      __threadfence();
    else
      __threadfence_block();
    *(volatile int *)flag = 1;
  } else {
    while (*(volatile int *)flag == 0)
      ;
    __threadfence();
    *y = *data;
  }
}
template __global__ void fenced<false>(int *, int *, int *);
template __global__ void fenced<true>(int *, int *, int *);
