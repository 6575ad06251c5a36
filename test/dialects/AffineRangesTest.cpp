// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/AffineRanges.h"

#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace fusec;
using mlir::AffineExpr;

namespace {

struct AffineRangesTest : testing::Test {
  mlir::MLIRContext context;
  AffineExpr a = mlir::getAffineDimExpr(0, &context);
  AffineExpr b = mlir::getAffineDimExpr(1, &context);
  IndexRange ranges[2] = {{0, 15}, {0, 7}};

  int64_t evaluate(AffineExpr expr, int64_t x, int64_t y) {
    mlir::AffineExpr dims[] = {mlir::getAffineConstantExpr(x, &context),
                               mlir::getAffineConstantExpr(y, &context)};
    return llvm::cast<mlir::AffineConstantExpr>(expr.replaceDims(dims)).getValue();
  }
};

TEST_F(AffineRangesTest, DropsDivisionsThatRangesDecide) {
  EXPECT_EQ(simplifyInRange((a * 8 + b) % 8, ranges), b);
  EXPECT_EQ(simplifyInRange((a * 8 + b).floorDiv(8), ranges), a);
  EXPECT_EQ(simplifyInRange(b % 8, ranges), b);
}

TEST_F(AffineRangesTest, KeepsDivisionsThatRangesDoNotDecide) {
  EXPECT_EQ(simplifyInRange((a + b) % 8, ranges), (a + b) % 8);
  EXPECT_EQ(simplifyInRange((a + b).floorDiv(8), ranges), (a + b).floorDiv(8));
}

TEST_F(AffineRangesTest, RangesHoldEveryValueAndSimplifyingChangesNone) {
  AffineExpr cases[] = {a * -3 + b,          (a * 8 + b - 3) % 5,
                        (a - b).floorDiv(3), (a - b).ceilDiv(3),
                        (a * 16 + b) % 8,    (a * 8 + b - 1) % 8,
                        (a * 4 + b).floorDiv(4)};
  for (AffineExpr expr : cases) {
    IndexRange range = rangeOf(expr, ranges);
    ASSERT_TRUE(range.low && range.high);
    AffineExpr simplified = simplifyInRange(expr, ranges);
    for (int64_t x = *ranges[0].low; x <= *ranges[0].high; ++x)
      for (int64_t y = *ranges[1].low; y <= *ranges[1].high; ++y) {
        int64_t value = evaluate(expr, x, y);
        EXPECT_LE(*range.low, value);
        EXPECT_GE(*range.high, value);
        EXPECT_TRUE(range.divisor == 0 ? value == 0
                                       : value % range.divisor == 0);
        EXPECT_EQ(evaluate(simplified, x, y), value);
      }
  }
}

TEST_F(AffineRangesTest, KnowsMultiples) {
  IndexRange steps[2] = {{0, 56, 8}, {}};
  EXPECT_EQ(simplifyInRange(a.floorDiv(8) * 8 + b, steps), a + b);
  EXPECT_EQ(rangeOf(a * 3 + b * 16, steps).divisor, 8);
  EXPECT_FALSE(rangeOf(a + b, steps).low);
  // Of a symbol nothing is known, and it stays.
  AffineExpr symbol = mlir::getAffineSymbolExpr(0, &context);
  EXPECT_EQ(simplifyInRange(a % 8 + symbol, steps, 1), symbol);
}

TEST_F(AffineRangesTest, BoundsBeyond64BitsAreUnknown) {
  IndexRange product = rangeOf(a * INT64_MAX, ranges);
  EXPECT_EQ(product.low, 0);
  EXPECT_FALSE(product.high);
  IndexRange negative = rangeOf(a * -INT64_MAX, ranges);
  EXPECT_FALSE(negative.low);
  EXPECT_EQ(negative.high, 0);
  IndexRange sum = rangeOf(a + INT64_MAX, ranges);
  EXPECT_EQ(sum.low, INT64_MAX);
  EXPECT_FALSE(sum.high);
}

TEST_F(AffineRangesTest, SlopesAreConstantOrAbsent) {
  EXPECT_EQ(getSlope(a * 3 + b, 0), 3);
  EXPECT_EQ(getSlope(b, 0), 0);
  EXPECT_EQ(getSlope((a * 3).floorDiv(2), 0), std::nullopt);
}

// The terms of a sum may come in any order, as on two sides of a comparison.
TEST_F(AffineRangesTest, LargestPartsAreOfAnyOrder) {
  EXPECT_EQ(getLargestPart(a * 8 + b - 3, ranges), 127);
  EXPECT_EQ(getLargestPart(b - a * 8, ranges), 120);
  EXPECT_EQ(getLargestPart((a * 8 + b).floorDiv(64), ranges), 127);
  EXPECT_EQ(getLargestPart((a + 1).ceilDiv(64), ranges), 79);
  EXPECT_EQ(getLargestPart(a % 64, ranges), 64);
  IndexRange aside[2] = {{-5, 2}, {}};
  EXPECT_EQ(getLargestPart(a * -3, aside), 15);
  EXPECT_EQ(getLargestPart(a + b, aside), std::nullopt);
  EXPECT_EQ(getLargestPart(a * (INT64_MAX / 4), ranges), std::nullopt);
}

// What was divided and multiplied again is the dividend once it is simplified.
TEST_F(AffineRangesTest, LargestPartsHoldForSimplifiedSums) {
  AffineExpr sums[] = {a * 7 - b * 3, a * 3 + b * 16 - 40, b - a * 5};
  for (AffineExpr sum : sums)
    for (int64_t by : {2, 5, 64})
      EXPECT_GE(
          getLargestPart(sum.floorDiv(by) * (by * 9) + (sum % by) * 9, ranges),
          getLargestPart(sum * 9, ranges));
}

} // namespace
