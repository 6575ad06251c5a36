// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise formulas over tensors of one shape, written as C++ expressions.
#ifndef FUSEC_COMPILER_IMPORT_OPS_FORMULA_H
#define FUSEC_COMPILER_IMPORT_OPS_FORMULA_H

#include "compiler/import/Node.h"

namespace fusec {

/// A tensor of numbers in a formula. Numbers and tensors of rank 0 are repeated
/// to the other operand's shape; other shapes must agree.
class Term {
public:
  Term(Node &node, mlir::Value value) : node(&node), value(value) {}

  mlir::Value get() const { return value; }
  mlir::RankedTensorType type() const { return fuse::getTensorType(value); }
  /// `number` in this term's type.
  Term like(double number) const {
    return Term(*node,
                node->broadcast(node->scalar(type().getElementType(), number),
                                type().getShape()));
  }

  template <typename Op> Term binary(Term other) const {
    Term a = type().getRank() == 0 ? repeatTo(other) : *this;
    Term b = other.type().getRank() == 0 ? other.repeatTo(a) : other;
    return Term(*node, node->make<Op>(a.type(), a.value, b.value));
  }
  template <typename Op> Term unary() const {
    return Term(*node, node->make<Op>(type(), value));
  }
  /// The condition `*this predicate other` in each element.
  mlir::Value compare(fuse::CmpPredicate predicate, Term other) const {
    return node->make<fuse::CmpOp>(type().clone(node->builder().getI1Type()),
                                   predicate, value, other.value);
  }
  /// The same with a number.
  mlir::Value compare(fuse::CmpPredicate predicate, double number) const {
    return compare(predicate, like(number));
  }

private:
  Term repeatTo(Term other) const {
    return Term(*node, node->broadcast(value, other.type().getShape()));
  }

  Node *node;
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
/// `condition` ? a : b in each element.
inline Term select(Node &node, mlir::Value condition, Term a, Term b) {
  return Term(node,
              node.make<fuse::SelectOp>(a.type(), condition, a.get(), b.get()));
}

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_FORMULA_H
