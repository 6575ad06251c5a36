// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_COMPILER_RULES_PASSES_H
#define FUSEC_COMPILER_RULES_PASSES_H

#include "dialects/fuse/FuseOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace fusec::rules {
#define GEN_PASS_DECL
#include "compiler/rules/Passes.h.inc"

/// registerRulePasses() makes them known to pass pipelines by name.
#define GEN_PASS_REGISTRATION
#include "compiler/rules/Passes.h.inc"
} // namespace fusec::rules

#endif // FUSEC_COMPILER_RULES_PASSES_H
