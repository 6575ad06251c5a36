// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model whose every node is an output, to find the first that goes wrong.
#ifndef FUSEC_TOOLS_FUSEC_PERNODE_H
#define FUSEC_TOOLS_FUSEC_PERNODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace fusec::tool {

/// One result of a node of the imported model.
struct NodeResult {
  std::string node; ///< its name in the model
  std::string op;   ///< the operation it was imported as
};

/// Makes every result of every operation of the host function an output of the
/// model, in program order, instead of its own outputs. Errors: no function.
llvm::Expected<std::vector<NodeResult>> exposeNodes(mlir::ModuleOp module);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_PERNODE_H
