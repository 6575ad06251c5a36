// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which inputs and outputs of a model are one value that a program carries from
// one run to the next (--state).
#ifndef FUSEC_COMPILER_IMPORT_STATES_H
#define FUSEC_COMPILER_IMPORT_STATES_H

#include "compiler/import/Importer.h"

#include <functional>

namespace fusec {

/// What --state asks for where the names of the model say which are states.
inline constexpr llvm::StringLiteral kStatesByName = "auto";

/// An input and an output, by their numbers.
struct StatePair {
  size_t input, output;
};

/// A reason why some are no states, and what to do about it.
struct StateProblem {
  std::string reason, hint;
};

/// The pairs that `options` ask for, among inputs and outputs of these names;
/// those that the names alone say (kStatesByName) have to be `alike`. What is
/// wrong with the options is added to `problems`.
std::vector<StatePair>
matchStates(const ImportOptions &options, llvm::ArrayRef<std::string> inputs,
            llvm::ArrayRef<std::string> outputs,
            llvm::function_ref<bool(size_t input, size_t output)> alike,
            std::vector<StateProblem> &problems);

/// Marks the arguments of an imported module that are states (fuse::kStateAttr)
/// and adds to `problems`, which are of `path`, those that cannot be any.
void markStates(mlir::ModuleOp module, const ImportOptions &options,
                llvm::StringRef path, std::vector<Problem> &problems);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_STATES_H
