// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise formulas over tensors of one shape, written as C++ expressions.
#ifndef FUSEC_COMPILER_IMPORT_OPS_FORMULA_H
#define FUSEC_COMPILER_IMPORT_OPS_FORMULA_H

#include "passes/graph/TensorBuilder.h"

namespace fusec {

/// A tensor of numbers in a formula. Numbers and tensors of rank 0 are repeated
/// to the other operand's shape; other shapes must agree.
class Term {
public:
  Term(fuse::TensorBuilder &b, mlir::Value value) : b(&b), value(value) {}

  mlir::Value get() const { return value; }
  mlir::RankedTensorType type() const { return fuse::getTensorType(value); }
  /// `number` in this term's type.
  Term like(double number) const { return Term(*b, b->splat(number, type())); }

  template <typename Op> Term binary(Term other) const {
    Term lhs = type().getRank() == 0 ? repeatTo(other) : *this;
    Term rhs = other.type().getRank() == 0 ? other.repeatTo(lhs) : other;
    return Term(*b, b->binary<Op>(lhs.value, rhs.value));
  }
  template <typename Op> Term unary() const {
    return Term(*b, b->unary<Op>(value));
  }
  /// The condition `*this predicate other` in each element.
  mlir::Value compare(fuse::CmpPredicate predicate, Term other) const {
    return b->compare(predicate, value, other.value);
  }
  /// The same with a number.
  mlir::Value compare(fuse::CmpPredicate predicate, double number) const {
    return b->compare(predicate, value, number);
  }

  /// `condition` ? a : b in each element.
  friend Term select(mlir::Value condition, Term a, Term b) {
    return Term(*a.b, a.b->select(condition, a.value, b.value));
  }

private:
  Term repeatTo(Term other) const {
    return Term(*b, b->broadcast(value, other.type().getShape()));
  }

  fuse::TensorBuilder *b;
  mlir::Value value;
};

inline Term operator+(Term a, Term b) { return a.binary<fuse::AddOp>(b); }
inline Term operator-(Term a, Term b) { return a.binary<fuse::SubOp>(b); }
inline Term operator*(Term a, Term b) { return a.binary<fuse::MulOp>(b); }
inline Term operator/(Term a, Term b) { return a.binary<fuse::DivOp>(b); }
inline Term operator+(Term a, double b) { return a + a.like(b); }
inline Term operator-(Term a, double b) { return a - a.like(b); }
inline Term operator*(double a, Term b) { return b.like(a) * b; }
inline Term operator-(double a, Term b) { return b.like(a) - b; }
inline Term sqrt(Term a) { return a.unary<fuse::SqrtOp>(); }
/// base^exponent
inline Term pow(double base, Term exponent) {
  return exponent.like(base).binary<fuse::PowOp>(exponent);
}

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_FORMULA_H
