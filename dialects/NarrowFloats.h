// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 16 bits, whose scalars are held in f32. A scalar that is rounded to
// one has been one for a moment: it is an arith.extf of an arith.truncf, which
// no folding of MLIR and no C++ compiler sees through.
#ifndef FUSEC_DIALECTS_NARROWFLOATS_H
#define FUSEC_DIALECTS_NARROWFLOATS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace fusec {

/// `type` (of elements, or of a tensor) if it is f16 or bf16, else null.
mlir::FloatType getNarrowFloat(mlir::Type type);

/// The float `number`, an f32 or f64, rounded once to `narrow`: ties to even,
/// and infinite beyond its largest number. The result is an f32.
mlir::Value buildRounding(mlir::OpBuilder &b, mlir::Location loc,
                          mlir::FloatType narrow, mlir::Value number);

/// The f32 that was rounded where `value` is what buildRounding made of one;
/// else null.
mlir::Value getRounded(mlir::Value value, mlir::FloatType narrow);

/// Whether the scalar `value` is a number of `narrow` whatever was computed
/// before it: rounded, or chosen among such, or made of one without a rounding.
/// `isLoaded` tells it of values that no operation of the body computes, and of
/// those that it does not know.
bool isNumberOf(mlir::FloatType narrow, mlir::Value value,
                llvm::function_ref<bool(mlir::Value)> isLoaded);

} // namespace fusec

#endif // FUSEC_DIALECTS_NARROWFLOATS_H
