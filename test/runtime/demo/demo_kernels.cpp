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
                      const float *FUSEC_RESTRICT x_data,
                      const float *FUSEC_RESTRICT w_data,
                      const float *FUSEC_RESTRICT b_data,
                      float *FUSEC_RESTRICT h_data) {
  const View<const float, 10, 20> x{x_data};
  const View<const float, 20, 24> w{w_data};
  const View<const float, 24> b{b_data};
  const View<float, 10, 24> h{h_data};
  parallel_for(ctx, 5, 5, [=](int64_t begin, int64_t end) {
    for (int64_t it = begin; it < end; ++it) {
      for (int64_t j = 0; j < 24; j += 16) {
        const mask16 in_row = mask_lt(j, 24);
        f32x16 acc[2];
        FUSEC_UNROLL for (Unrolled i = 0; i < 2; ++i) acc[i] =
            load<f32x16>(&b(j), in_row);
        for (int64_t k = 0; k < 20; ++k) {
          const f32x16 w_kj = load<f32x16>(&w(k, j), in_row);
          FUSEC_UNROLL for (Unrolled i = 0; i < 2; ++i) acc[i] =
              fma(x(it * 2 + i, k), w_kj, acc[i]);
        }
        FUSEC_UNROLL for (Unrolled i = 0; i < 2; ++i)
            store(&h(it * 2 + i, j), max(acc[i], 0.0f), in_row);
      }
    }
  });
}

// softmax: y = softmax(h) along j
// Nodes: softmax (Softmax).
// Schedule: rows in parallel; three passes over a row, 16 lanes along j.
void softmax_v16(const fusec_kernel_ctx *ctx,
                 const float *FUSEC_RESTRICT h_data,
                 float *FUSEC_RESTRICT y_data) {
  const View<const float, 10, 24> h{h_data};
  const View<float, 10, 24> y{y_data};
  parallel_for(ctx, 10, 10, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      f32x16 row_max = -FUSEC_INF;
      for (int64_t j = 0; j < 24; j += 16)
        row_max =
            max(row_max, load<f32x16>(&h(i, j), mask_lt(j, 24), -FUSEC_INF));
      const float m = reduce_max(row_max);
      f32x16 row_sum = 0.0f;
      for (int64_t j = 0; j < 24; j += 16) {
        const mask16 in_row = mask_lt(j, 24);
        const f32x16 e = exp(load<f32x16>(&h(i, j), in_row) - m);
        row_sum = select(in_row, row_sum + e, row_sum);
        store(&y(i, j), e, in_row);
      }
      const float scale = 1.0f / reduce_add(row_sum);
      for (int64_t j = 0; j < 24; j += 16) {
        const mask16 in_row = mask_lt(j, 24);
        store(&y(i, j), load<f32x16>(&y(i, j), in_row) * scale, in_row);
      }
    }
  });
}

} // namespace
} // namespace fusec::demo

#include "demo_kernels_naive.h"

namespace fusec::demo {
namespace {

const fusec_variant_desc dense_relu_variants[] = {
    {/*name=*/"default", /*config=*/nullptr, /*launches=*/nullptr,
     /*kernel=*/FUSEC_KERNEL(::demo::dense_relu_fn, dense_relu_t2x16),
     /*pack=*/nullptr, /*pack_bytes=*/0, /*workspace_bytes=*/0,
     /*hash=*/0x6465666175740001u, /*num_launches=*/0,
     /*attributes=*/FUSEC_VARIANT_REPRODUCIBLE},
    {/*name=*/"naive", /*config=*/nullptr, /*launches=*/nullptr,
     /*kernel=*/FUSEC_KERNEL(::demo::dense_relu_fn, dense_relu_naive),
     /*pack=*/nullptr, /*pack_bytes=*/0, /*workspace_bytes=*/0,
     /*hash=*/0x6e61697665000001u, /*num_launches=*/0,
     /*attributes=*/FUSEC_VARIANT_NAIVE | FUSEC_VARIANT_REPRODUCIBLE},
};
const fusec_variant_list dense_relu_list =
    FUSEC_VARIANT_LIST(dense_relu_variants);

const fusec_variant_desc softmax_variants[] = {
    {/*name=*/"default", /*config=*/nullptr, /*launches=*/nullptr,
     /*kernel=*/FUSEC_KERNEL(::demo::softmax_fn, softmax_v16),
     /*pack=*/nullptr, /*pack_bytes=*/0, /*workspace_bytes=*/0,
     /*hash=*/0x6465666175740002u, /*num_launches=*/0,
     /*attributes=*/FUSEC_VARIANT_REPRODUCIBLE},
    {/*name=*/"naive", /*config=*/nullptr, /*launches=*/nullptr,
     /*kernel=*/FUSEC_KERNEL(::demo::softmax_fn, softmax_naive),
     /*pack=*/nullptr, /*pack_bytes=*/0, /*workspace_bytes=*/0,
     /*hash=*/0x6e61697665000002u, /*num_launches=*/0,
     /*attributes=*/FUSEC_VARIANT_NAIVE | FUSEC_VARIANT_REPRODUCIBLE},
};
const fusec_variant_list softmax_list = FUSEC_VARIANT_LIST(softmax_variants);

} // namespace
} // namespace fusec::demo

extern "C" const fusec_variant_list *const FUSEC_KERNEL_TABLE(demo)[] = {
    &fusec::demo::dense_relu_list,
    &fusec::demo::softmax_list,
};
