// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that take 8-bit values with their scales and zero points.
#include "fusec/op.h"

using namespace fusec::op;
using Shapes = std::vector<Shape>;

static int64_t readCode(const Tensor &x, int64_t at) {
  return x.dtype() == "int8" ? x.data<int8_t>()[at] : x.data<uint8_t>()[at];
}

/// x @ w + b in f32, of quantised x (one scale) and w (one scale a column).
FUSEC_OP(QuantizedProduct)
    .inputs({Operand("x").types({"uint8", "int8"}).rank(2).quantized(),
             Operand("w").types({"int8"}).rank(2).quantized(), "b"})
    .outputs(1)
    .shape([](const Shapes &in, const Param &, Shapes &out) {
      out[0] = {in[0][0], in[1][1]};
    })
    .dtype([](const std::vector<DType> &, const Param &,
              std::vector<DType> &out) { out[0] = "float32"; })
    .supports([](const std::vector<Tensor> &in, const Param &, Device) {
      // What they stand for is known at compile time.
      return in[0].scales().size() == 1 && in[2].scales().empty();
    })
    .compute("cpu", [](const std::vector<Tensor> &in, const Param &,
                       std::vector<Tensor> &out) {
      const Tensor &x = in[0], &w = in[1];
      const int64_t rows = x.shape()[0], depth = x.shape()[1];
      const int64_t columns = w.shape()[1];
      const bool perColumn = w.scales().size() > 1;
      if (perColumn && w.quantizedAxis() != 1)
        throw std::invalid_argument("w has scales of another axis than 1");
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j) {
          const size_t at = perColumn ? j : 0;
          int64_t sum = 0;
          for (int64_t k = 0; k < depth; ++k)
            sum += (readCode(x, i * depth + k) - x.zeroPoints()[0]) *
                   (readCode(w, k * columns + j) - w.zeroPoints()[at]);
          out[0].data<float>()[i * columns + j] =
              float(sum) * x.scales()[0] * w.scales()[at] +
              in[2].data<float>()[j];
        }
    });
