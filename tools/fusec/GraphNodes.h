// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The graphs that a GPU is given, for people.
#ifndef FUSEC_TOOLS_FUSEC_GRAPHNODES_H
#define FUSEC_TOOLS_FUSEC_GRAPHNODES_H

#include "llvm/Support/JSON.h"

namespace fusec::tool {

/// Adds to the steps of a model.json that are nodes of a graph which others of
/// it they come after ("after"), as the runtime will order them, and which can
/// run beside them ("stream").
void noteGraphs(llvm::json::Object &model);

/// Prints them, a line each.
void printGraphs(const llvm::json::Object &model);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_GRAPHNODES_H
