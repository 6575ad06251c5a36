// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/io/Compare.h"

#include "compiler/io/ElementValue.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace fusec::io {

llvm::StringRef getName(OpClass opClass) {
  switch (opClass) {
  case OpClass::Exact:
    return "exact";
  case OpClass::Elementwise:
    return "elementwise";
  case OpClass::Reduction:
    return "reduction";
  case OpClass::Contraction:
    return "contraction";
  case OpClass::Network:
    return "network";
  case OpClass::Quantised:
    return "quantised";
  case OpClass::LoweredBf16:
    return "lowered to bf16";
  case OpClass::LoweredBothBf16:
    return "lowered to bf16 on both sides";
  case OpClass::LoweredInt8:
    return "lowered to int8";
  }
  llvm_unreachable("op class without a name");
}

//===- the table of tolerances -------------------------------------------===//

struct ToleranceRow {
  ElementType type;
  OpClass opClass;
  Tolerance tolerance;
};

static constexpr ToleranceRow kTolerances[] = {
#define FUSEC_TOLERANCE(TYPE, CLASS, ABSOLUTE, RELATIVE, SCALED)               \
  {ElementType::TYPE, OpClass::CLASS, {ABSOLUTE, RELATIVE, SCALED}},
#include "compiler/io/Tolerances.def"
};

Tolerance getTolerance(ElementType type, OpClass opClass) {
  for (const ToleranceRow &row : kTolerances)
    if (row.type == type && row.opClass == opClass)
      return row.tolerance;
  return {};
}

ElementType getLessPrecise(ElementType type, ElementType other) {
  for (ElementType least : {ElementType::BF16, ElementType::F16,
                            ElementType::F32, ElementType::F64})
    if (isFloat(type) && (type == least || other == least))
      return least;
  return type;
}

//===- comparison --------------------------------------------------------===//

/// Maps the bits of a float of `bytes` bytes to an integer that counts its
/// type's values in order; both zeros map to 0.
static int64_t floatOrdinal(const char *element, unsigned bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, element, bytes);
  uint64_t sign = uint64_t(1) << (bytes * 8 - 1);
  auto magnitude = static_cast<int64_t>(bits & (sign - 1));
  return bits & sign ? -magnitude : magnitude;
}

static uint64_t distance(int64_t a, int64_t b) {
  return a < b ? uint64_t(b) - uint64_t(a) : uint64_t(a) - uint64_t(b);
}

namespace {
/// Compares element by element and keeps the extremes.
class Comparer {
public:
  Comparer(const Tensor &actual, const Tensor &expected,
           const Tolerance &tolerance, llvm::ArrayRef<double> scale)
      : actual(actual), expected(expected), tolerance(tolerance), scale(scale) {
    result.elements = expected.numElements();
    result.tolerance = tolerance;
  }
  Comparison run() {
    if (isFloat(expected.type))
      compareFloats();
    else
      compareInts();
    return result;
  }

private:
  void compareFloats() {
    std::vector<double> a = toDoubles(actual), e = toDoubles(expected);
    unsigned bytes = getInfo(expected.type).bytes;
    double largest = 0;
    for (double value : e)
      if (std::isfinite(value))
        largest = std::max(largest, std::fabs(value));
    for (int64_t i = 0; i < result.elements; ++i) {
      if (a[i] == e[i] || (std::isnan(a[i]) && std::isnan(e[i])))
        continue;
      if (!std::isfinite(a[i]) || !std::isfinite(e[i])) {
        note(i, a[i], e[i], std::numeric_limits<double>::infinity(), UINT64_MAX,
             0);
        continue;
      }
      double allowed = tolerance.absolute +
                       tolerance.relative * std::fabs(e[i]) +
                       tolerance.scaled * (scale.empty() ? largest : scale[i]);
      note(i, a[i], e[i], std::fabs(a[i] - e[i]),
           distance(floatOrdinal(&actual.bytes[i * bytes], bytes),
                    floatOrdinal(&expected.bytes[i * bytes], bytes)),
           allowed);
    }
  }
  void compareInts() {
    std::vector<int64_t> a = toInts(actual), e = toInts(expected);
    for (int64_t i = 0; i < result.elements; ++i) {
      uint64_t steps = distance(a[i], e[i]);
      auto expectedValue = static_cast<double>(e[i]);
      if (steps)
        note(i, static_cast<double>(a[i]), expectedValue,
             static_cast<double>(steps), steps,
             tolerance.absolute +
                 tolerance.relative * std::fabs(expectedValue));
    }
  }
  void note(int64_t index, double actualValue, double expectedValue,
            double error, uint64_t steps, double allowed) {
    result.maxAbsError = std::max(result.maxAbsError, error);
    result.maxUlp = std::max(result.maxUlp, steps);
    if (error <= allowed)
      return;
    ++result.failed;
    if (result.worst >= 0 && error - allowed <= worstExcess)
      return;
    worstExcess = error - allowed;
    result.worst = index;
    result.worstActual = actualValue;
    result.worstExpected = expectedValue;
  }

  const Tensor &actual, &expected;
  const Tolerance &tolerance;
  llvm::ArrayRef<double> scale;
  Comparison result;
  double worstExcess = 0;
};
} // namespace

/// "1e-06 + 1e-05 * |expected| + 4e-06 * scale", without what is 0.
static std::string describe(const Tolerance &tolerance) {
  std::string text;
  auto add = [&](double value, const char *factor) {
    if (value)
      text +=
          fmt::format("{}{:.3g}{}", text.empty() ? "" : " + ", value, factor);
  };
  add(tolerance.absolute, "");
  add(tolerance.relative, " * |expected|");
  add(tolerance.scaled, " * scale");
  return text.empty() ? "0" : text;
}

std::string Comparison::describe() const {
  std::string line = fmt::format(
      "max abs error {:.3g}, max ULP {}, {} of {} elements beyond tolerance {}",
      maxAbsError, maxUlp == UINT64_MAX ? "inf" : std::to_string(maxUlp),
      failed, elements, fusec::io::describe(tolerance));
  if (failed)
    line += fmt::format(" (worst: element {} is {:.9g}, expected {:.9g})",
                        worst, worstActual, worstExpected);
  return line;
}

llvm::Expected<Comparison> compare(const Tensor &actual, const Tensor &expected,
                                   const Tolerance &tolerance,
                                   llvm::ArrayRef<double> scale) {
  if (actual.type != expected.type || actual.shape != expected.shape)
    return llvm::createStringError(
        "cannot compare " + fusec::io::describe(actual.type, actual.shape) +
        " with expected " + fusec::io::describe(expected.type, expected.shape));
  return Comparer(actual, expected, tolerance, scale).run();
}

} // namespace fusec::io
