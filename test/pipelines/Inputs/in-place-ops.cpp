// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators whose results lie where inputs do.
#include "fusec/op.h"

using namespace fusec::op;

/// state + x, in the memory of the state; it writes every other element only,
/// and so has to find the others there.
FUSEC_OP(AddToEven)
    .inputs({"state", "x"})
    .outputs({Operand("next").mustAlias(0)})
    .compute("cpu", [](const std::vector<Tensor> &in, const Param &,
                       std::vector<Tensor> &out) {
      if (in[0].data<float>() != out[0].data<float>())
        throw std::logic_error("the state lies elsewhere");
      for (int64_t i = 0; i < in[0].shape().elements(); i += 2)
        out[0].data<float>()[i] += in[1].data<float>()[i];
    });

/// -x, wherever that is.
FUSEC_OP(Negate)
    .inputs({"x"})
    .outputs({Operand("y").mayAlias(0)})
    .compute("cpu", [](const std::vector<Tensor> &in, const Param &,
                       std::vector<Tensor> &out) {
      for (int64_t i = 0; i < in[0].shape().elements(); ++i)
        out[0].data<float>()[i] = -in[0].data<float>()[i];
    });

/// Reads what it has written, where both are one: it may not say that they may
/// be.
FUSEC_OP(Shift)
    .inputs({"x"})
    .outputs({Operand("y").mayAlias(0)})
    .compute("cpu", [](const std::vector<Tensor> &in, const Param &,
                       std::vector<Tensor> &out) {
      const int64_t n = in[0].shape().elements();
      for (int64_t i = 0; i < n; ++i)
        out[0].data<float>()[i] = in[0].data<float>()[i ? i - 1 : n - 1];
    });

/// Its result is of another type than what it must lie where.
FUSEC_OP(Narrow)
    .inputs({"x"})
    .outputs({Operand("y").mustAlias(0)})
    .dtype([](const std::vector<DType> &, const Param &,
              std::vector<DType> &out) { out[0] = "int8"; })
    .compute("cpu", [](const std::vector<Tensor> &, const Param &,
                       std::vector<Tensor> &) {});
