// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Formulas of quantised operators: codes of 8 bits, a scale and a zero point of
// the whole tensor.
#ifndef FUSEC_COMPILER_IMPORT_OPS_REQUANTIZE_H
#define FUSEC_COMPILER_IMPORT_OPS_REQUANTIZE_H

#include "compiler/import/Node.h"
#include "compiler/import/ops/Formula.h"

namespace fusec {

/// The domain of ONNX Runtime's own operators.
constexpr llvm::StringLiteral kMicrosoft = "com.microsoft";

/// Refuses operands `index` that are no integers of 8 bits.
void requireBytes(Node &node, unsigned index);

/// Operand `index`, one code of the type of operand `codes`, or null.
mlir::Value zeroPoint(Node &node, unsigned index, unsigned codes);
/// Operand `index`, one f32.
Term scaleTerm(Node &node, unsigned index);
/// The zero point as f32; 0 if it is absent.
Term zeroTerm(Node &node, unsigned index, unsigned codes);

/// Operand `index` as an integer of 32 bits.
Term codeTerm(Node &node, unsigned index);
/// The same less the zero point that operand `zero` is.
Term withoutZero(Node &node, unsigned index, unsigned zero);
/// Codes of 2 or 4 bits, low ones first, in rows of `count`, each of which
/// begins with a byte of its own.
std::vector<int64_t> unpackRows(llvm::ArrayRef<int64_t> bytes, int64_t count,
                                int64_t bits);
/// (x - zero) scale of operand `index`, whose scale is the operand behind it
/// and whose zero point is the next.
Term decode(Node &node, unsigned index);

//===- Products -----------------------------------------------------------===//

/// Operand `index`, a scale or one for each column, over a result of `shape`.
Term columnScale(Node &node, unsigned index, llvm::ArrayRef<int64_t> shape);
/// Operand `index`, a zero point or one for each of `columns`, of the type of
/// operand `operand`; null if it is absent.
mlir::Value columnZero(Node &node, unsigned index, unsigned operand,
                       int64_t columns);
/// The product of codes less their zero points, as f32.
Term integerProduct(Node &node, llvm::ArrayRef<int64_t> shape, mlir::Value lhs,
                    mlir::Value rhs, mlir::Value lhsZero, mlir::Value rhsZero);
/// `product` and operand `index`, a bias for each column, if it is there. It
/// has the type `element`, by default that of the product.
mlir::Value addColumnBias(Node &node, Term product, unsigned index,
                          mlir::Type element = {});

//===- Results ------------------------------------------------------------===//

/// `x` rounded to nearest even and saturated.
mlir::Value saturate(Node &node, Term x, mlir::Type coded);
/// saturate(round(x) + zero), as QuantizeLinear has it; `x` is divided by the
/// scale.
mlir::Value encode(Node &node, Term x, Term zero, mlir::Type coded);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_REQUANTIZE_H
