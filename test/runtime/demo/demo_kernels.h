// Written by fusec from demo.onnx; this file may be used under any terms.
// The kernels of `demo`: one signature per group, one table per instruction
// set.
#ifndef DEMO_KERNELS_H
#define DEMO_KERNELS_H

#include "fusec/abi.h"
#include "fusec/element.h"

namespace demo {

// h[i, j] = max(sum_k x[i, k] * w[k, j] + b[j], 0)
using dense_relu_fn = void(const fusec_kernel_ctx *ctx,
                           const float *x, // f32[10, 20]
                           const float *w, // f32[20, 24]
                           const float *b, // f32[24]
                           float *h);      // f32[10, 24]

// y[i, j] = exp(h[i, j]) / sum_j exp(h[i, j])
using softmax_fn = void(const fusec_kernel_ctx *ctx,
                        const float *h, // f32[10, 24]
                        float *y);      // f32[10, 24]

} // namespace demo

extern "C" const fusec_variant_list *const demo_kernels_baseline[];
extern "C" const fusec_variant_list *const demo_kernels_avx2[];
extern "C" const fusec_variant_list *const demo_kernels_avx512[];

#endif
