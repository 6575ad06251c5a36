// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates by compare-and-swap. They may begin with a plain load, a guess, which
// nothing but the atomic may use.
#include <cuda_bf16.h>

using Word = unsigned long long;

/// As the programming guide has it; or what is loaded beside atomics is stored.
template <bool kRight> __global__ void sum(double *y, double *seen) {
  Word *address = reinterpret_cast<Word *>(y);
  if (kRight) {
    Word old = *address, assumed;
    do {
      assumed = old;
      old =
          atomicCAS(address, assumed,
                    __double_as_longlong(1.0 + __longlong_as_double(assumed)));
    } while (assumed != old);
    seen[blockIdx.x * blockDim.x + threadIdx.x] = __longlong_as_double(old);
  } else {
    seen[blockIdx.x * blockDim.x + threadIdx.x] = *y;
    atomicAdd(y, 1.0);
  }
}

/// The guess decides whether there is an atomic at all.
template <bool kRight> __global__ void first(int *y, int *winner) {
  const bool isFree = kRight ? *(volatile int *)y == 0 : *y == 0;
  if (isFree && atomicCAS(y, 0, 1) == 0)
    *winner = 7;
}

/// The guess is stored before the atomic compares it, or behind.
template <bool kRight> __global__ void before(int *y, int *seen) {
  int old = *y, assumed;
  if (!kRight)
    seen[threadIdx.x] = old;
  do {
    assumed = old;
    old = atomicCAS(y, assumed, assumed + 1);
  } while (assumed != old);
  if (kRight)
    seen[threadIdx.x] = old;
}

/// The atomic compares it with another word, which says nothing.
template <bool kRight> __global__ void other(int *y) {
  int old = y[0], assumed;
  do {
    assumed = old;
    old = atomicCAS(y + (kRight ? 0 : 1), assumed, assumed + 1);
  } while (assumed != old);
  if (!kRight)
    atomicAdd(y, 1);
}

/// A guess that is computed of before it is compared: what is written is of the
/// guess, and what is compared is not.
template <bool kRight> __global__ void rounded(int *y) {
  int old = *y, assumed;
  if (!kRight) {
    atomicCAS(y, old & ~1, old + 2);
    return;
  }
  do {
    assumed = old;
    old = atomicCAS(y, assumed, assumed + 2);
  } while (assumed != old);
}

/// A plain write beside the atomics.
template <bool kRight> __global__ void plain(int *y) {
  if (threadIdx.x == 40)
    *y = 5;
  if (kRight)
    __syncthreads();
  int old = *y, assumed;
  do {
    assumed = old;
    old = atomicCAS(y, assumed, assumed + 1);
  } while (assumed != old);
}

/// Each turn begins with a guess of its own; or it is compared with one of the
/// turn before.
template <bool kRight> __global__ void again(int *y) {
  int before = 0;
  for (bool isDone = false; !isDone;) {
    int old = *y;
    isDone = atomicCAS(y, old, (kRight ? old : before) + 1) == old;
    before = old;
  }
}

/// NVIDIA's own sum of pairs, by a loop of that kind on sm_80.
__global__ void pairs(__nv_bfloat162 *y) {
  atomicAdd(y, __floats2bfloat162_rn(1, 2));
}

/// The greatest of floats, in shared memory and of several words in turn.
__global__ void greatest(const float *x, float *y) {
  __shared__ int most[4];
  if (threadIdx.x < 4)
    most[threadIdx.x] = __float_as_int(-1e30f);
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    int old = most[i], assumed;
    do {
      assumed = old;
      old = atomicCAS(&most[i], assumed,
                      __float_as_int(fmaxf(x[threadIdx.x + 64 * i],
                                           __int_as_float(assumed))));
    } while (assumed != old);
  }
  __syncthreads();
  if (threadIdx.x < 4)
    y[threadIdx.x] = __int_as_float(most[threadIdx.x]);
}

#define BOTH(NAME, ...)                                                        \
  template __global__ void NAME<false>(__VA_ARGS__);                           \
  template __global__ void NAME<true>(__VA_ARGS__);
BOTH(sum, double *, double *)
BOTH(first, int *, int *)
BOTH(before, int *, int *)
BOTH(other, int *)
BOTH(rounded, int *)
BOTH(plain, int *)
BOTH(again, int *)
