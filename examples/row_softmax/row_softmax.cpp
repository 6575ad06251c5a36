// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An operator of one's own with a function for blocks of a GPU's threads, which
// row_softmax.cuh has.
#include "fusec/op.h"

#include <algorithm>
#include <cmath>

using namespace fusec::op;

// The form for CPUs, which the simulator's results are compared with.
static void compute(const std::vector<Tensor> &in, const Param &params,
                    std::vector<Tensor> &out, const Context &context) {
  const Shape shape = in[0].shape();
  const int64_t columns = shape[1];
  const float scale = params["scale"], *x = in[0].data<float>();
  float *y = out[0].data<float>();
  context.parallelFor(shape[0], /*grain=*/8, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin * columns; i < end * columns; i += columns) {
      float most = -INFINITY, sum = 0;
      for (int64_t j = 0; j < columns; ++j)
        most = std::max(most, scale * x[i + j]);
      for (int64_t j = 0; j < columns; ++j)
        sum += y[i + j] = std::exp(scale * x[i + j] - most);
      for (int64_t j = 0; j < columns; ++j)
        y[i + j] /= sum;
    }
  });
}

// A block a row. Asked when a model is compiled: tensors have no data then.
static int64_t countRows(const std::vector<Tensor> &in, const Param &,
                         const std::vector<Tensor> &) {
  return in[0].shape()[0];
}

FUSEC_OP(RowSoftmax)
    .domain("acme")
    .inputs({Operand("x").types({"float32"}).rank(2)})
    .outputs({"y"})
    .param("scale", 1.0)
    .compute("cpu", compute)
    .block("row_softmax.cuh", "acme::row_softmax",
           Grid().blocks(countRows).threads(128));
