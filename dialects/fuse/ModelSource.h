// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a model's file says of itself: who made it, in which versions, and what its
// author wrote. The module keeps it until it is emitted.
#ifndef FUSEC_FUSE_MODELSOURCE_H
#define FUSEC_FUSE_MODELSOURCE_H

#include "mlir/IR/Builders.h"
#include <optional>

namespace fusec::fuse {

/// The attribute of a module: a dictionary with the texts below, the integers
/// "ir_version" and "model_version", "opsets" (an array of {domain, version}) and
/// "metadata" (an array of {key, value}). What the file does not say is absent.
inline constexpr llvm::StringLiteral kSourceAttr = "fuse.source";

/// Its texts, in the order in which they are told.
inline constexpr llvm::StringLiteral kSourceTexts[] = {
    "producer", "producer_version", "domain", "graph", "doc", "graph_doc"};

} // namespace fusec::fuse

#endif // FUSEC_FUSE_MODELSOURCE_H
