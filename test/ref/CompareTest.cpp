// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/io/Compare.h"
#include "compiler/io/ElementValue.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

using namespace fusec::io;

namespace {

const double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

Tensor make(ElementType type, std::vector<double> values) {
  auto count = static_cast<int64_t>(values.size());
  return fromDoubles(type, {count}, values);
}

Comparison compareAll(const Tensor &actual, const Tensor &expected,
                      Tolerance tolerance = {},
                      std::vector<double> scale = {}) {
  llvm::Expected<Comparison> result =
      compare(actual, expected, tolerance, scale);
  if (!result)
    ADD_FAILURE() << llvm::toString(result.takeError());
  return result ? *result : Comparison();
}

TEST(Compare, EqualTensorsHaveNoError) {
  Tensor a = make(ElementType::F32, {1, -2, kInf, -kInf, kNan, 0.0});
  Tensor b = make(ElementType::F32, {1, -2, kInf, -kInf, kNan, -0.0});
  Comparison result = compareAll(a, b);
  EXPECT_TRUE(result.passed());
  EXPECT_EQ(result.maxAbsError, 0);
  EXPECT_EQ(result.maxUlp, 0u);
  EXPECT_EQ(result.elements, 6);
}

TEST(Compare, InfinityAndNanMatchOnlyThemselves) {
  Tolerance loose = {1e30, 1e30, 1e30};
  for (auto [a, b] : {std::pair(kInf, 1.0),
                      {1.0, kInf},
                      {kInf, -kInf},
                      {kNan, 1.0},
                      {1.0, kNan},
                      {kNan, kInf}}) {
    Comparison result = compareAll(make(ElementType::F32, {a}),
                                   make(ElementType::F32, {b}), loose);
    EXPECT_EQ(result.failed, 1) << a << " " << b;
    EXPECT_EQ(result.maxAbsError, kInf);
    EXPECT_EQ(result.maxUlp, UINT64_MAX);
  }
}

TEST(Compare, UlpsAreStepsOfTheStorageType) {
  auto ulps = [](ElementType type, double a, double b) {
    return compareAll(make(type, {a}), make(type, {b})).maxUlp;
  };
  EXPECT_EQ(ulps(ElementType::F32, 1, 1 + 0x1p-23), 1u);
  EXPECT_EQ(ulps(ElementType::F16, 1, 1 + 0x1p-9), 2u);
  EXPECT_EQ(ulps(ElementType::BF16, 1, 1 - 0x1p-8), 1u);
  EXPECT_EQ(ulps(ElementType::F32, 0x1p-149, -0x1p-149), 2u);
  EXPECT_EQ(ulps(ElementType::I8, -128, 127), 255u);
}

TEST(Compare, ToleranceHasAbsoluteRelativeAndScaledParts) {
  Tensor expected = make(ElementType::F32, {0, 100, -4});
  Tensor actual = make(ElementType::F32, {0.5, 101, -4});
  EXPECT_EQ(compareAll(actual, expected).failed, 2);
  EXPECT_EQ(compareAll(actual, expected, {0.5, 0, 0}).failed, 1);
  EXPECT_EQ(compareAll(actual, expected, {0, 0.01, 0}).failed, 1);
  EXPECT_EQ(compareAll(actual, expected, {0.5, 0.01, 0}).failed, 0);
  // Without scales: a hundredth of the largest expected magnitude.
  EXPECT_EQ(compareAll(actual, expected, {0, 0, 0.01}).failed, 0);
  EXPECT_EQ(compareAll(actual, expected, {0, 0, 0.01}, {50, 50, 50}).failed, 1);
  EXPECT_EQ(compareAll(actual, expected, {0, 0, 0.01}, {50, 100, 0}).failed, 0);
}

TEST(Compare, TheWorstElementIsNamed) {
  Tensor expected = make(ElementType::F32, {1, 2, 3});
  Tensor actual = make(ElementType::F32, {1.5, 4, 3});
  Comparison result = compareAll(actual, expected, {0.25, 0, 0});
  EXPECT_EQ(result.worst, 1);
  EXPECT_EQ(result.describe(),
            "max abs error 2, max ULP 8388608, 2 of 3 elements beyond "
            "tolerance 0.25 (worst: element 1 is 4, expected 2)");
}

TEST(Compare, DifferentTypesAndShapesAreErrors) {
  Tensor a = make(ElementType::F32, {1, 2});
  for (const Tensor &b :
       {make(ElementType::F16, {1, 2}), make(ElementType::F32, {1})}) {
    llvm::Expected<Comparison> result = compare(a, b, {});
    ASSERT_FALSE(result);
    std::string message = llvm::toString(result.takeError());
    EXPECT_NE(message.find("f32[2]"), std::string::npos) << message;
  }
}

TEST(Compare, TheTableIsExactForIntegersAndWiderForLongerComputations) {
  for (ElementType type :
       {ElementType::I32, ElementType::I64, ElementType::U8, ElementType::Bool})
    EXPECT_EQ(getTolerance(type, OpClass::Network).absolute, 0);
  EXPECT_EQ(getTolerance(ElementType::F32, OpClass::Exact).relative, 0);
  for (ElementType type : {ElementType::F32, ElementType::F16,
                           ElementType::BF16, ElementType::F64}) {
    EXPECT_GT(getTolerance(type, OpClass::Elementwise).relative, 0);
    EXPECT_GT(getTolerance(type, OpClass::Contraction).scaled, 0);
    EXPECT_GT(getTolerance(type, OpClass::Network).relative,
              getTolerance(type, OpClass::Elementwise).relative);
  }
}

TEST(ElementValue, EverySmallFloatSurvivesARoundTrip) {
  for (ElementType type : {ElementType::F16, ElementType::BF16}) {
    Tensor tensor = Tensor::zeros(type, {1 << 16});
    for (int i = 0; i < 1 << 16; ++i)
      tensor.data<uint16_t>()[i] = static_cast<uint16_t>(i);
    std::vector<double> values = toDoubles(tensor);
    Tensor again = fromDoubles(type, tensor.shape, values);
    for (int i = 0; i < 1 << 16; ++i) {
      if (!std::isnan(values[i])) {
        ASSERT_EQ(again.data<uint16_t>()[i], i) << values[i];
      }
    }
  }
}

TEST(ElementValue, RoundsToNearestEven) {
  EXPECT_EQ(roundTo(ElementType::F16, 1 + 0x1p-11), 1);
  EXPECT_EQ(roundTo(ElementType::F16, 1 + 0x3p-11), 1 + 0x1p-9);
  EXPECT_EQ(roundTo(ElementType::F16, 1 + 0x1p-11 + 0x1p-40), 1 + 0x1p-10);
  EXPECT_EQ(roundTo(ElementType::F16, 65519.999), 65504);
  EXPECT_EQ(roundTo(ElementType::F16, -65520), -kInf);
  EXPECT_EQ(roundTo(ElementType::F16, 0x1p-25), 0);
  EXPECT_EQ(roundTo(ElementType::F16, 0x1.8p-25), 0x1p-24);
  EXPECT_EQ(roundTo(ElementType::F16, 0x1.fffp-15), 0x1p-14);
  EXPECT_EQ(roundTo(ElementType::BF16, 3.3e38), 0x1.fp127);
  EXPECT_EQ(roundTo(ElementType::BF16, 3.4e38), kInf);
}

} // namespace
