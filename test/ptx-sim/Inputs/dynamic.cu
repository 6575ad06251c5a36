// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planted bugs in shared memory of which the launch says how much there is: each
// kernel with and without one.

extern __shared__ float values[];

template <bool Right> __global__ void tile(const float *x, float *y) {
  const unsigned first = blockIdx.x * 64;
  values[threadIdx.x] = x[first + threadIdx.x];
  if (Right)
    __syncthreads();
  y[first + threadIdx.x] = values[63 - threadIdx.x];
}
// Beside a static array, behind which it begins.
template <bool Right> __global__ void beside(const float *x, float *y) {
  __shared__ float next[64];
  values[threadIdx.x] = x[threadIdx.x];
  next[(threadIdx.x + 63) % 64] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = values[Right ? threadIdx.x : threadIdx.x + 1] +
                   next[threadIdx.x];
}
// Two arrays in one; the second is nobody's where it is wrong.
template <bool Right> __global__ void carved(float *y) {
  int *const counts = reinterpret_cast<int *>(values + 64);
  values[threadIdx.x] = threadIdx.x;
  if (Right)
    counts[threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[63 - threadIdx.x] = values[63 - threadIdx.x] + counts[63 - threadIdx.x];
}
__device__ __noinline__ void count(int *counter) { atomicAdd(counter, 1); }
// By a generic address.
template <bool Right> __global__ void generic(int *y) {
  int *const counter = reinterpret_cast<int *>(values);
  if (threadIdx.x == 0)
    *counter = 0;
  __syncthreads();
  count(counter);
  if (Right)
    __syncthreads();
  y[threadIdx.x] = *counter;
}
__global__ void bytes_given(unsigned *y) {
  __shared__ unsigned counts[32];
  counts[threadIdx.x] = threadIdx.x;
  __syncwarp();
  unsigned dynamic, total;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic));
  asm("mov.u32 %0, %%total_smem_size;" : "=r"(total));
  values[threadIdx.x % 24] = 0;
  if (threadIdx.x == counts[0]) {
    y[0] = dynamic;
    y[1] = total;
  }
}

#define BOTH(NAME, ...)                                                        \
  template __global__ void NAME<false>(__VA_ARGS__);                           \
  template __global__ void NAME<true>(__VA_ARGS__);
BOTH(tile, const float *, float *)
BOTH(beside, const float *, float *)
BOTH(carved, float *)
BOTH(generic, int *)
