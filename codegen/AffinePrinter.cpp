// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codegen/AffinePrinter.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace fusec::codegen {

AffineExpr linearIndex(AffineMap map, ArrayRef<int64_t> shape) {
  AffineExpr index = getAffineConstantExpr(0, map.getContext());
  for (auto [result, extent] : llvm::zip_equal(map.getResults(), shape))
    index = index * extent + result;
  return simplifyAffineExpr(index, map.getNumDims(), map.getNumSymbols());
}

static unsigned countDivisions(AffineExpr expr) {
  unsigned count = 0;
  expr.walk([&](AffineExpr part) {
    count += part.getKind() == AffineExprKind::FloorDiv ||
             part.getKind() == AffineExprKind::CeilDiv ||
             part.getKind() == AffineExprKind::Mod;
  });
  return count;
}

SmallVector<AffineExpr> joinSubscripts(AffineMap map, ArrayRef<int64_t> shape) {
  SmallVector<AffineExpr> subscripts(map.getResults());
  AffineExpr zero = getAffineConstantExpr(0, map.getContext());
  size_t rank = subscripts.size();
  // Few dims at a time first: what has no part in a division stays by itself.
  for (size_t count = 2; count <= rank; ++count)
    for (size_t first = 0; first + count <= rank; ++first) {
      AffineExpr joined = zero;
      unsigned divisions = 0;
      for (size_t i = first; i < first + count; ++i) {
        joined = joined * shape[i] + subscripts[i];
        divisions += countDivisions(subscripts[i]);
      }
      joined =
          simplifyAffineExpr(joined, map.getNumDims(), map.getNumSymbols());
      if (countDivisions(joined) >= divisions)
        continue;
      if (count == rank)
        return {joined};
      std::fill_n(subscripts.begin() + first, count - 1, zero);
      subscripts[first + count - 1] = joined;
    }
  return subscripts;
}

int64_t AffinePrinter::flatten(AffineExpr expr, int64_t factor,
                               SmallVectorImpl<Term> &terms) const {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return factor * constant.getValue();
  if (expr.getKind() == AffineExprKind::Add) {
    auto pair = cast<AffineBinaryOpExpr>(expr);
    int64_t left = flatten(pair.getLHS(), factor, terms);
    return left + flatten(pair.getRHS(), factor, terms);
  }
  if (expr.getKind() == AffineExprKind::Mul) {
    auto pair = cast<AffineBinaryOpExpr>(expr);
    if (auto constant = dyn_cast<AffineConstantExpr>(pair.getRHS()))
      return flatten(pair.getLHS(), factor * constant.getValue(), terms);
    terms.push_back(
        {factor, binary(print(pair.getLHS()), "*", print(pair.getRHS()),
                        Precedence::Multiplicative)});
    return 0;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    terms.push_back({factor, operands[dim.getPosition()]});
  else if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    terms.push_back({factor, operands[numDims + symbol.getPosition()]});
  else
    terms.push_back({factor, printDivision(cast<AffineBinaryOpExpr>(expr))});
  return 0;
}

Expr AffinePrinter::printDivision(AffineBinaryOpExpr expr) const {
  Expr lhs = print(expr.getLHS()), rhs = print(expr.getRHS());
  bool exact = rangeOf(expr.getLHS()).low.value_or(-1) >= 0;
  if (expr.getKind() == AffineExprKind::CeilDiv) {
    lhs = print(expr.getLHS() + expr.getRHS() - 1);
    exact = rangeOf(expr.getLHS() + expr.getRHS() - 1).low.value_or(-1) >= 0;
  }
  bool isMod = expr.getKind() == AffineExprKind::Mod;
  if (exact)
    return binary(lhs, isMod ? "%" : "/", rhs, Precedence::Multiplicative);
  return call(isMod ? "mod" : "div_floor", {lhs, typed(rhs)});
}

/// The vocabulary's integer functions are overloaded: all arguments have one
/// type.
Expr AffinePrinter::typed(Expr expr) const {
  return expr.literal && !literalType.empty() ? call(literalType, expr) : expr;
}

Expr AffinePrinter::sum(ArrayRef<Term> terms, int64_t constant) {
  Expr result;
  bool empty = true;
  auto add = [&](const Expr &term, bool negative) {
    if (empty)
      result = negative ? unary("-", term) : term;
    else
      result = binary(result, negative ? "-" : "+", term, Precedence::Additive);
    empty = false;
  };
  auto product = [](const Term &term) {
    int64_t factor = term.factor < 0 ? -term.factor : term.factor;
    return factor == 1 ? term.expr
                       : binary(term.expr, "*", Expr::number(factor),
                                Precedence::Multiplicative);
  };
  for (const Term &term : terms)
    if (term.factor > 0)
      add(product(term), false);
  if (constant > 0 || (constant == 0 && terms.empty()))
    add(Expr::number(constant), false);
  for (const Term &term : terms)
    if (term.factor < 0)
      add(product(term), true);
  if (constant < 0 && empty)
    return Expr::number(constant);
  if (constant < 0)
    add(Expr::number(-constant), true);
  return result;
}

/// Strides fall from left to right, as subscripts do. Equal ones are ordered by
/// name: how an expression numbers its dims must not show.
template <typename Terms> static void sortByFactor(Terms &terms) {
  auto bigger = [](const auto &a, const auto &b) {
    int64_t left = std::abs(a.factor), right = std::abs(b.factor);
    return left != right ? left > right : a.expr.text < b.expr.text;
  };
  // Few terms, and the library's stable sort wants heap memory.
  for (auto it = terms.begin(); it != terms.end(); ++it)
    std::rotate(std::upper_bound(terms.begin(), it, *it, bigger), it, it + 1);
}

/// `e mod c` for `e - (e floordiv c) * c`, which MLIR makes of it where `e` has
/// a constant; otherwise `expr`.
static AffineExpr joinRemainder(AffineExpr expr, unsigned dims,
                                unsigned symbols) {
  AffineExpr result = expr;
  if (expr.getKind() != AffineExprKind::Add)
    return result;
  expr.walk([&](AffineExpr part) {
    auto quotient = dyn_cast<AffineBinaryOpExpr>(part);
    if (!quotient || quotient.getKind() != AffineExprKind::FloorDiv)
      return;
    AffineExpr whole = quotient.getLHS(), divisor = quotient.getRHS();
    if (simplifyAffineExpr(expr + part * divisor - whole, dims, symbols) == 0)
      result = whole % divisor;
  });
  return result;
}

Expr AffinePrinter::print(AffineExpr expr) const {
  SmallVector<Term> terms;
  expr = joinRemainder(expr, numDims, operands.size() - numDims);
  int64_t constant = flatten(expr, 1, terms);
  sortByFactor(terms);
  return sum(terms, constant);
}

Expr AffinePrinter::printExtremum(AffineMap map, StringRef function) const {
  Expr result = print(map.getResult(0));
  for (AffineExpr next : map.getResults().drop_front()) {
    result = call(function, {typed(result), typed(print(next))});
  }
  return result;
}

Expr AffinePrinter::printConstraint(AffineExpr expr, bool isEquality) const {
  SmallVector<Term> terms, left, right;
  int64_t constant = flatten(expr, 1, terms);
  sortByFactor(terms);
  for (Term &term : terms) {
    bool positive = term.factor > 0;
    if (!positive)
      term.factor = -term.factor;
    (positive ? left : right).push_back(term);
  }
  // left + constant >= right
  int64_t leftConstant = left.empty() || constant < 0 ? 0 : constant;
  int64_t rightConstant = leftConstant - constant;
  if (left.empty()) {
    Expr bound = Expr::number(isEquality ? constant : constant + 1);
    return binary(sum(right, 0), isEquality ? "==" : "<", bound,
                  isEquality ? Precedence::Equality : Precedence::Relational);
  }
  return binary(sum(left, leftConstant),
                isEquality ? "==" : ">=", sum(right, rightConstant),
                isEquality ? Precedence::Equality : Precedence::Relational);
}

Expr AffinePrinter::printSet(IntegerSet set) const {
  Expr result = Expr::name("true");
  for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
    Expr next = printConstraint(set.getConstraint(i), set.isEq(i));
    result = i == 0 ? next : binary(result, "&&", next, Precedence::And);
  }
  return result;
}

} // namespace fusec::codegen
