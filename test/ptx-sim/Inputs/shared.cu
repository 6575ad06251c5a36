// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Planted bugs of one block, each beside its right form: template argument true.
#include <cuda_pipeline.h>

template <bool kRight> __global__ void tile(const float *x, float *y) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  if (kRight)
    __syncthreads();
  y[threadIdx.x] = s[63 - threadIdx.x];
}
template <bool kRight> __global__ void reuse(const float *x, float *y) {
  __shared__ float s[64];
  for (int i = 0; i < 3; ++i) {
    s[threadIdx.x] = x[threadIdx.x] + i;
    __syncthreads();
    y[i * 64 + threadIdx.x] = s[(threadIdx.x + 32) % 64];
    if (kRight)
      __syncthreads();
  }
}
template <bool kRight> __global__ void warp(const float *x, float *y) {
  __shared__ float s[32];
  s[threadIdx.x] = x[threadIdx.x];
  if (kRight)
    __syncwarp();
  y[threadIdx.x] = s[threadIdx.x ^ 1];
}
template <bool kRight> __global__ void outside(const float *x, float *y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (kRight ? i < n : i <= n)
    y[i] = x[i];
}
template <bool kRight> __global__ void uninit(float *y) {
  __shared__ float s[64];
  if (kRight || threadIdx.x != 5)
    s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = s[63 - threadIdx.x];
}
template <bool kRight> __global__ void fresh(float *y) {
  if (kRight)
    y[threadIdx.x] = 0;
  y[threadIdx.x] += 1;
}
template <bool kRight> __global__ void aligned(const float *x, float4 *y) {
  y[threadIdx.x] = *(const float4 *)(x + 4 * threadIdx.x + (kRight ? 0 : 1));
}
template <bool kRight> __global__ void divergent(float *y) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  if (kRight) {
    __syncthreads();
  } else if (threadIdx.x < 32) {
    __syncthreads();
    s[threadIdx.x] += 1;
  } else {
    s[threadIdx.x] += 2;
    asm volatile("bar.sync 1;");
  }
  y[threadIdx.x] = s[threadIdx.x];
}
// Threads that have exited do not count.
__global__ void early(float *y) {
  if (threadIdx.x >= 40)
    return;
  __syncthreads();
  y[threadIdx.x] = 1;
}
template <bool kRight> __global__ void shuffle(float *y) {
  float v = threadIdx.x;
  if (threadIdx.x < 16)
    v += __shfl_xor_sync(kRight ? 0xffffu : 0xffffffffu, v, 8);
  y[threadIdx.x] = v;
}
template <bool kRight> __global__ void member(float *y) {
  y[threadIdx.x] = __shfl_down_sync(kRight ? 0xffffffffu : 0x7fffffffu, threadIdx.x, 1);
}
template <bool kRight> __global__ void pipeline(const float4 *x, float4 *y) {
  __shared__ float4 s[2][64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&s[0][t], x + t, 16);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][t], x + 64 + t, 16);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  y[t] = s[0][t];
  __pipeline_wait_prior(kRight ? 0 : 1);
  __syncthreads();
  y[64 + t] = s[1][63 - t];
}
template <bool kRight> __global__ void histogram(const int *x, int *y) {
  __shared__ int bins[8];
  if (threadIdx.x < 8)
    bins[threadIdx.x] = 0;
  __syncthreads();
  if (kRight)
    atomicAdd(&bins[x[threadIdx.x] & 7], 1);
  else
    bins[x[threadIdx.x] & 7] += 1;
  __syncthreads();
  if (threadIdx.x < 8)
    y[threadIdx.x] = bins[threadIdx.x];
}
template <bool kRight> __global__ void atomics(int *y) {
  __shared__ int n;
  if (threadIdx.x == 0)
    n = 0;
  __syncthreads();
  atomicAdd(&n, 1);
  if (kRight)
    __syncthreads();
  y[threadIdx.x] = n;
}
template <bool kRight> __global__ void named(float *y) {
  __shared__ float s[32];
  if (threadIdx.x < 32) {
    s[threadIdx.x] = threadIdx.x;
    if (kRight)
      asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    if (kRight)
      asm volatile("bar.sync 1, 64;" ::: "memory");
    else
      asm volatile("bar.sync 1, 32;" ::: "memory");
    y[threadIdx.x - 32] = s[63 - threadIdx.x];
  }
}
template <bool kRight> __global__ void endless(volatile int *flag) {
  if (threadIdx.x == 0 && kRight)
    *flag = 1;
  while (*flag == 0)
    ;
}
// Bytes next to each other belong to different threads.
__global__ void bytes(unsigned char *y) {
  __shared__ unsigned char s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  y[threadIdx.x] = s[threadIdx.x] + 1;
}

// Compilers read an array by the widest access that its alignment allows, for
// nothing else lies behind its end; nobody may write there all the same, or read
// that alone.
template <bool Right> __global__ void flags(int *y) {
  __shared__ alignas(4) unsigned char s[3];
  if (threadIdx.x < (Right ? 3 : 4))
    s[threadIdx.x] = threadIdx.x + 1;
  __syncwarp();
  y[threadIdx.x] = *reinterpret_cast<const int *>(s) & 0xffffff;
}
template <bool Right> __global__ void behind(float *y) {
  __shared__ alignas(16) float s[3];
  if (threadIdx.x < 3)
    s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  y[threadIdx.x] = s[threadIdx.x % (Right ? 3 : 4)];
}
// Of these the compiler makes one access of four.
__global__ void three(float *y) {
  __shared__ alignas(16) float s[3];
  if (threadIdx.x < 3)
    s[threadIdx.x] = threadIdx.x + 1;
  __syncwarp();
  y[threadIdx.x] = s[0] + s[1] * s[2];
}
// Lanes that exit, whom a shuffle may not name: a vote may.
template <bool kRight> __global__ void gone(float *y) {
  if (threadIdx.x >= 16)
    return;
  y[threadIdx.x] = __shfl_xor_sync(kRight ? 0xffffu : 0xffffffffu, threadIdx.x, 8);
}
__global__ void vote(unsigned *y) {
  if (threadIdx.x >= 16)
    return;
  y[threadIdx.x] = __ballot_sync(0xffffffffu, threadIdx.x < 3);
}

#define BOTH(NAME, ...)                                                        \
  template __global__ void NAME<false>(__VA_ARGS__);                           \
  template __global__ void NAME<true>(__VA_ARGS__);
BOTH(tile, const float *, float *)
BOTH(reuse, const float *, float *)
BOTH(warp, const float *, float *)
BOTH(outside, const float *, float *, int)
BOTH(uninit, float *)
BOTH(fresh, float *)
BOTH(aligned, const float *, float4 *)
BOTH(divergent, float *)
BOTH(shuffle, float *)
BOTH(member, float *)
BOTH(pipeline, const float4 *, float4 *)
BOTH(histogram, const int *, int *)
BOTH(atomics, int *)
BOTH(named, float *)
BOTH(endless, volatile int *)
BOTH(flags, int *)
BOTH(behind, float *)
BOTH(gone, float *)
