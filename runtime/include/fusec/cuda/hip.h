// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What emitted kernels call of CUDA, for AMD's GPUs of waves of 32 threads:
// clang compiles them with it, and with no header or library of HIP's.
//
//   clang++ -x hip --cuda-device-only -nogpulib -nogpuinc -std=c++17
//     --offload-arch=gfx1100 -include fusec/cuda/hip.h -I runtime/include
//     -S mlp_kernels.cu
//
// Functions of doubles that the processor has no instructions for (pow, sin,
// ...) are of a library, which is not there: a kernel that calls one is
// refused.
#ifndef FUSEC_CUDA_HIP_H
#define FUSEC_CUDA_HIP_H

#if !defined(__HIP__) || !defined(__HIP_DEVICE_COMPILE__)
#error "for clang -x hip --cuda-device-only"
#endif
#if !defined(__GFX10__) && !defined(__GFX11__) && !defined(__GFX12__)
#error "kernels are divided into warps of 32 threads, which this GPU has not"
#endif

#define __CUDACC__ 1
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(threads)                                             \
  __attribute__((amdgpu_flat_work_group_size(1, threads)))

struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};

namespace fusec {
namespace hip {

struct Block {
  __device__ operator unsigned() const {
    return __builtin_amdgcn_workgroup_id_x();
  }
};
struct Thread {
  __device__ operator unsigned() const {
    return __builtin_amdgcn_workitem_id_x();
  }
};
template <class Number> struct Index {
  Number x;
};

} // namespace hip
} // namespace fusec

static __device__ const fusec::hip::Index<fusec::hip::Block> blockIdx{};
static __device__ const fusec::hip::Index<fusec::hip::Thread> threadIdx{};

static __device__ __forceinline__ void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
static __device__ __forceinline__ void __syncwarp() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  __builtin_amdgcn_wave_barrier();
}

static __device__ __forceinline__ int __syncthreads_or(int condition) {
  __shared__ int any;
  __syncthreads();
  if (threadIdx.x == 0)
    any = 0;
  __syncthreads();
  if (condition)
    __atomic_store_n(&any, 1, __ATOMIC_RELAXED);
  __syncthreads();
  return any;
}
static __device__ __forceinline__ unsigned __ballot_sync(unsigned, bool vote) {
  return __builtin_amdgcn_ballot_w32(vote);
}
static __device__ __forceinline__ int __popc(unsigned bits) {
  return __builtin_popcount(bits);
}
static __device__ __forceinline__ int __clzll(long long bits) {
  return bits ? __builtin_clzll(bits) : 64;
}
static __device__ __forceinline__ unsigned long long
__umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(
      static_cast<unsigned __int128>(a) * b >> 64);
}
template <class T>
static __device__ __forceinline__ T atomicAdd(T *to, T value) {
  return __atomic_fetch_add(to, value, __ATOMIC_RELAXED);
}

static __device__ __forceinline__ float __int_as_float(int bits) {
  return __builtin_bit_cast(float, bits);
}

/// What lane `lane ^ distance` has; all come. In words of 32 bits.
template <class T>
static __device__ __forceinline__ T __shfl_xor_sync(unsigned, T value,
                                                    int distance) {
  constexpr int words = (sizeof(T) + 3) / 4;
  const int from =
      static_cast<int>(__builtin_amdgcn_workitem_id_x() % 32) ^ distance;
  int parts[words] = {};
  __builtin_memcpy(parts, &value, sizeof(T));
  for (int &part : parts)
    part = __builtin_amdgcn_ds_bpermute(4 * from, part);
  __builtin_memcpy(&value, parts, sizeof(T));
  return value;
}

static __device__ __forceinline__ void *memcpy(void *to, const void *from,
                                               unsigned long bytes) {
  return __builtin_memcpy(to, from, bytes);
}
#define FUSEC_HIP_LIBM(name)                                                   \
  static __device__ __forceinline__ double name(double x) {                    \
    return __builtin_##name(x);                                                \
  }                                                                            \
  static __device__ __forceinline__ float name##f(float x) {                   \
    return __builtin_##name##f(x);                                             \
  }
FUSEC_HIP_LIBM(ceil)
FUSEC_HIP_LIBM(fabs)
FUSEC_HIP_LIBM(floor)
FUSEC_HIP_LIBM(round)
FUSEC_HIP_LIBM(rint)
FUSEC_HIP_LIBM(sqrt)
FUSEC_HIP_LIBM(trunc)
#undef FUSEC_HIP_LIBM
static __device__ __forceinline__ float copysignf(float a, float b) {
  return __builtin_copysignf(a, b);
}
static __device__ __forceinline__ double copysign(double a, double b) {
  return __builtin_copysign(a, b);
}
static __device__ __forceinline__ float fmaf(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
static __device__ __forceinline__ double fma(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}
static __device__ __forceinline__ int __float2int_rn(float x) {
  return static_cast<int>(__builtin_rintf(x));
}
// Products of which no multiply-adds are made.
static __device__ __forceinline__ float __fmul_rn(float a, float b) {
  float product = a * b;
  asm("" : "+v"(product));
  return product;
}
static __device__ __forceinline__ double __dmul_rn(double a, double b) {
  double product = a * b;
  asm("" : "+v"(product));
  return product;
}
static __device__ __forceinline__ float fmodf(float a, float b) {
  return __builtin_fmodf(a, b);
}
static __device__ __forceinline__ double fmod(double a, double b) {
  return __builtin_fmod(a, b);
}

// Of doubles, in the library that is not there.
#define FUSEC_HIP_LACKS(name) __device__ double name(double x);
FUSEC_HIP_LACKS(acos)
FUSEC_HIP_LACKS(acosh)
FUSEC_HIP_LACKS(asin)
FUSEC_HIP_LACKS(asinh)
FUSEC_HIP_LACKS(atan)
FUSEC_HIP_LACKS(atanh)
FUSEC_HIP_LACKS(cbrt)
FUSEC_HIP_LACKS(cosh)
FUSEC_HIP_LACKS(cospi)
FUSEC_HIP_LACKS(erf)
FUSEC_HIP_LACKS(erfc)
FUSEC_HIP_LACKS(exp)
FUSEC_HIP_LACKS(exp2)
FUSEC_HIP_LACKS(expm1)
FUSEC_HIP_LACKS(log)
FUSEC_HIP_LACKS(log10)
FUSEC_HIP_LACKS(log1p)
FUSEC_HIP_LACKS(log2)
FUSEC_HIP_LACKS(sinh)
FUSEC_HIP_LACKS(sinpi)
FUSEC_HIP_LACKS(tanh)
#undef FUSEC_HIP_LACKS
__device__ double atan2(double y, double x);
__device__ double pow(double x, double y);

#endif
