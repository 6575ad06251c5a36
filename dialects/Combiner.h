// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The associative operations that reductions combine values by: which operation
// each is on values of a type, and its neutral element.
#ifndef FUSEC_DIALECTS_COMBINER_H
#define FUSEC_DIALECTS_COMBINER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include <optional>

#include "dialects/Combiner.decls.inc"

namespace fusec {

/// The combiner of an operation whose operand number `accumulator` is the
/// accumulated value, if it is associative.
std::optional<Combiner> getCombiner(mlir::Operation *op, unsigned accumulator);

/// The value of scalar type `type` that combines with any x to x.
mlir::TypedAttr getNeutral(Combiner combiner, mlir::Type type);

/// `a` and `b` combined; scalars or vectors of a compute type (TypeInfo). The
/// maximum of booleans is their `or`, the minimum their `and`.
mlir::Value createCombination(mlir::OpBuilder &builder, mlir::Location loc,
                              Combiner combiner, mlir::Value a, mlir::Value b);

} // namespace fusec

#endif // FUSEC_DIALECTS_COMBINER_H
