// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the driver says of a stage that fails.
#include "compiler/Driver.h"

#include "dialects/fuse/FuseOps.h"
#include <gtest/gtest.h>

using namespace fusec;

/// Imports the model and breaks an operation of it, as a wrong pass would.
static ExitCode lowerBroken(Driver &driver) {
  EXPECT_EQ(driver.import(), kExitFine);
  bool broken = false;
  driver.module().walk([&](fuse::ConvOp op) {
    op->getResult(0).setType(mlir::RankedTensorType::get(
        {1}, mlir::Float32Type::get(op.getContext())));
    broken = true;
  });
  EXPECT_TRUE(broken);
  return driver.lower([](llvm::StringRef) {});
}

TEST(Driver, CallsAFailedStageOfAModelAnInternalError) {
  CompileOptions options;
  options.input = FUSEC_SOURCES "/examples/digits/digits.onnx";
  Driver driver(options);
  EXPECT_EQ(lowerBroken(driver), kExitInternal);
  ASSERT_TRUE(driver.diagnostics().hasErrors());
  const Problem &last = driver.diagnostics().getProblems().back();
  EXPECT_EQ(last.kind, ProblemKind::Internal);
  EXPECT_EQ(describe(last).find(options.input +
                                ": internal error: fusec failed in stage "),
            0u);
  EXPECT_NE(last.hint.find("this is a bug of fusec"), std::string::npos);
  EXPECT_EQ(driver.diagnostics().exitCode(), kExitInternal);
}
