// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Races that different remedies help against, each beside its right form:
// template argument true.

/// One writer is enough.
template <bool kRight> __global__ void same(int *y) {
  if (!kRight)
    y[0] = threadIdx.x;
  else if (threadIdx.x == 7)
    y[0] = threadIdx.x;
}
/// An atomic is missing, in a block and in a grid.
template <bool kRight> __global__ void update(int *y) {
  if (kRight)
    atomicAdd(y, 1);
  else
    y[0] += 1;
}
template <bool kRight> __global__ void grid(int *y) {
  if (kRight)
    atomicAdd(&y[threadIdx.x & 7], 1);
  else
    y[threadIdx.x & 7] += 1;
}
/// __syncwarp() is missing, though all add to what they write.
template <bool kRight> __global__ void fold(const int *x, int *y) {
  __shared__ int s[16];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int k = 8; k; k /= 2) {
    int other = s[(threadIdx.x + k) & 15];
    if (kRight)
      __syncwarp(0xffff);
    if (threadIdx.x < k)
      s[threadIdx.x] += other;
    if (kRight)
      __syncwarp(0xffff);
  }
  if (threadIdx.x == 0)
    y[0] = s[0];
}
/// __syncthreads() is missing in a loop that is unrolled.
template <bool kRight> __global__ void tree(const int *x, int *y) {
  __shared__ int s[256];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int k = 128; k; k /= 2) {
    if (threadIdx.x < k)
      s[threadIdx.x] += s[threadIdx.x + k];
    if (kRight)
      __syncthreads();
  }
  if (threadIdx.x == 0)
    y[0] = s[0];
}

#define BOTH(NAME, ...)                                                        \
  template __global__ void NAME<false>(__VA_ARGS__);                           \
  template __global__ void NAME<true>(__VA_ARGS__);
BOTH(same, int *)
BOTH(update, int *)
BOTH(grid, int *)
BOTH(fold, const int *, int *)
BOTH(tree, const int *, int *)
