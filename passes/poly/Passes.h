// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_PASSES_POLY_PASSES_H
#define FUSEC_PASSES_POLY_PASSES_H

#include "dialects/kernel/KernelOps.h"
#include "passes/poly/tree/Limit.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace fusec::lock {
class Advisor;
}

namespace fusec::poly {

#define GEN_PASS_DECL
#include "passes/poly/Passes.h.inc"

/// With an advisor, which must outlive the pass, for groups that no lock has.
std::unique_ptr<mlir::Pass>
createSchedSelectConfigs(SchedSelectConfigsOptions options,
                         lock::Advisor *advisor);

#define GEN_PASS_REGISTRATION
#include "passes/poly/Passes.h.inc"

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_PASSES_H
