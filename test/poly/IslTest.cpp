// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/tree/Isl.h"

#include <gtest/gtest.h>
#include <isl/aff.h>
#include <isl/version.h>
#include <thread>

using namespace fusec::poly;

// libLLVM exports Polly's copy of isl, which is built without GMP: calling that
// one against the other's headers corrupts memory. The link order decides.
TEST(Isl, IsTheSharedLibrary) {
  EXPECT_NE(std::string(isl_version()).find("GMP"), std::string::npos)
      << "libisl.so must come before LLVM on the link line";
}

// Ends only by the exception that isl throws where it is stopped.
static void askForever(const IslContext &context) {
  for (;;)
    (void)isl::set(context.get(), "{ [i, j] : exists k : i = 3k and j = 5k }")
        .is_empty();
}

TEST(Isl, StopsAfterItsTimeAndStaysUsable) {
  IslContext context;
  IslLimit limit{/*operations=*/0, std::chrono::milliseconds(20)};
  EXPECT_FALSE(context.runWithin(limit, [&] { askForever(context); }));
  EXPECT_FALSE(isl::set(context.get(), "{ [i] : i >= 0 }").is_empty());
}

TEST(Isl, StopsAfterItsOperationsAndStaysUsable) {
  IslContext context;
  IslLimit limit{/*operations=*/1000, std::chrono::hours(1)};
  EXPECT_FALSE(context.runWithin(limit, [&] { askForever(context); }));
  EXPECT_FALSE(isl::set(context.get(), "{ [i] : i >= 0 }").is_empty());
}

TEST(Isl, LimitPassesResultsAndErrorsThrough) {
  IslContext context;
  IslLimit limit{/*operations=*/1000000, std::chrono::seconds(20)};
  bool empty = false;
  EXPECT_TRUE(context.runWithin(limit, [&] {
    empty = isl::set(context.get(), "{ [i] : 0 <= i < 0 }").is_empty();
  }));
  EXPECT_TRUE(empty);
  EXPECT_THROW(context.runWithin(
                   limit, [&] { isl::set(context.get(), "{ this is no set"); }),
               isl::exception);
}

TEST(Isl, AffineExpressions) {
  mlir::MLIRContext context;
  mlir::AffineExpr i = mlir::getAffineDimExpr(0, &context);
  mlir::AffineExpr j = mlir::getAffineDimExpr(1, &context);
  IslContext isl;
  isl::space space = isl::set(isl.get(), "{ s[i, j] }").space();
  auto isSame = [&](mlir::AffineExpr expr, const std::string &text) {
    isl::aff expected(isl.get(), "{ s[i, j] -> [(" + text + ")] }");
    return isl_aff_plain_is_equal(toIslAff(expr, space).get(),
                                  expected.get()) == isl_bool_true;
  };
  EXPECT_TRUE(isSame(i * 2 + 1, "2i + 1"));
  EXPECT_FALSE(isSame(i * 2 + 1, "2j + 1"));
  EXPECT_TRUE(isSame((i + j).floorDiv(4), "floor((i + j) / 4)"));
  EXPECT_TRUE(isSame((i + j).ceilDiv(4), "ceil((i + j) / 4)"));
  EXPECT_TRUE(isSame(i % 8, "i mod 8"));
}
