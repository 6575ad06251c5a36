// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inner loops whose assembly check.py reads: values must stay in registers.
#include "fusec/kernel/kernel.h"

namespace fusec {

// The register block of a GEMM: 16 of 32 registers on AVX-512, 12 of 16 on
// AVX2.
#if FUSEC_AVX512
constexpr int64_t rows = 8, columns = 2;
#else
constexpr int64_t rows = 6, columns = 1;
#endif

extern "C" void accumulate(const float *FUSEC_RESTRICT x,
                           const float *FUSEC_RESTRICT w,
                           float *FUSEC_RESTRICT y, int64_t count) {
  f32x16 acc[rows][columns];
  FUSEC_UNROLL for (int64_t i = 0; i < rows; ++i) {
    FUSEC_UNROLL for (int64_t j = 0; j < columns; ++j) acc[i][j] = 0.0f;
  }
  for (int64_t k = 0; k < count; ++k) {
    f32x16 w_k[columns];
    FUSEC_UNROLL for (int64_t j = 0; j < columns; ++j) w_k[j] =
        load<f32x16>(w + (k * columns + j) * 16);
    FUSEC_UNROLL for (int64_t i = 0; i < rows; ++i) {
      const float x_ik = load(x + i * 512 + k);
      FUSEC_UNROLL for (int64_t j = 0; j < columns; ++j) acc[i][j] =
          fma(x_ik, w_k[j], acc[i][j]);
    }
  }
  FUSEC_UNROLL for (int64_t i = 0; i < rows; ++i) {
    FUSEC_UNROLL for (int64_t j = 0; j < columns; ++j)
        store(y + i * 1024 + j * 16, max(acc[i][j], 0.0f));
  }
}

extern "C" void exponential(const float *FUSEC_RESTRICT x,
                            float *FUSEC_RESTRICT y, int64_t count) {
  for (int64_t i = 0; i < count; i += 16)
    store(y + i, exp(load<f32x16>(x + i)));
}

/// Rows of eight, half of a vector: whose lanes are set is known.
extern "C" void half(const float *FUSEC_RESTRICT x, float *FUSEC_RESTRICT y,
                     int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const mask16 in_range = mask_lt(0, 8);
    store(y + i * 8, max(load<f32x16>(x + i * 8, in_range), 0.0f), in_range);
  }
}

/// Four lanes of a stride, which meet in a register.
extern "C" void strided(const float *FUSEC_RESTRICT x, float *FUSEC_RESTRICT y,
                        int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    store(y + i * 16, load_strided<f32x16>(x + i * 32, 2, mask_lt(0, 4)));
}

} // namespace fusec
