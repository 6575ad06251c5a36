// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a group's kernel is expected to take.
#ifndef FUSEC_PASSES_POLY_CONFIGS_PREDICTIONS_H
#define FUSEC_PASSES_POLY_CONFIGS_PREDICTIONS_H

#include "dialects/TargetInfo.h"
#include "dialects/sched/SchedOps.h"

namespace fusec::poly {

/// Nanoseconds that all cores are expected to take for `scop`, which has a
/// schedule and no config yet, by the config that is the default for `set`.
/// Fails where the schedule takes none, or isl does not end its proof.
mlir::FailureOr<double> predictTime(sched::ScopOp scop,
                                    const InstructionSet &set);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_PREDICTIONS_H
