// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One 16x16x16 product with ldmatrix and mma; the wrong form lacks the barrier before
// ldmatrix. C (16x16) = A (16x16, rows) B (16x16, rows).
#include <cuda_fp16.h>

template <bool kRight> __global__ void product(const __half *a, const __half *b, float *c) {
  __shared__ __align__(16) __half as[256], bs[256];
  int lane = threadIdx.x;
  for (int i = lane; i < 32; i += 32) {
    ((uint4 *)as)[i] = ((const uint4 *)a)[i];
    ((uint4 *)bs)[i] = ((const uint4 *)b)[i];
  }
  if (kRight)
    __syncwarp();
  unsigned fa[4], fb[4];
  unsigned pa = __cvta_generic_to_shared(as + (lane % 16) * 16 + lane / 16 * 8);
  unsigned pb = __cvta_generic_to_shared(bs + (lane % 16) * 16 + lane / 16 * 8);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3]) : "r"(pa) : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3]) : "r"(pb) : "memory");
  for (int n = 0; n < 2; ++n) {
    float d[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * n]),
                   "r"(fb[2 * n + 1]));
    for (int i = 0; i < 4; ++i)
      c[(lane / 4 + i / 2 * 8) * 16 + n * 8 + lane % 4 * 2 + i % 2] = d[i];
  }
}
template __global__ void product<false>(const __half *, const __half *, float *);
template __global__ void product<true>(const __half *, const __half *, float *);
