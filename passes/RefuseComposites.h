// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes on primitives check first.
#ifndef FUSEC_PASSES_REFUSECOMPOSITES_H
#define FUSEC_PASSES_REFUSECOMPOSITES_H

#include "dialects/fuse/FuseOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace fusec::fuse {

/// Fails with an error at each composite in `module`: they have no maps to ask.
/// `purpose` ends the message, as in "forming groups".
inline mlir::LogicalResult refuseComposites(mlir::ModuleOp module,
                                            llvm::StringRef purpose) {
  bool found = false;
  module->walk([&](mlir::Operation *op) {
    if (!op->hasTrait<Composite>())
      return;
    found = true;
    op->emitOpError("is a composite: run --fuse-expand-composites before ")
        << purpose;
  });
  return mlir::failure(found);
}

} // namespace fusec::fuse

#endif // FUSEC_PASSES_REFUSECOMPOSITES_H
