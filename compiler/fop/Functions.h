// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions that expressions call, and arithmetic on numbers that are known
// while compiling.
#ifndef FUSEC_COMPILER_FOP_FUNCTIONS_H
#define FUSEC_COMPILER_FOP_FUNCTIONS_H

#include "compiler/fop/Ast.h"
#include "llvm/ADT/ArrayRef.h"

namespace fusec::fop {

enum class FunctionKind {
  Float,   ///< of a floating-point number
  Numeric, ///< of any number: abs, sign
  Pair,    ///< of two numbers of one type
  Fold,    ///< of two or more
  Select,
  Index, ///< index(n)
  Size,  ///< size(n)
};

struct Function {
  llvm::StringLiteral name;
  FunctionKind kind;
  /// Of FunctionKind::Float: what it is of a number.
  double (*compute)(double) = nullptr;
};

/// Null where there is none of this name.
const Function *findFunction(llvm::StringRef name);
llvm::ArrayRef<Function> allFunctions();

/// "1.5", "true".
std::string describe(const Number &number);
/// Booleans are no numbers: throws Mistake.
double toDouble(const Number &number, Place place);
/// Throws Mistake for what is no integer.
int64_t toInteger(const Number &number, Place place, llvm::StringRef what);

/// `lhs op rhs`, for the operators of two operands. `/` is a quotient of real
/// numbers. Throws Mistake: wrong kinds, too large, by zero.
Number compute(llvm::StringRef op, const Number &lhs, const Number &rhs,
               Place place);
Number computeUnary(llvm::StringRef op, const Number &operand, Place place);
Number computeFunction(const Function &function, llvm::ArrayRef<Number> numbers,
                       Place place);

} // namespace fusec::fop

#endif // FUSEC_COMPILER_FOP_FUNCTIONS_H
