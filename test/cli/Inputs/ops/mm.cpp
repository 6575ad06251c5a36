// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// As a user would write it, without a line more.
#include "fusec/op.h"
using namespace fusec::op;
static void shape_infer(const std::vector<Shape> &inputs, const Param &params, std::vector<Shape> &outputs) { outputs[0] = {inputs[0][0], inputs[1][1]}; }
static void compute(const std::vector<Tensor> &in, const Param &params, std::vector<Tensor> &out) {
  Shape a = in[0].shape(); float scale = params["scale"]; const float *x = in[0].data<float>(); float *y = out[0].data<float>();
  const float *w = in[1].data<float>(); int64_t n = in[1].shape()[1];
  for (int64_t i = 0; i < a[0]; ++i) for (int64_t j = 0; j < n; ++j) { float sum = 0; for (int64_t k = 0; k < a[1]; ++k) sum += x[i * a[1] + k] * w[k * n + j]; y[i * n + j] = scale * sum; } }
FUSEC_OP(MatMulScale).inputs(2).outputs(1).param("scale", 1.0f).shape(shape_infer).compute("cpu", compute);
