// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that form static control programs and reshape them, without isl.
#ifndef FUSEC_PASSES_SCHEDULE_PASSES_H
#define FUSEC_PASSES_SCHEDULE_PASSES_H

#include "dialects/kernel/KernelOps.h"
#include "dialects/sched/SchedOps.h"
#include "passes/Rules.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace fusec::sched {
/// Loops do not run where a mask hides what they compute.
extern const Rule kMaskedRule;

#define GEN_PASS_DECL
#include "passes/schedule/Passes.h.inc"

/// registerSchedulePasses() makes them known to pass pipelines by name.
#define GEN_PASS_REGISTRATION
#include "passes/schedule/Passes.h.inc"
} // namespace fusec::sched

#endif // FUSEC_PASSES_SCHEDULE_PASSES_H
