// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/Expr.h"

namespace fusec::codegen {

/// Whether GCC or clang warn (-Wparentheses) about `child` inside `parent`.
static bool warnsInside(Precedence child, Precedence parent) {
  if (child == parent || child >= Precedence::Unary)
    return false;
  switch (parent) {
  case Precedence::Or:
    return child == Precedence::And;
  case Precedence::BitOr:
  case Precedence::BitXor:
  case Precedence::BitAnd:
  case Precedence::Shift:
    return true;
  case Precedence::Equality:
  case Precedence::Relational:
    return child == Precedence::Equality || child == Precedence::Relational;
  default:
    return false;
  }
}

std::string operand(const Expr &child, Precedence parent, bool strict) {
  bool comparison = parent == Precedence::Relational ||
                    parent == Precedence::Equality;
  if (child.precedence < parent || warnsInside(child.precedence, parent) ||
      (child.precedence == parent && (strict || comparison)))
    return "(" + child.text + ")";
  return child.text;
}

Expr binary(const Expr &lhs, llvm::StringRef op, const Expr &rhs,
            Precedence precedence) {
  // `a - -1` reads badly.
  std::string right = operand(rhs, precedence, /*strict=*/true);
  if (right.front() == '-')
    right = "(" + right + ")";
  Expr result;
  result.text =
      operand(lhs, precedence) + " " + op.str() + " " + right;
  result.precedence = precedence;
  result.splat = lhs.splat && rhs.splat;
  result.operations = lhs.operations + rhs.operations + 1;
  return result;
}

Expr unary(llvm::StringRef op, const Expr &child) {
  Expr result;
  result.text = op.str() + operand(child, Precedence::Unary, /*strict=*/true);
  result.precedence = Precedence::Unary;
  result.splat = child.splat;
  result.operations = child.operations + 1;
  return result;
}

Expr conditional(const Expr &condition, const Expr &yes, const Expr &no) {
  Expr result;
  result.text = operand(condition, Precedence::Ternary, /*strict=*/true) +
                " ? " + yes.text + " : " + no.text;
  result.precedence = Precedence::Ternary;
  result.operations =
      condition.operations + yes.operations + no.operations + 1;
  return result;
}

Expr call(llvm::StringRef callee, llvm::ArrayRef<Expr> arguments) {
  Expr result;
  result.operations = 1;
  result.text = callee.str() + "(";
  for (const Expr &argument : arguments) {
    if (&argument != arguments.begin())
      result.text += ", ";
    result.text += argument.text;
    result.operations += argument.operations;
  }
  result.text += ")";
  return result;
}

Expr asVector(const Expr &expr) {
  if (!expr.splat)
    return expr;
  Expr scalar = expr;
  scalar.splat = false;
  return call("broadcast", scalar);
}

} // namespace fusec::codegen
