// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_POLY_PASSES_H
#define FUSEC_PASSES_POLY_PASSES_H

#include "dialects/kernel/KernelOps.h"
#include "passes/poly/Limit.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace fusec::poly {

#define GEN_PASS_DECL
#include "passes/poly/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "passes/poly/Passes.h.inc"

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_PASSES_H
