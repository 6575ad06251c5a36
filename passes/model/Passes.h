// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on the host program: what a model launches, and where its memory is.
#ifndef FUSEC_PASSES_MODEL_PASSES_H
#define FUSEC_PASSES_MODEL_PASSES_H

#include "dialects/kernel/KernelOps.h"
#include "dialects/sched/SchedOps.h"
#include "passes/Rules.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace fusec::lock {
class Advisor;
}

namespace fusec::model {
#define GEN_PASS_DECL
#include "passes/model/Passes.h.inc"

/// The file of locations of errors that are of an option's, not of the
/// module's.
inline constexpr llvm::StringLiteral kChoicesOption = "--choices";

/// With an advisor, which must outlive the pass, for choices that neither
/// options nor a lock decide.
std::unique_ptr<mlir::Pass> createApplyChoices(ApplyChoicesOptions options,
                                               lock::Advisor *advisor);

/// The rule of --model-pack-weights that others ask about, and all of them.
extern const Rule kPanelsRule;
void listPackingRules(llvm::SmallVectorImpl<Rule> &rules);

/// registerModelPasses() makes them known to pass pipelines by name.
#define GEN_PASS_REGISTRATION
#include "passes/model/Passes.h.inc"
} // namespace fusec::model

#endif // FUSEC_PASSES_MODEL_PASSES_H
