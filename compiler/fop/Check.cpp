// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions: numbers are computed, everything else gets its type and the
// dimensions that it depends on.
#include "compiler/fop/Checker.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>

namespace fusec::fop {

using io::ElementType;

/// Expressions in all calls that a call expands to.
static constexpr size_t kMaxExpressions = 100000;

Fact Checker::ofNumber(Number number) {
  Fact fact;
  if (const auto *whole = std::get_if<int64_t>(&number)) {
    fact.linear = Linear{{}, *whole};
    fact.low = fact.high = *whole;
  }
  fact.number = number;
  return fact;
}

Fact Checker::ofIndex(unsigned index) const {
  Fact fact;
  fact.element = ElementType::I64;
  fact.isIndex = true;
  fact.indices = {index};
  fact.linear = Linear{{{index, 1}}, 0};
  fact.low = 0;
  fact.high = std::max<int64_t>(at.indices[index].extent - 1, 0);
  return fact;
}

Indices Checker::merge(const Indices &a, const Indices &b) {
  auto isIn = [](const Indices &all) {
    return [&](unsigned index) { return llvm::is_contained(all, index); };
  };
  if (a.size() < b.size() && llvm::all_of(a, isIn(b)))
    return b;
  Indices both = a;
  for (unsigned index : b)
    if (!llvm::is_contained(a, index))
      both.push_back(index);
  return both;
}

Number Checker::numberOf(const Expr &expr, llvm::StringRef what) {
  Fact fact = check(expr);
  if (!fact.number)
    refuse(expr.place, what + " has to be known while compiling: of numbers, "
                              "dimensions and parameters");
  return *fact.number;
}

void Checker::requireFit(const Number &number, ElementType type, Place place) {
  auto wrong = [&] {
    refuse(place, fmt::format("{} is no {}; cast what it meets",
                              describe(number), nameOf(type).str()));
  };
  if (std::holds_alternative<bool>(number) != (type == ElementType::Bool))
    wrong();
  if (!isInteger(type))
    return;
  const auto *whole = std::get_if<int64_t>(&number);
  if (!whole)
    wrong();
  const unsigned bits = io::getInfo(type).bytes * 8;
  const bool isUnsigned = nameOf(type).starts_with("u");
  const int64_t most = isUnsigned
                           ? (bits == 64 ? INT64_MAX : (int64_t(1) << bits) - 1)
                           : INT64_MAX >> (64 - bits);
  const int64_t least = isUnsigned ? 0 : -most - 1;
  if (*whole < least || *whole > most)
    wrong();
}

ElementType Checker::meet(const Fact &a, const Fact &b, Place place) {
  if (a.number || b.number) {
    const Fact &tensor = a.number ? b : a;
    const Number &number = a.number ? *a.number : *b.number;
    requireFit(number, tensor.element, place);
    return tensor.element;
  }
  // Indices take the type of what they meet.
  if (a.isIndex != b.isIndex) {
    const ElementType type = a.isIndex ? b.element : a.element;
    if (type == ElementType::Bool)
      refuse(place, "an index and a condition do not go together");
    return type;
  }
  if (a.element != b.element)
    refuse(place, fmt::format("{} and {} do not go together; cast one of them, "
                              "as in {}(x)",
                              nameOf(a.element).str(), nameOf(b.element).str(),
                              nameOf(a.element).str()));
  return a.element;
}

Fact Checker::check(const Expr &expr, bool isPosition) {
  if (++budget.expressions > kMaxExpressions)
    refuse(expr.place, fmt::format("the calls of operators come to more than "
                                   "{} expressions",
                                   kMaxExpressions));
  Fact fact = checkKind(expr, isPosition);
  at.facts[&expr] = fact;
  return fact;
}

Fact Checker::checkKind(const Expr &expr, bool isPosition) {
  switch (expr.kind) {
  case ExprKind::Number:
    return ofNumber(expr.number);
  case ExprKind::Name:
    return checkName(expr, isPosition);
  case ExprKind::Unary:
    return checkUnary(expr, isPosition);
  case ExprKind::Binary:
    return checkBinary(expr, isPosition);
  case ExprKind::Call:
    return checkFunction(expr, isPosition);
  case ExprKind::Reduce:
    return checkReduction(expr, isPosition);
  case ExprKind::Subscript:
    return checkSubscript(expr);
  }
  llvm_unreachable("covers all kinds");
}

Fact Checker::checkName(const Expr &expr, bool isPosition) {
  if (auto number = at.numbers.find(expr.text); number != at.numbers.end())
    return ofNumber(number->second);
  if (at.lists.count(expr.text))
    refuse(expr.place, "'" + expr.text + "' is a list; take one number, as " +
                           expr.text + "[0]");
  auto tensor = at.tensors.find(expr.text);
  if (tensor != at.tensors.end()) {
    Fact fact;
    fact.element = tensor->second.element;
    for (const Slot &slot : tensor->second.slots) {
      if (!slot.index || llvm::is_contained(fact.indices, *slot.index))
        refuse(expr.place, "'" + expr.text + "' has " +
                               (slot.index ? "two dimensions of one name"
                                           : "a dimension without a name") +
                               ", so that it needs subscripts");
      fact.indices.push_back(*slot.index);
    }
    return fact;
  }
  auto index = at.indexOf.find(expr.text);
  if (index == at.indexOf.end())
    refuse(expr.place,
           "how many elements '" + expr.text + "' has is not known here");
  return isPosition ? ofIndex(index->second)
                    : ofNumber(at.indices[index->second].extent);
}

Fact Checker::checkUnary(const Expr &expr, bool isPosition) {
  Fact operand = check(*expr.operands[0], isPosition);
  if (operand.number)
    return ofNumber(computeUnary(expr.text, *operand.number, expr.place));
  const bool isBool = operand.element == ElementType::Bool;
  if (isBool != (expr.text == "not"))
    refuse(expr.place, "'" + expr.text + "' takes " +
                           (isBool ? "numbers" : "conditions") + ", not " +
                           nameOf(operand.element));
  Fact fact = operand;
  if (operand.isIndex && expr.text == "-")
    combineIndices("-", ofNumber(int64_t(0)), operand, fact, expr.place);
  return fact;
}

Fact Checker::checkBinary(const Expr &expr, bool isPosition) {
  Fact a = check(*expr.operands[0], isPosition),
       b = check(*expr.operands[1], isPosition);
  const llvm::StringRef op = expr.text;
  if (a.number && b.number)
    return ofNumber(compute(op, *a.number, *b.number, expr.place));
  Fact fact;
  fact.common = fact.element = meet(a, b, expr.place);
  fact.indices = merge(a.indices, b.indices);
  const bool isBool = fact.common == ElementType::Bool;
  const bool isLogic = op == "and" || op == "or";
  const bool isEquality = op == "==" || op == "!=";
  if (isBool != isLogic && !(isBool && isEquality))
    refuse(expr.place, "'" + op + "' takes " +
                           (isLogic ? "conditions" : "numbers") + ", not " +
                           nameOf(fact.common));
  if (op.starts_with("<") || op.starts_with(">") || isEquality) {
    fact.element = ElementType::Bool;
    return fact;
  }
  if (op == "//" && !isInteger(fact.common))
    refuse(expr.place, "'//' is of integers; write floor(a / b)");
  if ((a.isIndex || a.number) && (b.isIndex || b.number)) {
    if (op == "/" || op == "^")
      refuse(expr.place, "'" + op + "' of an index" +
                             (op == "/" ? "; write //, or cast it first" : ""));
    fact.isIndex = true;
    combineIndices(op, a, b, fact, expr.place);
  }
  return fact;
}

Fact Checker::checkReduction(const Expr &expr, bool isPosition) {
  declareIndices(expr.indices);
  const Expr &operand = *expr.operands[0];
  Fact inner = check(operand, isPosition);
  if (inner.number)
    refuse(operand.place, "'" + expr.text +
                              "' of a number; it takes a tensor, "
                              "or what is computed from one");
  Fact fact;
  fact.element = inner.element;
  const Indices own = at.indicesOf(expr.indices);
  for (unsigned index : inner.indices)
    if (!llvm::is_contained(own, index))
      fact.indices.push_back(index);
  if (inner.element == ElementType::Bool)
    refuse(operand.place, "'" + expr.text +
                              "' of conditions; cast them, as in "
                              "i32(x > 0)");
  const bool isArg = llvm::StringRef(expr.text).starts_with("arg");
  int64_t count = 1;
  for (unsigned index : own)
    count *= at.indices[index].extent > 0;
  if (expr.text == "mean" && !io::isFloat(inner.element))
    refuse(operand.place, "'mean' of integers; cast them, as in f32(x)");
  if (count == 0 && expr.text != "sum" && expr.text != "prod")
    refuse(expr.place, "'" + expr.text + "' of no elements");
  if (isArg) {
    if (own.size() != 1)
      refuse(expr.place, "'" + expr.text + "' runs over one dimension");
    if (!llvm::is_contained(inner.indices, own[0]))
      refuse(expr.place, "'" + expr.text +
                             "' over a dimension that its operand "
                             "does not have");
    fact.element = ElementType::I64;
  }
  return fact;
}

Fact Checker::checkCast(const Expr &expr, ElementType type, bool isPosition) {
  if (io::isCoded(type) || io::getInfo(type).packedBits)
    refuse(expr.place, "nothing is computed with " + nameOf(type));
  Fact operand = check(*expr.operands[0], isPosition);
  if (operand.number && !std::holds_alternative<bool>(*operand.number))
    requireFit(*operand.number, type, expr.place);
  Fact fact;
  fact.element = type;
  fact.indices = operand.indices;
  return fact;
}

Fact Checker::checkSelect(const Expr &expr, const std::vector<Fact> &facts) {
  if (facts[0].number || facts[0].element != ElementType::Bool)
    refuse(expr.operands[0]->place, "select takes a condition first");
  if (facts[1].number && facts[2].number)
    refuse(expr.place, "select of two numbers has no type; cast one, as in "
                       "f32(1)");
  Fact fact;
  fact.common = fact.element = meet(facts[1], facts[2], expr.place);
  fact.indices =
      merge(merge(facts[0].indices, facts[1].indices), facts[2].indices);
  return fact;
}

Fact Checker::checkFunction(const Expr &expr, bool isPosition) {
  if (auto type = at.findType(expr.text))
    return checkCast(expr, *type, isPosition);
  const Function *function = findFunction(expr.text);
  if (!function) {
    const CallFact &call = checkCall(expr);
    if (call.results.size() != 1)
      refuse(expr.place, "'" + expr.text +
                             "' has several results; give them "
                             "names: a, b = " +
                             expr.text + "(...)");
    Fact fact;
    fact.element = call.results[0].element;
    for (const Slot &slot : call.results[0].slots) {
      if (!slot.index || llvm::is_contained(fact.indices, *slot.index))
        refuse(expr.place, "the result of '" + expr.text +
                               "' has dimensions without names; give it one, "
                               "as in y[n, m] = " +
                               expr.text + "(...)");
      fact.indices.push_back(*slot.index);
    }
    return fact;
  }
  if (function->kind == FunctionKind::Index ||
      function->kind == FunctionKind::Size) {
    auto index = at.indexOf.find(expr.operands[0]->text);
    if (index == at.indexOf.end())
      refuse(expr.place, "how many elements '" + expr.operands[0]->text +
                             "' has is not known here");
    return function->kind == FunctionKind::Index
               ? ofIndex(index->second)
               : ofNumber(at.indices[index->second].extent);
  }
  std::vector<Fact> facts;
  std::vector<Number> numbers;
  for (const ExprPtr &operand : expr.operands) {
    facts.push_back(check(*operand, isPosition));
    if (facts.back().number)
      numbers.push_back(*facts.back().number);
  }
  if (numbers.size() == facts.size())
    return ofNumber(computeFunction(*function, numbers, expr.place));
  if (function->kind == FunctionKind::Select)
    return checkSelect(expr, facts);
  Fact fact = *llvm::find_if(
      facts, [](const Fact &operand) { return !operand.number; });
  for (const Fact &next : facts) {
    const ElementType type = meet(fact, next, expr.place);
    if (function->kind == FunctionKind::Fold && fact.isIndex &&
        (next.isIndex || next.number))
      combineIndices(expr.text, fact, next, fact, expr.place);
    else
      fact.isIndex = false;
    fact.element = type;
  }
  fact.common = fact.element;
  fact.linear.reset();
  fact.indices.clear();
  for (const Fact &operand : facts)
    fact.indices = merge(fact.indices, operand.indices);
  if (fact.element == ElementType::Bool)
    refuse(expr.place, "'" + expr.text + "' of conditions");
  if (function->kind == FunctionKind::Float && !io::isFloat(fact.element))
    refuse(expr.place, "'" + expr.text + "' of " + nameOf(fact.element) +
                           "; cast it first, as in f32(x)");
  return fact;
}

} // namespace fusec::fop
