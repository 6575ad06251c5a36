// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All rules of the graph optimiser, and which of them a compilation applies.
#ifndef FUSEC_COMPILER_RULES_H
#define FUSEC_COMPILER_RULES_H

#include "passes/Rules.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace fusec {

struct CompileOptions;

/// All rules of fusec, in the order in which passes try them.
llvm::SmallVector<Rule> listRules();

/// Those of `libraries` of users, in order. Errors: rules::RuleLibraryError.
llvm::Expected<llvm::SmallVector<Rule>>
listForeignRules(llvm::ArrayRef<std::string> libraries);

/// "compute", "layout", ...
llvm::StringRef getName(RuleArea area);

/// Whether a compilation applies a rule: its level is high enough, and nobody
/// switched it off.
bool isApplied(const Rule &rule, const CompileOptions &options);

/// Of `rules`, those of one pass, the names of those that a compilation does
/// not apply.
std::vector<std::string> listLeftOut(llvm::ArrayRef<Rule> rules,
                                     const CompileOptions &options);

} // namespace fusec

#endif // FUSEC_COMPILER_RULES_H
