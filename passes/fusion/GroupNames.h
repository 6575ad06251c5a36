// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of groups, from the names of the model's nodes.
#ifndef FUSEC_PASSES_FUSION_GROUPNAMES_H
#define FUSEC_PASSES_FUSION_GROUPNAMES_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringSet.h"

#include <string>

namespace fusec::fuse {

/// A readable identifier for the group of `ops`, not yet in `names`, to which
/// it is added: the node's name, the names of two or three (`conv1_relu`), or
/// what many have in common (`encoder_0_layernorm`).
std::string nameGroup(llvm::ArrayRef<mlir::Operation *> ops,
                      llvm::StringSet<> &names);

/// The location of a group: those of its operations, each once.
mlir::Location fuseLocations(llvm::ArrayRef<mlir::Operation *> ops);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_FUSION_GROUPNAMES_H
