// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/AffineRange.h"

#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace fusec::poly;
using mlir::AffineExpr;

namespace {

struct AffineRangeTest : testing::Test {
  mlir::MLIRContext context;
  AffineExpr a = mlir::getAffineDimExpr(0, &context);
  AffineExpr b = mlir::getAffineDimExpr(1, &context);
  Range ranges[2] = {{0, 15}, {0, 7}};

  int64_t evaluate(AffineExpr expr, int64_t x, int64_t y) {
    mlir::AffineExpr dims[] = {mlir::getAffineConstantExpr(x, &context),
                               mlir::getAffineConstantExpr(y, &context)};
    return llvm::cast<mlir::AffineConstantExpr>(expr.replaceDims(dims)).getValue();
  }
};

TEST_F(AffineRangeTest, DropsDivisionsThatRangesDecide) {
  EXPECT_EQ(simplifyInRange((a * 8 + b) % 8, ranges), b);
  EXPECT_EQ(simplifyInRange((a * 8 + b).floorDiv(8), ranges), a);
  EXPECT_EQ(simplifyInRange(b % 8, ranges), b);
}

TEST_F(AffineRangeTest, KeepsDivisionsThatRangesDoNotDecide) {
  EXPECT_EQ(simplifyInRange((a + b) % 8, ranges), (a + b) % 8);
  EXPECT_EQ(simplifyInRange((a * 8 + b - 1) % 8, ranges), (a * 8 + b - 1) % 8);
}

TEST_F(AffineRangeTest, RangesHoldEveryValueAndSimplifyingChangesNone) {
  AffineExpr cases[] = {a * -3 + b,          (a * 8 + b - 3) % 5,
                        (a - b).floorDiv(3), (a - b).ceilDiv(3),
                        (a * 16 + b) % 8,    (a * 4 + b).floorDiv(4)};
  for (AffineExpr expr : cases) {
    Range range = *getRange(expr, ranges);
    AffineExpr simplified = simplifyInRange(expr, ranges);
    for (int64_t x = ranges[0].low; x <= ranges[0].high; ++x)
      for (int64_t y = ranges[1].low; y <= ranges[1].high; ++y) {
        int64_t value = evaluate(expr, x, y);
        EXPECT_LE(range.low, value);
        EXPECT_GE(range.high, value);
        EXPECT_EQ(evaluate(simplified, x, y), value);
      }
  }
}

} // namespace
