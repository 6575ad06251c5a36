// Written by fusec from demo.onnx; this file may be used under any terms.
// The kernels of `demo`. Compiled once per instruction set (FUSEC_ISA names
// it); only the table at the end is visible outside of the object.
#include "demo_kernels.h"

#include "fusec/kernel/kernel.h"

namespace fusec::demo {
namespace {

// dense_relu: h = relu(x * w + b)
// Nodes: dense (Gemm), relu (Relu).
// Schedule: tiles of 2 x 16 over (i, j), i in parallel; k innermost, the tile
// stays in registers.
void dense_relu_t2x16(const fusec_kernel_ctx *ctx,
                      const float *FUSEC_RESTRICT x,
                      const float *FUSEC_RESTRICT w,
                      const float *FUSEC_RESTRICT b, float *FUSEC_RESTRICT h) {
  parallel_for(ctx, 5, 5, [=](int64_t begin, int64_t end) {
    for (int64_t it = begin; it < end; ++it) {
      for (int64_t j = 0; j < 24; j += 16) {
        const mask16 in_row = mask_lt(j, 24);
        f32x16 acc[2];
        FUSEC_UNROLL for (int64_t i = 0; i < 2; ++i) acc[i] =
            load<f32x16>(b + j, in_row);
        for (int64_t k = 0; k < 20; ++k) {
          const f32x16 w_kj = load<f32x16>(w + k * 24 + j, in_row);
          FUSEC_UNROLL for (int64_t i = 0; i < 2; ++i) acc[i] =
              fma(load(x + (it * 2 + i) * 20 + k), w_kj, acc[i]);
        }
        FUSEC_UNROLL for (int64_t i = 0; i < 2; ++i)
            store(h + (it * 2 + i) * 24 + j, max(acc[i], 0.0f), in_row);
      }
    }
  });
}

// dense_relu, as written: plain loops.
void dense_relu_naive(const fusec_kernel_ctx *, const float *x, const float *w,
                      const float *b, float *h) {
  for (int64_t i = 0; i < 10; ++i) {
    for (int64_t j = 0; j < 24; ++j) {
      float acc = load(b + j);
      for (int64_t k = 0; k < 20; ++k)
        acc = fma(load(x + i * 20 + k), load(w + k * 24 + j), acc);
      store(h + i * 24 + j, max(acc, 0.0f));
    }
  }
}

// softmax: y = softmax(h) along j
// Nodes: softmax (Softmax).
// Schedule: rows in parallel; three passes over a row, 16 lanes along j.
void softmax_v16(const fusec_kernel_ctx *ctx, const float *FUSEC_RESTRICT h,
                 float *FUSEC_RESTRICT y) {
  parallel_for(ctx, 10, 10, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      f32x16 row_max = -FUSEC_INF;
      for (int64_t j = 0; j < 24; j += 16)
        row_max = max(row_max,
                      load<f32x16>(h + i * 24 + j, mask_lt(j, 24), -FUSEC_INF));
      const float m = reduce_max(row_max);
      f32x16 row_sum = 0.0f;
      for (int64_t j = 0; j < 24; j += 16) {
        const mask16 in_row = mask_lt(j, 24);
        const f32x16 e = exp(load<f32x16>(h + i * 24 + j, in_row) - m);
        row_sum = select(in_row, row_sum + e, row_sum);
        store(y + i * 24 + j, e, in_row);
      }
      const float scale = 1.0f / reduce_add(row_sum);
      for (int64_t j = 0; j < 24; j += 16) {
        const mask16 in_row = mask_lt(j, 24);
        store(y + i * 24 + j, load<f32x16>(y + i * 24 + j, in_row) * scale,
              in_row);
      }
    }
  });
}

// softmax, as written: plain loops.
void softmax_naive(const fusec_kernel_ctx *, const float *h, float *y) {
  for (int64_t i = 0; i < 10; ++i) {
    float m = -FUSEC_INF;
    for (int64_t j = 0; j < 24; ++j)
      m = max(m, load(h + i * 24 + j));
    float sum = 0.0f;
    for (int64_t j = 0; j < 24; ++j) {
      const float e = exp(load(h + i * 24 + j) - m);
      sum = sum + e;
      store(y + i * 24 + j, e);
    }
    for (int64_t j = 0; j < 24; ++j)
      store(y + i * 24 + j, load(y + i * 24 + j) / sum);
  }
}

} // namespace
} // namespace fusec::demo

extern "C" const fusec_kernel_fn FUSEC_KERNEL_TABLE(demo)[demo::num_kernels] = {
    FUSEC_KERNEL(demo::dense_relu_fn, fusec::demo::dense_relu_t2x16),
    FUSEC_KERNEL(demo::dense_relu_fn, fusec::demo::dense_relu_naive),
    FUSEC_KERNEL(demo::softmax_fn, fusec::demo::softmax_v16),
    FUSEC_KERNEL(demo::softmax_fn, fusec::demo::softmax_naive),
};
