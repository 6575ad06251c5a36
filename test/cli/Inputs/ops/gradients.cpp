// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators with gradients; WRONG chooses one that does not fit.
#include "fusec/op.h"

using namespace fusec::op;

static void nothing(const std::vector<Tensor> &, const Param &,
                    std::vector<Tensor> &) {}

#ifndef WRONG
#define WRONG 0
#endif

FUSEC_OP(Pick)
    .inputs({"x", Operand("i").types({"int64"})})
    .outputs({"y", Operand("place").types({"int64"})})
    .gradient(WRONG == 1   ? "None"
              : WRONG == 2 ? "Shift"
              : WRONG == 3 ? "PickBack"
              : WRONG == 4 ? "acme.PickGrad"
                           : "PickGrad")
    .compute("cpu", nothing);
FUSEC_OP(PickGrad)
    .inputs({"x", Operand("i").types({"int64"}), "dy"})
    .outputs({"dx"})
    .compute("cpu", nothing);
FUSEC_OP(PickBack)
    .inputs({"x", Operand("i").types({"int64"}), "dy"})
    .outputs({"dx", "di"})
    .compute("cpu", nothing);
FUSEC_OP(Shift)
    .inputs({Operand("x").types({"int32"})})
    .outputs(1)
    .gradient(WRONG == 5 ? "PickGrad" : "")
    .compute("cpu", nothing);
