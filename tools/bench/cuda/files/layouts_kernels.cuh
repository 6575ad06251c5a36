// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How matrix instructions spread fragments over the registers of a warp. Each
// kernel is one warp; operands follow from lane and register, small integers
// that products are exact of; each lane writes eight registers.
#pragma once

namespace layouts {

__device__ inline unsigned pick(unsigned lane, unsigned number,
                                unsigned salt) {
  unsigned z = lane * 97 + number * 31 + salt * 1009 + 1;
  z ^= z << 13;
  z ^= z >> 17;
  z ^= z << 5;
  return z;
}
__device__ inline unsigned pack16(unsigned z, unsigned (*code)(int)) {
  return code(int(z % 7) - 3) | code(int(z / 7 % 7) - 3) << 16;
}
__device__ inline unsigned as_f32(int value) {
  return __float_as_uint(float(value));
}
__device__ inline unsigned as_bf16(int value) { return as_f32(value) >> 16; }
__device__ inline unsigned as_f16(int value) {
  unsigned short half;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(float(value)));
  return half;
}
__device__ inline unsigned f16_pair(unsigned z) { return pack16(z, as_f16); }
__device__ inline unsigned bf16_pair(unsigned z) { return pack16(z, as_bf16); }
__device__ inline unsigned tf32_one(unsigned z) {
  return as_f32(int(z % 15) - 7);
}
__device__ inline unsigned bytes(unsigned z) { return z & 0x07070707u; }

__device__ inline void store(unsigned *out, const unsigned (&d)[8]) {
  for (int i = 0; i < 8; ++i)
    out[threadIdx.x * 8 + i] = d[i];
}

} // namespace layouts

#define LAYOUTS_MMA(name, shape, a_regs, b_regs, element)                      \
  extern "C" __global__ void name(unsigned *out) {                             \
    unsigned a[4], b[2], d[8] = {};                                            \
    for (unsigned i = 0; i < 4; ++i)                                           \
      a[i] = layouts::element(layouts::pick(threadIdx.x, i, 1));               \
    for (unsigned i = 0; i < 2; ++i)                                           \
      b[i] = layouts::element(layouts::pick(threadIdx.x, i, 2));               \
    LAYOUTS_MMA_##a_regs##_##b_regs(shape);                                    \
    layouts::store(out, d);                                                    \
  }
#define LAYOUTS_ACCUMULATORS                                                   \
  "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define LAYOUTS_MMA_4_2(shape)                                                 \
  asm("mma.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "   \
      "%9}, {%0, %1, %2, %3};"                                                 \
      : LAYOUTS_ACCUMULATORS                                                   \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
#define LAYOUTS_MMA_2_1(shape)                                                 \
  asm("mma.sync.aligned." shape " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, " \
      "%2, %3};"                                                               \
      : LAYOUTS_ACCUMULATORS                                                   \
      : "r"(a[0]), "r"(a[1]), "r"(b[0]))

LAYOUTS_MMA(f16_m16n8k8, "m16n8k8.row.col.f32.f16.f16.f32", 2, 1, f16_pair)
LAYOUTS_MMA(f16_m16n8k16, "m16n8k16.row.col.f32.f16.f16.f32", 4, 2, f16_pair)
LAYOUTS_MMA(bf16_m16n8k8, "m16n8k8.row.col.f32.bf16.bf16.f32", 2, 1, bf16_pair)
LAYOUTS_MMA(bf16_m16n8k16, "m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2,
            bf16_pair)
LAYOUTS_MMA(tf32_m16n8k4, "m16n8k4.row.col.f32.tf32.tf32.f32", 2, 1, tf32_one)
LAYOUTS_MMA(tf32_m16n8k8, "m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, tf32_one)
LAYOUTS_MMA(s8_m16n8k16, "m16n8k16.row.col.s32.s8.s8.s32", 2, 1, bytes)
LAYOUTS_MMA(s8_m16n8k32, "m16n8k32.row.col.s32.s8.s8.s32", 4, 2, bytes)

#define LAYOUTS_LDMATRIX(name, form, registers)                                \
  extern "C" __global__ void name(unsigned *out) {                             \
    __shared__ __align__(16) unsigned matrix[128];                             \
    for (unsigned i = 0; i < 4; ++i)                                           \
      matrix[threadIdx.x * 4 + i] = layouts::pick(threadIdx.x, i, 3);          \
    __syncthreads();                                                           \
    unsigned d[8] = {};                                                        \
    const unsigned row = static_cast<unsigned>(                                \
        __cvta_generic_to_shared(matrix + threadIdx.x * 4));                   \
    LAYOUTS_LDMATRIX_##registers(form);                                        \
    layouts::store(out, d);                                                    \
  }
#define LAYOUTS_LDMATRIX_1(form)                                               \
  asm("ldmatrix.sync.aligned." form ".shared.b16 {%0}, [%1];"                  \
      : "=r"(d[0])                                                             \
      : "r"(row))
#define LAYOUTS_LDMATRIX_2(form)                                               \
  asm("ldmatrix.sync.aligned." form ".shared.b16 {%0, %1}, [%2];"              \
      : "=r"(d[0]), "=r"(d[1])                                                 \
      : "r"(row))
#define LAYOUTS_LDMATRIX_4(form)                                               \
  asm("ldmatrix.sync.aligned." form ".shared.b16 {%0, %1, %2, %3}, [%4];"      \
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                         \
      : "r"(row))

LAYOUTS_LDMATRIX(ldmatrix_x1, "m8n8.x1", 1)
LAYOUTS_LDMATRIX(ldmatrix_x2, "m8n8.x2", 2)
LAYOUTS_LDMATRIX(ldmatrix_x4, "m8n8.x4", 4)
LAYOUTS_LDMATRIX(ldmatrix_x1_trans, "m8n8.x1.trans", 1)
LAYOUTS_LDMATRIX(ldmatrix_x2_trans, "m8n8.x2.trans", 2)
LAYOUTS_LDMATRIX(ldmatrix_x4_trans, "m8n8.x4.trans", 4)
