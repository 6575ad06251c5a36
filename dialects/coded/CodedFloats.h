// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floats of 8, 6 and 4 bits, whose scalars are codes (dialects/TypeInfo.h),
// from and to f32: as operations of arith, so that they fuse and run on
// vectors.
#ifndef FUSEC_DIALECTS_CODED_CODEDFLOATS_H
#define FUSEC_DIALECTS_CODED_CODEDFLOATS_H

#include "mlir/IR/Builders.h"

namespace fusec {

/// Whether `type` (of elements, or of a tensor) is a float type whose scalars
/// are codes. Such elements are moved as they are; casts know what numbers they
/// stand for, and nothing computes on them.
bool isCoded(mlir::Type type);

/// Whether `type` (of elements, or of a tensor) holds powers of two only, by
/// their exponents: f8E8M0FNU, the type of scales. It has no sign and no 0.
bool isExponent(mlir::Type type);

/// Whether numbers are quantised to elements of `type`: integers but i1, and
/// coded floats but exponents.
bool isQuantizedType(mlir::Type type);

/// The f32 that `code`, an i32 with the bits of `type`, stands for. Exact.
mlir::Value buildDecode(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::FloatType type, mlir::Value code);

/// The code in `type` that is nearest to the f32 `number`, ties to even, as an
/// i32. What lies beyond the largest number becomes an infinity, NaN where the
/// type has none, and the largest number where it has no NaN either; NaN is 0
/// then. Powers of two: ties go up, 0 becomes the lowest, negative numbers NaN.
mlir::Value buildEncode(mlir::OpBuilder &b, mlir::Location loc,
                        mlir::FloatType type, mlir::Value number);

} // namespace fusec

#endif // FUSEC_DIALECTS_CODED_CODEDFLOATS_H
