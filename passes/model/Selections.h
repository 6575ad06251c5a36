// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is taken of a choice, where it depends on who runs the program.
#ifndef FUSEC_PASSES_MODEL_SELECTIONS_H
#define FUSEC_PASSES_MODEL_SELECTIONS_H

#include "dialects/TargetInfo.h"
#include "dialects/kernel/KernelOps.h"

namespace fusec::model {

/// Of what was taken of a choice that calls operators of users: the bytes of
/// the buffers of each alternative, and the alternatives that give other bits
/// now and then, if there are any.
inline constexpr llvm::StringLiteral kWorkspacesAttr = "workspaces";
inline constexpr llvm::StringLiteral kVaryingAttr = "varying";

/// An alternative that sessions of some instruction set and so many threads
/// take; 0 threads are any.
struct Selection {
  llvm::StringRef isa;
  unsigned threads;
  unsigned number;
};

/// Whether an alternative calls an operator of a user's, of which nobody knows
/// what it takes.
bool callsOperator(mlir::Region &alternative);

/// What is taken of a choice, and why.
struct Decision {
  unsigned number;
  std::string reason;
  /// Where another one is, or where what stands behind it does not hold: the
  /// strongest instruction set first, of each the most threads.
  llvm::SmallVector<Selection> selections = {};
};

/// Makes of `known`, by instruction set and threads, fewest first, a decision:
/// an instruction set of which nothing is known takes what all others agree on,
/// or else `byDefault`.
Decision settle(llvm::ArrayRef<Selection> known, unsigned byDefault,
                const TargetInfo &target);

/// The selections as an attribute of the choice (`kernel::kSelectedAttr`).
mlir::ArrayAttr describeSelections(kernel::ChoiceOp choice,
                                   const Decision &decision);

/// What was taken of the choice of this key, as `kernel.choices` has it.
mlir::DictionaryAttr describeTaken(kernel::ChoiceOp choice,
                                   const Decision &decision,
                                   llvm::StringRef key);

} // namespace fusec::model

#endif // FUSEC_PASSES_MODEL_SELECTIONS_H
