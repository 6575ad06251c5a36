// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The host program as a graph of values and steps, for model.json.
#ifndef FUSEC_CODEGEN_HOSTGRAPH_H
#define FUSEC_CODEGEN_HOSTGRAPH_H

#include "codegen/ModelInfo.h"
#include "llvm/Support/JSON.h"

namespace fusec::codegen {

/// Prints the attributes "values" and "steps": in the order of the program,
/// what each launch, call and copy reads and writes, by position among the
/// values; and "views", the nodes that are part of no step, if there are any.
void printHostGraph(llvm::json::OStream &json, const ModelInfo &model);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_HOSTGRAPH_H
