// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Subscripts: what they read, and whether that lies inside.
#include "compiler/fop/Checker.h"

#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

namespace fusec::fop {

using io::ElementType;

/// Positions beyond this are nobody's.
static constexpr int64_t kFar = int64_t(1) << 60;

/// A sum or product, or nothing where it is far outside.
static std::optional<int64_t> near(__int128 value) {
  if (value > kFar || value < -kFar)
    return std::nullopt;
  return int64_t(value);
}

static int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

/// factor * a + b, without zeros; nothing where numbers become too large.
static std::optional<Linear> addScaled(const Linear &a, int64_t factor,
                                       const Linear &b) {
  Linear sum = b;
  auto add = [&](int64_t &into, int64_t value) {
    std::optional<int64_t> next = near(__int128(value) * factor + into);
    into = next.value_or(0);
    return next.has_value();
  };
  bool isFine = add(sum.constant, a.constant);
  for (auto [index, own] : a.factors) {
    int64_t &into = sum.factors[index];
    isFine &= add(into, own);
    if (into == 0)
      sum.factors.erase(index);
  }
  return isFine ? std::optional(sum) : std::nullopt;
}

void Checker::combineIndices(llvm::StringRef op, const Fact &a, const Fact &b,
                             Fact &result, Place place) {
  std::optional<Linear> linear;
  llvm::SmallVector<__int128, 4> ends;
  auto pairs = [&](auto f) {
    for (int64_t x : {a.low, a.high})
      for (int64_t y : {b.low, b.high})
        ends.push_back(f(__int128(x), __int128(y)));
  };
  if (op == "+" || op == "-") {
    const int sign = op == "+" ? 1 : -1;
    if (a.linear && b.linear)
      linear = addScaled(*b.linear, sign, *a.linear);
    pairs([&](__int128 x, __int128 y) { return x + sign * y; });
  } else if (op == "*") {
    if (a.linear && a.linear->factors.empty() && b.linear)
      linear = addScaled(*b.linear, a.linear->constant, {});
    else if (b.linear && b.linear->factors.empty() && a.linear)
      linear = addScaled(*a.linear, b.linear->constant, {});
    pairs([](__int128 x, __int128 y) { return x * y; });
  } else if (op == "min" || op == "max") {
    const bool isMin = op == "min";
    ends = {isMin ? std::min(a.low, b.low) : std::max(a.low, b.low),
            isMin ? std::min(a.high, b.high) : std::max(a.high, b.high)};
  } else {
    if (!b.number || b.low <= 0)
      refuse(place, "'" + op + "' of an index takes a number above 0");
    if (op == "//")
      ends = {floorDivide(a.low, b.low), floorDivide(a.high, b.low)};
    else if (floorDivide(a.low, b.low) == floorDivide(a.high, b.low))
      ends = {a.low - floorDivide(a.low, b.low) * b.low,
              a.high - floorDivide(a.low, b.low) * b.low};
    else
      ends = {0, b.low - 1};
  }
  const std::optional<int64_t> low = near(*llvm::min_element(ends)),
                               high = near(*llvm::max_element(ends));
  if (!low || !high)
    refuse(place, "this reaches positions beyond 2^60");
  result.low = *low;
  result.high = *high;
  result.linear = linear;
  // Of the same index several times, the ends above are too far apart.
  if (!linear)
    return;
  __int128 least = linear->constant, most = linear->constant;
  for (auto [index, factor] : linear->factors) {
    const int64_t last = std::max<int64_t>(at.indices[index].extent - 1, 0);
    (factor > 0 ? most : least) += __int128(factor) * last;
  }
  result.low = near(least).value_or(result.low);
  result.high = near(most).value_or(result.high);
}

/// Whether a floating-point position is an integer for sure.
bool Checker::isRounded(const Expr &expr) const {
  const Fact &fact = at.get(expr);
  if (fact.isIndex || (fact.number && std::get_if<int64_t>(&*fact.number)))
    return true;
  const bool isKept =
      expr.kind == ExprKind::Unary ||
      (expr.kind == ExprKind::Binary &&
       (expr.text == "+" || expr.text == "-" || expr.text == "*"));
  if (isKept)
    return llvm::all_of(expr.operands, [&](const ExprPtr &operand) {
      return isRounded(*operand);
    });
  return expr.kind == ExprKind::Call &&
         (expr.text == "floor" || expr.text == "ceil" || expr.text == "round");
}

Entry Checker::checkEntry(const Expr &subscript, const Expr &expr,
                          int64_t extent) {
  Fact fact = check(expr, /*isPosition=*/true);
  Entry entry{&expr, {}, false};
  const bool isStatic = fact.isIndex || fact.number;
  if (fact.number)
    (void)toInteger(*fact.number, expr.place, "a subscript");
  if (!isStatic) {
    if (io::isFloat(fact.element) && !isRounded(expr))
      refuse(expr.place, "a subscript of " + nameOf(fact.element) +
                             ", which may lie between elements; write "
                             "floor(...), ceil(...) or round(...)");
    if (fact.element == ElementType::Bool)
      refuse(expr.place, "a subscript that is a condition");
    if (extent == 0)
      refuse(expr.place, "'" + subscript.text + "' has no elements here");
    entry.mayLeave = true;
    return entry;
  }
  const bool isPlain = fact.linear && fact.linear->constant == 0 &&
                       fact.linear->factors.size() == 1 &&
                       fact.linear->factors.begin()->second == 1;
  if (isPlain) {
    const unsigned index = fact.linear->factors.begin()->first;
    if (at.indices[index].extent == extent) {
      entry.plain = index;
      return entry;
    }
  }
  const bool isEmpty = llvm::any_of(fact.indices, [&](unsigned index) {
    return at.indices[index].extent == 0;
  });
  entry.mayLeave = !isEmpty && (fact.low < 0 || fact.high >= extent);
  if (entry.mayLeave && !subscript.fill)
    refuse(expr.place,
           fmt::format("this subscript of '{}' takes values from {} to {}, and "
                       "the dimension has {} elements; say what lies outside, "
                       "as in {}[...] else 0",
                       subscript.text, fact.low, fact.high, extent,
                       subscript.text));
  return entry;
}

Fact Checker::checkSubscript(const Expr &expr) {
  if (auto list = at.lists.find(expr.text); list != at.lists.end()) {
    if (expr.operands.size() != 1)
      refuse(expr.place, "'" + expr.text + "' is a list, and takes one number");
    const Expr &position = *expr.operands[0];
    const int64_t number = toInteger(numberOf(position, "which number it is"),
                                     position.place, "a subscript");
    const auto count = int64_t(list->second.size());
    if (number < 0 || number >= count)
      refuse(position.place, fmt::format("number {} of '{}', which has {}",
                                         number, expr.text, count));
    return ofNumber(list->second[number]);
  }
  auto known = at.tensors.find(expr.text);
  if (known == at.tensors.end())
    refuse(expr.place, "'" + expr.text + "' is a number, without elements");
  const TensorFact tensor = known->second;
  size_t count = 0;
  for (const ExprPtr &operand : expr.operands)
    count +=
        operand->isGroup ? at.groups.find(operand->text)->second.size() : 1;
  if (count != tensor.slots.size())
    refuse(expr.place, fmt::format("{} subscripts of '{}', which has {} "
                                   "dimensions",
                                   count, expr.text, tensor.slots.size()));
  std::vector<Entry> entries;
  Fact fact;
  fact.element = fact.common = tensor.element;
  for (const ExprPtr &operand : expr.operands) {
    if (operand->isGroup) {
      for (unsigned index : at.groups.find(operand->text)->second) {
        const int64_t extent = tensor.slots[entries.size()].extent;
        if (extent != at.indices[index].extent)
          refuse(operand->place,
                 fmt::format("'*{}' has {} elements where '{}' has {}",
                             operand->text, at.indices[index].extent, expr.text,
                             extent));
        entries.push_back({nullptr, index, false});
        fact.indices = merge(fact.indices, {index});
      }
      continue;
    }
    entries.push_back(
        checkEntry(expr, *operand, tensor.slots[entries.size()].extent));
    fact.indices = merge(fact.indices, at.get(*operand).indices);
  }
  if (expr.fill) {
    Fact fill = check(*expr.fill);
    Fact own;
    own.element = tensor.element;
    (void)meet(own, fill, expr.fill->place);
    fact.indices = merge(fact.indices, fill.indices);
  }
  at.entries[&expr] = std::move(entries);
  return fact;
}

} // namespace fusec::fop
