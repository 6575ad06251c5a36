// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ expressions as text with their precedence, so that parentheses stand only
// where the language, or a compiler's warnings, want them.
#ifndef FUSEC_CODEGEN_EXPR_H
#define FUSEC_CODEGEN_EXPR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace fusec::codegen {

/// Binding strength of C++ operators and of what separates expressions, weakest
/// first.
enum class Precedence {
  Semicolon,
  Comma,
  Assignment,
  Ternary,
  Or,
  And,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relational,
  Shift,
  Additive,
  Multiplicative,
  Unary,
  Primary, ///< names, literals, calls, subscripts
};

/// An expression of emitted source.
struct Expr {
  std::string text;
  Precedence precedence = Precedence::Primary;
  /// A scalar that stands for a vector with all lanes equal. Operators and most
  /// functions convert it; see `asVector`.
  bool splat = false;
  /// A number.
  bool literal = false;
  /// Names and literals: repeating them costs nothing.
  bool atomic = false;
  /// How many operators and calls it is made of: how much there is to read,
  /// whatever the names in it.
  unsigned operations = 0;

  static Expr name(std::string text) {
    return {std::move(text), Precedence::Primary, false, false, true};
  }
  static Expr number(std::string text) {
    Precedence precedence =
        text.front() == '-' ? Precedence::Unary : Precedence::Primary;
    return {std::move(text), precedence, false, true, true};
  }
  static Expr number(int64_t value) { return number(std::to_string(value)); }
};

/// `child` as an operand of an operator of strength `parent`. Parenthesised if
/// it binds weaker, if it binds equally and `strict` (right operands), or where
/// compilers warn about a mix that the language allows (`a & b + c`).
std::string operand(const Expr &child, Precedence parent, bool strict = false);

/// `lhs op rhs`.
Expr binary(const Expr &lhs, llvm::StringRef op, const Expr &rhs,
            Precedence precedence);

/// `op operand` of a prefix operator.
Expr unary(llvm::StringRef op, const Expr &child);

/// `condition ? yes : no`.
Expr conditional(const Expr &condition, const Expr &yes, const Expr &no);

/// `callee(arguments...)`.
Expr call(llvm::StringRef callee, llvm::ArrayRef<Expr> arguments);

/// The vector itself: `broadcast(x)` of a splat.
Expr asVector(const Expr &expr);

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_EXPR_H
