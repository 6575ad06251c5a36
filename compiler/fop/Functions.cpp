// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/fop/Functions.h"

#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>

namespace fusec::fop {

static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
static double softplus(double x) { return std::log1p(std::exp(x)); }
static double relu(double x) { return x > 0 ? x : 0; }
static double rsqrt(double x) { return 1 / std::sqrt(x); }

static constexpr Function kFunctions[] = {
    {"abs", FunctionKind::Numeric, std::fabs},
    {"acos", FunctionKind::Float, std::acos},
    {"acosh", FunctionKind::Float, std::acosh},
    {"asin", FunctionKind::Float, std::asin},
    {"asinh", FunctionKind::Float, std::asinh},
    {"atan", FunctionKind::Float, std::atan},
    {"atanh", FunctionKind::Float, std::atanh},
    {"ceil", FunctionKind::Float, std::ceil},
    {"cos", FunctionKind::Float, std::cos},
    {"cosh", FunctionKind::Float, std::cosh},
    {"erf", FunctionKind::Float, std::erf},
    {"exp", FunctionKind::Float, std::exp},
    {"expm1", FunctionKind::Float, std::expm1},
    {"floor", FunctionKind::Float, std::floor},
    {"fmod", FunctionKind::Pair},
    {"index", FunctionKind::Index},
    {"log", FunctionKind::Float, std::log},
    {"log1p", FunctionKind::Float, std::log1p},
    {"max", FunctionKind::Fold},
    {"min", FunctionKind::Fold},
    {"pow", FunctionKind::Pair},
    {"relu", FunctionKind::Float, relu},
    {"round", FunctionKind::Float, std::nearbyint},
    {"rsqrt", FunctionKind::Float, rsqrt},
    {"select", FunctionKind::Select},
    {"sigmoid", FunctionKind::Float, sigmoid},
    {"sign", FunctionKind::Numeric,
     [](double x) { return x > 0   ? 1.0
                           : x < 0 ? -1.0
                                   : x; }},
    {"sin", FunctionKind::Float, std::sin},
    {"sinh", FunctionKind::Float, std::sinh},
    {"size", FunctionKind::Size},
    {"softplus", FunctionKind::Float, softplus},
    {"sqrt", FunctionKind::Float, std::sqrt},
    {"tan", FunctionKind::Float, std::tan},
    {"tanh", FunctionKind::Float, std::tanh},
};

llvm::ArrayRef<Function> allFunctions() { return kFunctions; }

const Function *findFunction(llvm::StringRef name) {
  const Function *found = llvm::find_if(
      kFunctions, [&](const Function &known) { return known.name == name; });
  return found == std::end(kFunctions) ? nullptr : found;
}

std::string describe(const Number &number) {
  return std::visit([](auto held) { return fmt::format("{}", held); }, number);
}

double toDouble(const Number &number, Place place) {
  if (const auto *whole = std::get_if<int64_t>(&number))
    return double(*whole);
  if (const auto *real = std::get_if<double>(&number))
    return *real;
  refuse(place, "expected a number, not " + describe(number));
}

int64_t toInteger(const Number &number, Place place, llvm::StringRef what) {
  if (const auto *whole = std::get_if<int64_t>(&number))
    return *whole;
  refuse(place, what + " is an integer, not " + describe(number));
}

static Number computeInteger(llvm::StringRef op, int64_t a, int64_t b,
                             Place place) {
  int64_t result = 0;
  bool isTooLarge = false;
  if (op == "+")
    isTooLarge = __builtin_add_overflow(a, b, &result);
  else if (op == "-")
    isTooLarge = __builtin_sub_overflow(a, b, &result);
  else if (op == "*")
    isTooLarge = __builtin_mul_overflow(a, b, &result);
  else if (b == 0)
    refuse(place, "division of " + llvm::Twine(a) + " by 0");
  else if (b == -1 && a == INT64_MIN)
    isTooLarge = true;
  else {
    const int64_t rest = a % b;
    const bool isBelow = rest != 0 && (rest < 0) != (b < 0);
    result = op == "%" ? rest + (isBelow ? b : 0) : a / b - isBelow;
  }
  if (isTooLarge)
    refuse(place, fmt::format("{} {} {} does not fit 64 bits", a, op.str(), b));
  return result;
}

static Number check(double value, Place place) {
  if (std::isnan(value))
    refuse(place, "a number that is none (NaN) comes out here");
  return value;
}

static std::optional<bool> compare(llvm::StringRef op, double a, double b) {
  if (op == "==")
    return a == b;
  if (op == "!=")
    return a != b;
  if (op == "<")
    return a < b;
  if (op == "<=")
    return a <= b;
  if (op == ">")
    return a > b;
  if (op == ">=")
    return a >= b;
  return std::nullopt;
}

Number compute(llvm::StringRef op, const Number &lhs, const Number &rhs,
               Place place) {
  const auto *p = std::get_if<bool>(&lhs), *q = std::get_if<bool>(&rhs);
  if (op == "and" || op == "or") {
    if (!p || !q)
      refuse(place, "'" + op + "' takes conditions, not numbers");
    return op == "and" ? *p && *q : *p || *q;
  }
  if (p && q && (op == "==" || op == "!="))
    return (*p == *q) == (op == "==");
  const auto *a = std::get_if<int64_t>(&lhs), *b = std::get_if<int64_t>(&rhs);
  if (a && b && op != "/" && op != "^") {
    // Doubles would round integers of more than 53 bits.
    if (std::optional<bool> isTrue = compare(op, *a < *b ? -1 : *a > *b, 0))
      return *isTrue;
    return computeInteger(op, *a, *b, place);
  }
  const double x = toDouble(lhs, place), y = toDouble(rhs, place);
  if (std::optional<bool> isTrue = compare(op, x, y))
    return *isTrue;
  if (op == "+")
    return check(x + y, place);
  if (op == "-")
    return check(x - y, place);
  if (op == "*")
    return check(x * y, place);
  if (op == "^") {
    const double power = std::pow(x, y);
    if (a && b && *b >= 0 && std::fabs(power) <= double(int64_t(1) << 53))
      return int64_t(power);
    return check(power, place);
  }
  if (y == 0)
    refuse(place, "division of " + describe(lhs) + " by 0");
  if (op == "/")
    return check(x / y, place);
  if (op == "%")
    return check(x - std::floor(x / y) * y, place);
  return check(std::floor(x / y), place);
}

Number computeUnary(llvm::StringRef op, const Number &operand, Place place) {
  if (op == "not") {
    if (const auto *flag = std::get_if<bool>(&operand))
      return !*flag;
    refuse(place, "'not' takes a condition, not a number");
  }
  if (op == "+")
    return toDouble(operand, place), operand;
  if (const auto *whole = std::get_if<int64_t>(&operand))
    return computeInteger("-", 0, *whole, place);
  return -toDouble(operand, place);
}

Number computeFunction(const Function &function, llvm::ArrayRef<Number> numbers,
                       Place place) {
  if (function.kind == FunctionKind::Select) {
    const auto *isFirst = std::get_if<bool>(&numbers[0]);
    if (!isFirst)
      refuse(place, "select takes a condition first, not a number");
    return *isFirst ? numbers[1] : numbers[2];
  }
  if (function.kind == FunctionKind::Fold) {
    Number best = numbers[0];
    (void)toDouble(best, place);
    for (const Number &next : numbers.drop_front()) {
      Number isLess = compute("<", next, best, place);
      if (std::get<bool>(isLess) == (function.name == "min"))
        best = next;
    }
    return best;
  }
  if (function.name == "pow")
    return compute("^", numbers[0], numbers[1], place);
  if (function.name == "fmod")
    return check(
        std::fmod(toDouble(numbers[0], place), toDouble(numbers[1], place)),
        place);
  const double value = function.compute(toDouble(numbers[0], place));
  // floor, ceil, round, abs and sign of integers are such.
  if (std::holds_alternative<int64_t>(numbers[0]) &&
      value == std::rint(value) &&
      (function.kind == FunctionKind::Numeric || function.name == "floor" ||
       function.name == "ceil" || function.name == "round") &&
      std::fabs(value) < double(int64_t(1) << 53))
    return int64_t(value);
  return check(value, place);
}

} // namespace fusec::fop
