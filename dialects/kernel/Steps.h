// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an iteration makes the next value of one that it takes over.
#ifndef FUSEC_DIALECTS_KERNEL_STEPS_H
#define FUSEC_DIALECTS_KERNEL_STEPS_H

#include "dialects/kernel/KernelOps.h"

namespace fusec::kernel {

/// What is held before an iteration, and what the iteration makes of it.
struct Step {
  mlir::Value before, after;
};

/// Why a step is none of a combiner, and where.
struct NoCombiner {
  mlir::Operation *op;
  llvm::StringRef reason;
};

/// The associative operation that alone leads from `before` to `after`; nothing
/// else may see the values between.
mlir::FailureOr<Combiner> findCombiner(Step step, NoCombiner &why);

/// Values that are all kept or all overwritten by what an iteration offers, as
/// both sides decide: the greatest element and its position.
struct Choice {
  llvm::SmallVector<mlir::Value> held, offered;
  /// The operations that decide from what is held and what is offered, in
  /// order.
  llvm::SmallVector<mlir::Operation *> decision;
  /// Their result: whether to take.
  mlir::Value takes;
};

/// The choice that the steps, in one block, make together, if they make one.
/// Nothing else may see what is held, or the decision.
std::optional<Choice> findChoice(llvm::ArrayRef<Step> steps);

/// The combiner of a word of `carries`; none of select and update.
std::optional<Combiner> getCombiner(Carry carry);
Carry getCarry(Combiner combiner);

} // namespace fusec::kernel

#endif // FUSEC_DIALECTS_KERNEL_STEPS_H
