// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec-ref/Bodies.h"

#include "compiler/fop/Functions.h"
#include "compiler/io/ElementValue.h"
#include "tools/fusec-ref/Numbers.h"

#include "llvm/ADT/STLExtras.h"

namespace fusec::ref {

using fop::Expr;
using fop::ExprKind;
using fop::Fact;
using fop::Indices;
using io::ElementType;

//===- Numbers ------------------------------------------------------------===//

static Scalar ofFloat(double value) {
  Scalar made;
  made.f = value;
  return made;
}

static Scalar ofInteger(int64_t value) {
  Scalar made;
  made.i = value;
  return made;
}

Scalar roundFloat(double value, ElementType type) {
  return ofFloat(io::roundTo(type, value));
}

Scalar wrapInteger(int64_t value, ElementType type) {
  if (type == ElementType::Bool)
    return ofInteger(value != 0);
  const unsigned unused = 64 - io::getInfo(type).bytes * 8;
  if (unused == 0)
    return ofInteger(value);
  const uint64_t high = uint64_t(value) << unused;
  return ofInteger(fop::nameOf(type).starts_with("u")
                       ? int64_t(high >> unused)
                       : int64_t(high) >> unused);
}

Scalar convert(Scalar value, ElementType from, ElementType to) {
  if (io::isFloat(from) && io::isFloat(to))
    return roundFloat(value.f, to);
  if (io::isFloat(to))
    return roundFloat(from == ElementType::U64 ? double(uint64_t(value.i))
                                               : double(value.i),
                      to);
  if (!io::isFloat(from))
    return wrapInteger(value.i, to);
  if (to == ElementType::Bool)
    return ofInteger(value.f != 0);
  // What fits no i32 becomes its lowest value, of wide types that of i64, and
  // narrower types wrap from there.
  if (to == ElementType::U64 && value.f >= 0x1p63 && value.f < 0x1p64)
    return ofInteger(int64_t(uint64_t(value.f)));
  const bool isWide = to == ElementType::I64 || to == ElementType::U64 ||
                      to == ElementType::U32;
  const double most = isWide ? 0x1p63 : 0x1p31;
  const bool fits = std::trunc(value.f) >= -most && value.f < most;
  return wrapInteger(fits     ? int64_t(value.f)
                     : isWide ? INT64_MIN
                              : INT32_MIN,
                     to);
}

/// A number that is known, in `type`.
static Scalar toScalar(const fop::Number &number, ElementType type) {
  return std::visit(
      [&](auto held) {
        if constexpr (std::is_same_v<decltype(held), double>)
          return convert(ofFloat(held), ElementType::F64, type);
        else
          return convert(ofInteger(int64_t(held)), ElementType::I64, type);
      },
      number);
}

/// `a op b` of floats before it is rounded.
static double computeFloat(llvm::StringRef op, double a, double b) {
  if (op == "+")
    return add(a, b);
  if (op == "-")
    return subtract(a, b);
  if (op == "*")
    return multiply(a, b);
  if (op == "/")
    return divide(a, b);
  if (op == "%")
    return modulo(a, b);
  if (op == "fmod")
    return remainder(a, b);
  if (op == "max")
    return maximum(a, b);
  if (op == "min")
    return minimum(a, b);
  return power(a, b);
}

/// The same of integers; `isWide`: they are unsigned and fill 64 bits.
static int64_t computeInteger(llvm::StringRef op, int64_t a, int64_t b,
                              bool isWide) {
  const auto p = uint64_t(a), q = uint64_t(b);
  if (op == "+")
    return add(a, b);
  if (op == "-")
    return subtract(a, b);
  if (op == "*")
    return multiply(a, b);
  if (op == "max")
    return isWide ? int64_t(std::max(p, q)) : maximum(a, b);
  if (op == "min")
    return isWide ? int64_t(std::min(p, q)) : minimum(a, b);
  if (op == "/" || op == "//") {
    if (isWide)
      return q ? int64_t(p / q) : 0;
    const bool isRoundedUp = op == "//" && modulo(a, b) != remainder(a, b);
    return divide(a, b) - int64_t(isRoundedUp);
  }
  if (op == "%" || op == "fmod") {
    if (isWide)
      return q ? int64_t(p % q) : 0;
    return op == "%" ? modulo(a, b) : remainder(a, b);
  }
  return power(a, b);
}

template <typename T> static bool holds(llvm::StringRef op, T a, T b) {
  if (op == "==")
    return a == b;
  if (op == "!=")
    return a != b;
  if (op == "<")
    return a < b;
  if (op == "<=")
    return a <= b;
  return op == ">" ? a > b : a >= b;
}

static bool isComparison(llvm::StringRef op) {
  return op.starts_with("<") || op.starts_with(">") || op == "==" || op == "!=";
}

/// `a op b` of two numbers of `type`, as one of `type`, or a condition.
static Scalar computePair(llvm::StringRef op, Scalar a, Scalar b,
                          ElementType type) {
  if (op == "and" || op == "or")
    return ofInteger(op == "and" ? a.i & b.i : a.i | b.i);
  if (isComparison(op)) {
    if (io::isFloat(type))
      return ofInteger(holds(op, a.f, b.f));
    return ofInteger(type == ElementType::U64
                         ? holds(op, uint64_t(a.i), uint64_t(b.i))
                         : holds(op, a.i, b.i));
  }
  if (io::isFloat(type))
    return roundFloat(computeFloat(op, a.f, b.f), type);
  return wrapInteger(computeInteger(op, a.i, b.i, type == ElementType::U64),
                     type);
}

//===- Expressions --------------------------------------------------------===//

BodyEvaluator::Value BodyEvaluator::make(const Expr &expr) {
  switch (expr.kind) {
  case ExprKind::Number:
    break; // takes the type of what it meets
  case ExprKind::Name:
    return makeName(expr);
  case ExprKind::Unary:
    return makeUnary(expr);
  case ExprKind::Binary:
    return makeBinary(expr);
  case ExprKind::Call:
    return makeFunction(expr);
  case ExprKind::Reduce:
    return makeReduction(expr);
  case ExprKind::Subscript:
    return makeSubscript(expr);
  }
  llvm_unreachable("a number is made by what it meets");
}

BodyEvaluator::Value BodyEvaluator::makeAs(const Expr &expr, ElementType type) {
  const Fact &fact = at.get(expr);
  if (fact.number) {
    const Scalar value = toScalar(*fact.number, type);
    return [value](Places &) { return value; };
  }
  Value value = make(expr);
  const ElementType from = fact.element;
  if (from == type)
    return value;
  return [=](Places &places) { return convert(value(places), from, type); };
}

BodyEvaluator::Value BodyEvaluator::makeName(const Expr &expr) {
  const Fact &fact = at.get(expr);
  if (fact.isIndex) {
    const unsigned index = fact.indices[0];
    return [index](Places &places) { return ofInteger(places[index]); };
  }
  return read(tensors.at(expr.text), fact.indices);
}

BodyEvaluator::Value BodyEvaluator::makeUnary(const Expr &expr) {
  const ElementType type = at.get(expr).element;
  Value value = make(*expr.operands[0]);
  if (expr.text == "not")
    return [=](Places &places) { return ofInteger(!value(places).i); };
  if (expr.text == "+")
    return value;
  if (io::isFloat(type))
    return [=](Places &places) { return ofFloat(-value(places).f); };
  return [=](Places &places) {
    return wrapInteger(subtract(int64_t(0), value(places).i), type);
  };
}

BodyEvaluator::Value BodyEvaluator::makeBinary(const Expr &expr) {
  const ElementType type = at.get(expr).common;
  Value a = makeAs(*expr.operands[0], type),
        b = makeAs(*expr.operands[1], type);
  const std::string op = expr.text;
  return [=](Places &places) {
    const Scalar x = a(places), y = b(places);
    return computePair(op, x, y, type);
  };
}

BodyEvaluator::Value BodyEvaluator::makeFunction(const Expr &expr) {
  const Fact &fact = at.get(expr);
  if (at.findType(expr.text))
    return makeAs(*expr.operands[0], fact.element);
  const fop::Function *function = fop::findFunction(expr.text);
  if (!function)
    return read(compute(expr)[0], fact.indices);
  if (function->kind == fop::FunctionKind::Index) {
    const unsigned index = fact.indices[0];
    return [index](Places &places) { return ofInteger(places[index]); };
  }
  const ElementType type = fact.common;
  if (function->kind == fop::FunctionKind::Select) {
    Value condition = make(*expr.operands[0]);
    Value first = makeAs(*expr.operands[1], type),
          second = makeAs(*expr.operands[2], type);
    return [=](Places &places) {
      return condition(places).i ? first(places) : second(places);
    };
  }
  std::vector<Value> operands;
  for (const fop::ExprPtr &operand : expr.operands)
    operands.push_back(makeAs(*operand, type));
  if (operands.size() > 1) {
    const std::string op = expr.text;
    return [=](Places &places) {
      Scalar value = operands[0](places);
      for (const Value &next : llvm::drop_begin(operands))
        value = computePair(op, value, next(places), type);
      return value;
    };
  }
  Value operand = operands[0];
  if (io::isFloat(type))
    return [=](Places &places) {
      const double x = operand(places).f;
      // relu of NaN is NaN, as of a maximum.
      const bool isKept = std::isnan(x);
      return roundFloat(isKept ? x : function->compute(x), type);
    };
  const bool isSign = expr.text == "sign", isWide = type == ElementType::U64;
  return [=](Places &places) {
    const int64_t x = operand(places).i;
    const bool isNegative = !isWide && x < 0;
    if (isSign)
      return ofInteger(isNegative ? -1 : x != 0);
    return wrapInteger(isNegative ? subtract(int64_t(0), x) : x, type);
  };
}

//===- Reductions ---------------------------------------------------------===//

/// Terms of a sum are rounded by the sum alone.
BodyEvaluator::Value BodyEvaluator::makeProduct(const Expr &expr) {
  const ElementType type = at.get(expr).element;
  if (expr.kind != ExprKind::Binary || expr.text != "*" || !io::isFloat(type))
    return make(expr);
  Value a = makeAs(*expr.operands[0], type),
        b = makeAs(*expr.operands[1], type);
  return [=](Places &places) {
    const double x = a(places).f;
    return ofFloat(x * b(places).f);
  };
}

BodyEvaluator::Value BodyEvaluator::makeReduction(const Expr &expr) {
  const Indices reduced = at.indicesOf(expr.indices);
  std::vector<int64_t> extents;
  int64_t count = 1;
  for (unsigned index : reduced) {
    extents.push_back(at.indices[index].extent);
    count *= extents.back();
  }
  const Expr &body = *expr.operands[0];
  const ElementType type = at.get(body).element;
  const bool isSum = expr.text == "sum" || expr.text == "mean";
  Value term = isSum ? makeProduct(body) : make(body);
  /// Calls f(term, position) at all places, and puts those back that were.
  auto visit = [=](Places &places, auto f) {
    llvm::SmallVector<int64_t, 4> before;
    for (unsigned index : reduced)
      before.push_back(places[index]);
    forEachPoint(extents, [&](const std::vector<int64_t> &point) {
      for (auto [index, place] : llvm::zip_equal(reduced, point))
        places[index] = place;
      f(term(places), point);
    });
    for (auto [index, place] : llvm::zip_equal(reduced, before))
      places[index] = place;
  };
  if (expr.text == "argmax" || expr.text == "argmin") {
    const std::string isBetter = expr.text == "argmax" ? ">" : "<";
    return [=](Places &places) {
      std::optional<Scalar> best;
      int64_t found = 0;
      visit(places, [&](Scalar next, const std::vector<int64_t> &point) {
        const bool isNaN = io::isFloat(type) && std::isnan(next.f);
        const bool hasNaN = best && io::isFloat(type) && std::isnan(best->f);
        if (best &&
            (hasNaN || (!isNaN && !computePair(isBetter, next, *best, type).i)))
          return;
        best = next;
        found = point[0];
      });
      return ofInteger(found);
    };
  }
  const std::string op = isSum                ? "+"
                         : expr.text == "max" ? "max"
                         : expr.text == "min" ? "min"
                                              : "*";
  const bool isMean = expr.text == "mean";
  return [=](Places &places) {
    std::optional<Scalar> total;
    visit(places, [&](Scalar next, const std::vector<int64_t> &) {
      if (!total)
        total = next;
      else if (io::isFloat(type))
        total->f = computeFloat(op, total->f, next.f);
      else
        total = computePair(op, *total, next, type);
    });
    if (!total)
      return toScalar(int64_t(op == "*"), type);
    if (isMean)
      total->f /= double(count);
    return io::isFloat(type) ? roundFloat(total->f, type) : *total;
  };
}

} // namespace fusec::ref
