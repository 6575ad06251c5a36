// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The macros of the vocabulary for nvcc and NVRTC, which get its scalar forms,
// for the device: threads take the place of lanes.
#ifndef FUSEC_CUDA_CONFIG_H
#define FUSEC_CUDA_CONFIG_H

#define FUSEC_LANES 0
#define FUSEC_AVX512 0
#define FUSEC_AVX2 0
#define FUSEC_ISA cuda
#define FUSEC_ISA_NS FUSEC_ISA

// A comparison of what a model asks may have one answer.
#pragma nv_diag_suppress 186

#define FUSEC_INLINE __device__ __forceinline__
#define FUSEC_OUT_OF_LINE static __device__ __noinline__
#define FUSEC_TABLE __device__ constexpr
#define FUSEC_RESTRICT __restrict__
#define FUSEC_UNROLL _Pragma("unroll")
#define FUSEC_PRAGMA(text) _Pragma(#text)
#define FUSEC_UNROLL_BY(n) FUSEC_PRAGMA(unroll n)
#define FUSEC_ROLL _Pragma("unroll 1")
// Multiply-adds round once.
#define FUSEC_FUSED 1
#define FUSEC_LIBM(name) ::name
#define FUSEC_INF __int_as_float(0x7f800000)
#define FUSEC_NAN __int_as_float(0x7fc00000)

#endif
