// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long the boxes of the page of inspect --html took.
#ifndef FUSEC_TOOLS_FUSEC_REPORTTIMES_H
#define FUSEC_TOOLS_FUSEC_REPORTTIMES_H

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace fusec::tool {

/// Writes what `path`, a trace of fusec run, says into `model`, a model.json: a
/// median "ms" at each launch, call and group that ran, and "times" of whole
/// runs. A trace of another model is an error.
llvm::Error addTimes(llvm::StringRef path, llvm::json::Object &model);

/// "0.123 ms, 12% of a run"; empty where there is no time.
std::string describeTime(const llvm::json::Object &model,
                         const llvm::json::Object &part);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_REPORTTIMES_H
