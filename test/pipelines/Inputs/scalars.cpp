// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators that compute element by element. Soft has no form of its own.
#include "fusec/op.h"
using namespace fusec::op;

FUSEC_OP(Soft)
    .inputs({Operand("x").types({"float32", "float64", "float16", "bfloat16"}),
             Operand("w").types({"float32", "float64", "float16", "bfloat16"})})
    .outputs({"y"})
    .param("beta", 1.5)
    .scalar("scalars.h", "acme::soft", /*steps=*/20);

FUSEC_OP(Whole)
    .inputs({Operand("n").types({"int32", "int64", "int8", "uint8", "uint32"})})
    .outputs(1)
    .param("step", 3)
    .scalar("scalars.h", "acme::whole");

FUSEC_OP(Plain)
    .inputs(2)
    .outputs(1)
    .scalar("scalars.h", "acme::plain")
    .compute("cpu", [](const std::vector<Tensor> &in, const Param &,
                       std::vector<Tensor> &out) {
      const float *x = in[0].data<float>(), *y = in[1].data<float>();
      for (int64_t i = 0; i < in[0].shape().elements(); ++i)
        out[0].data<float>()[i] = x[i] < 0 ? y[i] - x[i] : x[i] * y[i];
    });
