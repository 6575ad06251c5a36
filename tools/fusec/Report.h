// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page that shows a model: its fused graph, drawn, and behind each box the
// nodes, schedule, source and refusals.
#ifndef FUSEC_TOOLS_FUSEC_REPORT_H
#define FUSEC_TOOLS_FUSEC_REPORT_H

#include "compiler/CompileOptions.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace fusec::tool {

/// Writes `path`, one HTML file that needs no other and no network. `model` is
/// the model.json of `folder`, whose sources go into the page; `options` name
/// what was compiled: if it is an ONNX model, the page has its nodes'
/// operators.
llvm::Error writeReport(llvm::StringRef path, const llvm::json::Object &model,
                        llvm::StringRef folder, const CompileOptions &options);

/// Its part that needs no JavaScript. The others are what the page's data
/// holds.
void printPlainly(const llvm::json::Object &model,
                  const llvm::json::Object &operators,
                  const llvm::json::Object &sources, llvm::raw_ostream &os);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_REPORT_H
