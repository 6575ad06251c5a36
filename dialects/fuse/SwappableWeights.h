// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights whose values a running program may replace by others.
#ifndef FUSEC_FUSE_SWAPPABLEWEIGHTS_H
#define FUSEC_FUSE_SWAPPABLEWEIGHTS_H

#include "mlir/IR/BuiltinOps.h"

namespace fusec::fuse {

/// The attribute of a module whose weights may get other values once it is
/// compiled: no decision of the compiler rests on their values, which only
/// become bytes of other weights. It is an array of the names of the model's
/// initializers that this does not hold for, as the program itself rests on
/// their values: shapes, axes, positions.
inline constexpr llvm::StringLiteral kSwappableWeightsAttr =
    "fuse.swappable_weights";

/// Whether that is so of the module that `op` is in, or is.
inline bool hasSwappableWeights(mlir::Operation *op) {
  auto module = llvm::dyn_cast<mlir::ModuleOp>(op);
  if (!module)
    module = op->getParentOfType<mlir::ModuleOp>();
  return module && module->hasAttr(kSwappableWeightsAttr);
}

inline void markSwappableWeights(mlir::ModuleOp module,
                                 llvm::ArrayRef<mlir::Attribute> fixed) {
  module->setAttr(kSwappableWeightsAttr,
                  mlir::ArrayAttr::get(module.getContext(), fixed));
}

} // namespace fusec::fuse

#endif // FUSEC_FUSE_SWAPPABLEWEIGHTS_H
