// Emitted by fusec. This file may be used under any terms.
// The kernels of `dense`: one signature per group, one table per instruction
// set.
#ifndef DENSE_KERNELS_H
#define DENSE_KERNELS_H

#include "fusec/abi.h"
#include "fusec/element.h"

namespace dense {

using dense_relu_fn = void(const fusec_kernel_ctx *ctx,
                           const float *x, // f32[6, 4]
                           const float *w, // f32[4, 4]
                           const float *b, // f32[4]
                           float *h);      // f32[6, 4]

using softmax_fn = void(const fusec_kernel_ctx *ctx,
                        const float *h, // f32[6, 4]
                        float *y);      // f32[6, 4]

} // namespace dense

extern "C" const fusec_variant_list *const dense_kernels_baseline[];
extern "C" const fusec_variant_list *const dense_kernels_avx2[];
extern "C" const fusec_variant_list *const dense_kernels_avx512[];

#endif
