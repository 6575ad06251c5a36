// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What came of a search, for people and as JSON.
#ifndef FUSEC_TOOLS_FUSEC_TUNE_TUNEREPORT_H
#define FUSEC_TOOLS_FUSEC_TUNE_TUNEREPORT_H

#include "tools/fusec/tune/Tuner.h"

#include "llvm/Support/JSON.h"

namespace fusec::tool {

/// What was found of a model, and what is left of it; `verbose` is with all
/// that was measured.
void printModel(const TunedModel &model, bool verbose, llvm::raw_ostream &os);
/// Its members.
void addModel(llvm::json::OStream &json, const TunedModel &model);

/// What the search took, by its steps.
void printCosts(const Tuner &tuner, llvm::raw_ostream &os);
/// The same as a member.
void addCosts(llvm::json::OStream &json, const Tuner &tuner);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TUNE_TUNEREPORT_H
