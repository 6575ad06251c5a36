// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An activation of one's own, which fuses with what stands around it: swoosh.h
// has the formula of an element, which goes into kernels.
#include "fusec/op.h"

#include <cmath>

using namespace fusec::op;

// The same again, as plainly as it can be written. It is not needed: `fusec op
// test` and `fusec verify` compare what is in swoosh.h with it.
static void compute(const std::vector<Tensor> &in, const Param &params,
                    std::vector<Tensor> &out) {
  const double shift = params["shift"], slope = params["slope"],
               offset = params["offset"];
  const float *x = in[0].data<float>();
  float *y = out[0].data<float>();
  for (int64_t i = 0; i < in[0].shape().elements(); ++i)
    y[i] = float(std::log1p(std::exp(double(x[i]) - shift)) - slope * x[i] -
                 offset);
}

FUSEC_OP(Swoosh)
    .domain("acme")
    .inputs({Operand("x").types({"float32"})})
    .outputs({"y"})
    .param("shift", 4.0)
    .param("slope", 0.08)
    .param("offset", 0.035)
    .scalar("swoosh.h", "acme::swoosh")
    .compute("cpu", compute);
