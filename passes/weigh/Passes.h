// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What groups cost as they would be scheduled.
#ifndef FUSEC_PASSES_WEIGH_PASSES_H
#define FUSEC_PASSES_WEIGH_PASSES_H

#include "dialects/fuse/FuseOps.h"
#include "dialects/sched/SchedOps.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <functional>
#include <memory>

namespace fusec::weigh {

/// Adds the passes that make a `sched.scop` with a schedule of each group.
using AddScheduling = std::function<void(mlir::OpPassManager &)>;

#define GEN_PASS_DECL
#include "passes/weigh/Passes.h.inc"

/// --fuse-weigh, by groups that are scheduled as `addScheduling` says.
std::unique_ptr<mlir::Pass> createWeigh(AddScheduling addScheduling);

#define GEN_PASS_REGISTRATION
#include "passes/weigh/Passes.h.inc"
} // namespace fusec::weigh

#endif // FUSEC_PASSES_WEIGH_PASSES_H
