// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What `fusec compile` says of the optimiser and compiles nothing.
#ifndef FUSEC_TOOLS_FUSEC_RULELIST_H
#define FUSEC_TOOLS_FUSEC_RULELIST_H

#include "compiler/CompileOptions.h"

#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

/// Prints `rules` by area: the name of each, the lowest level that applies
/// it, whether it keeps bits, and what it does.
void printRules(llvm::ArrayRef<Rule> rules, llvm::raw_ostream &os);

/// Prints the passes up to `options.until`, or all, as one line that fusec-opt
/// --pass-pipeline takes. Throws UsageError for a stage that there is not.
void printPipeline(const CompileOptions &options, llvm::raw_ostream &os);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_RULELIST_H
