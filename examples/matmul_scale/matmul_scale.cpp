// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator of one's own: scale * (a x b), which the compiler knows nothing of.
#include "fusec/op.h"
using namespace fusec::op;

static void shape_infer(const std::vector<Shape> &inputs, const Param &,
                        std::vector<Shape> &outputs) {
  if (inputs[0][1] != inputs[1][0])
    throw std::invalid_argument("multiplies " + inputs[0].text() + " by " +
                                inputs[1].text());
  outputs[0] = {inputs[0][0], inputs[1][1]};
}

// The rows are computed on the threads of whoever runs the model.
static void compute(const std::vector<Tensor> &in, const Param &params,
                    std::vector<Tensor> &out, const Context &context) {
  const Shape a = in[0].shape();
  const int64_t depth = a[1], columns = in[1].shape()[1];
  const float scale = params["scale"];
  const float *x = in[0].data<float>(), *w = in[1].data<float>();
  float *y = out[0].data<float>();
  context.parallelFor(a[0], /*grain=*/8, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        float sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum += x[i * depth + k] * w[k * columns + j];
        y[i * columns + j] = scale * sum;
      }
  });
}

FUSEC_OP(MatMulScale)
    .inputs({Operand("a").types({"float32"}).rank(2),
             Operand("b").types({"float32"}).rank(2)})
    .outputs({"y"})
    .param("scale", 1.0f)
    .shape(shape_infer)
    .compute("cpu", compute);
