// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes on the whole graph of tensors, before it is cut into groups.
#ifndef FUSEC_PASSES_GRAPH_PASSES_H
#define FUSEC_PASSES_GRAPH_PASSES_H

#include "dialects/fuse/FuseOps.h"
#include "passes/Rules.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace fusec::fuse {
#define GEN_PASS_DECL
#include "passes/graph/Passes.h.inc"

/// Each adds the rules of a pass: --fuse-expand-composites, --fuse-simplify,
/// --fuse-assign-layout,
/// --fuse-expand-algorithms.
void listExpansionRules(llvm::SmallVectorImpl<Rule> &rules);
void listSimplifyRules(llvm::SmallVectorImpl<Rule> &rules);
void listLayoutRules(llvm::SmallVectorImpl<Rule> &rules);
void listAlgorithmRules(llvm::SmallVectorImpl<Rule> &rules);

/// registerGraphPasses() makes them known to pass pipelines by name.
#define GEN_PASS_REGISTRATION
#include "passes/graph/Passes.h.inc"
} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_PASSES_H
