// Emitted by fusec. This file may be used under any terms.
// The kernels of `dense`. Compiled once per instruction set (FUSEC_ISA names
// it); only the table at the end is visible outside of the object.
#include "dense_kernels.h"

#include "fusec/kernel/kernel.h"

namespace fusec::dense {
namespace {

// dense_relu: reads x, w, b; writes h.
// Nodes: dense, relu */ "quoted".
// Schedule: tile = [2, 16], vector = 16; proposed by isl.
void dense_relu_default(const fusec_kernel_ctx *ctx,
                        const float *FUSEC_RESTRICT x_data,
                        const float *FUSEC_RESTRICT w_data,
                        const float *FUSEC_RESTRICT b_data,
                        float *FUSEC_RESTRICT h_data) {
  const View<const float, 6, 4> x{x_data};
  const View<const float, 4, 4> w{w_data};
  const View<const float, 4> b{b_data};
  const View<float, 6, 4> h{h_data};
  parallel_for(ctx, 3, 2, [=](int64_t begin, int64_t end) {
    for (int64_t it = begin; it < end; ++it) {
      const mask16 in_range = mask_lt(0, 4);
      f32x16 acc[2];
      const f32x16 bias = load<f32x16>(&b(0), in_range);
      FUSEC_UNROLL for (Unrolled i = 0; i < 2; ++i)
        acc[i] = bias;
      FUSEC_ROLL for (int64_t k = 0; k < 4; ++k) {
        const f32x16 w_kj = load<f32x16>(&w(k, 0), in_range);
        FUSEC_UNROLL for (Unrolled i = 0; i < 2; ++i)
          acc[i] = fma(x(it * 2 + i, k), w_kj, acc[i]);
      }
      FUSEC_UNROLL for (Unrolled i = 0; i < 2; ++i)
        store(&h(it * 2 + i, 0), max(acc[i], 0.0f), in_range);
    }
  });
}

// softmax: reads h; writes y.
// Nodes: softmax.
// Schedule: vector = 16; proposed by isl.
void softmax_default(const fusec_kernel_ctx *ctx,
                     const float *FUSEC_RESTRICT h_data,
                     float *FUSEC_RESTRICT y_data) {
  const View<const float, 6, 4> h{h_data};
  const View<float, 6, 4> y{y_data};
  const View<float, 6> scratch{workspace<float>(ctx, 0)};
  parallel_for(ctx, 6, 18, [=](int64_t begin, int64_t end) {
    for (int64_t iteration = begin; iteration < end; ++iteration) {
      const int64_t a = iteration / 3;
      const int64_t c = iteration % 3;
      const int64_t at = a * 3 + c;
      float peak = -FUSEC_INF;
      for (int64_t j = 0; j < 4; ++j)
        peak = max(peak, h(at, j));
      float sum = 0.0f;
      const float top = peak;
      for (int64_t j = 0; j < 4; ++j) {
        const float e = exp(h(at, j) - top);
        y(at, j) = e;
        sum = sum + e;
      }
      scratch(at) = 1.0f / sum;
      for (int64_t j = 0; j < 4; ++j)
        y(at, j) = y(at, j) * scratch(at);
    }
  });
}

} // namespace
} // namespace fusec::dense

#include "dense_kernels_naive.h"

namespace fusec::dense {
namespace {

const fusec_variant_desc dense_relu_variants[] = {
    {/*name=*/"default", /*config=*/nullptr, /*launches=*/nullptr,
     /*kernel=*/FUSEC_KERNEL(::dense::dense_relu_fn, dense_relu_default),
     /*pack=*/nullptr, /*pack_bytes=*/0, /*workspace_bytes=*/0,
     /*hash=*/0x0123456789abcdefu, /*num_launches=*/0,
     /*attributes=*/FUSEC_VARIANT_REPRODUCIBLE},
    {/*name=*/"naive", /*config=*/nullptr, /*launches=*/nullptr,
     /*kernel=*/FUSEC_KERNEL(::dense::dense_relu_fn, dense_relu_naive),
     /*pack=*/nullptr, /*pack_bytes=*/0, /*workspace_bytes=*/0, /*hash=*/0,
     /*num_launches=*/0,
     /*attributes=*/FUSEC_VARIANT_NAIVE | FUSEC_VARIANT_REPRODUCIBLE},
};
const fusec_variant_list dense_relu_list =
    FUSEC_VARIANT_LIST(dense_relu_variants);

const fusec_variant_desc softmax_variants[] = {
    {/*name=*/"default", /*config=*/nullptr, /*launches=*/nullptr,
     /*kernel=*/FUSEC_KERNEL(::dense::softmax_fn, softmax_default),
     /*pack=*/nullptr, /*pack_bytes=*/0, /*workspace_bytes=*/64, /*hash=*/0,
     /*num_launches=*/0, /*attributes=*/FUSEC_VARIANT_REPRODUCIBLE},
};
const fusec_variant_list softmax_list = FUSEC_VARIANT_LIST(softmax_variants);

} // namespace
} // namespace fusec::dense

extern "C" const fusec_variant_list *const FUSEC_KERNEL_TABLE(dense)[] = {
    &fusec::dense::dense_relu_list,
    &fusec::dense::softmax_list,
};
