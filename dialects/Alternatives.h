// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the choices of all dialects have in common: named alternatives.
#ifndef FUSEC_DIALECTS_ALTERNATIVES_H
#define FUSEC_DIALECTS_ALTERNATIVES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Region.h"

namespace fusec {

/// Checks that a choice has alternatives and a name of its own for each.
mlir::LogicalResult
verifyAlternatives(mlir::Operation *op, mlir::ArrayAttr algorithms,
                   llvm::MutableArrayRef<mlir::Region> alternatives);

} // namespace fusec

#endif // FUSEC_DIALECTS_ALTERNATIVES_H
