// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The interpreter's API: what lit tests of the program do not reach.
#include "tools/fusec-ref/Interpreter.h"
#include "compiler/import/Importer.h"
#include "compiler/io/ElementValue.h"
#include "dialects/library/Registry.h"
#include "tools/fusec-ref/Evaluator.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace fusec;

namespace {

class Interpreter : public testing::Test {
protected:
  mlir::OwningOpRef<mlir::ModuleOp> parse(const char *text) {
    mlir::DialectRegistry registry;
    registerImportDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    return mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }
  static io::Tensor floats(std::vector<int64_t> shape,
                           std::vector<double> values) {
    return io::fromDoubles(io::ElementType::F32, std::move(shape), values);
  }
  static std::string messageOf(llvm::Error error) {
    return llvm::toString(std::move(error));
  }

  mlir::MLIRContext context;
};

const char *const kGemm = R"(
func.func @main(%a: tensor<2x2xf32>, %b: tensor<2xf32>) -> tensor<2x2xf32> {
  %0 = fuse.gemm %a, %a, %b {alpha = -1.0 : f64, beta = 2.0 : f64}
    : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %1 = fuse.relu %0 : tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
)";

TEST_F(Interpreter, HasAnEvaluatorOfEachRoutineOfTheLibrary) {
  for (const auto &[name, routine] : library::getRegistry().getRoutines())
    EXPECT_NE(ref::Registry::get().findRoutine(name), nullptr) << name.str();
}

TEST_F(Interpreter, TellsAnObserverOfEachOperationAndItsScale) {
  auto module = parse(kGemm);
  std::vector<std::string> names;
  std::vector<double> sums, scale;
  ref::Options options;
  options.scales = true;
  options.observer = [&](const ref::Observation &observation) {
    names.push_back(observation.op->getName().getStringRef().str());
    if (observation.opClass == io::OpClass::Contraction) {
      sums = io::toDoubles(*observation.results[0]);
      scale = observation.scale.vec();
    } else {
      EXPECT_TRUE(observation.scale.empty());
    }
  };
  auto outputs = ref::interpret(
      *module, {floats({2, 2}, {1, -2, 3, 4}), floats({2}, {-1, 5})}, options);
  ASSERT_TRUE(bool(outputs)) << messageOf(outputs.takeError());
  EXPECT_EQ(names, (std::vector<std::string>{"fuse.gemm", "fuse.relu"}));
  EXPECT_EQ(sums, (std::vector<double>{3, 20, -17, 0}));
  // |1 1| + |-2 3| + |2 (-1)|, and so on.
  EXPECT_EQ(scale, (std::vector<double>{9, 20, 17, 32}));
  EXPECT_EQ(io::toDoubles((*outputs)[0]), (std::vector<double>{3, 20, 0, 0}));
}

TEST_F(Interpreter, RefusesInputsThatDoNotMatch) {
  auto module = parse(kGemm);
  auto few = ref::interpret(*module, {floats({2, 2}, {1, 2, 3, 4})});
  ASSERT_FALSE(few);
  EXPECT_NE(messageOf(few.takeError()).find("takes 2 inputs, got 1"),
            std::string::npos);
  auto shaped = ref::interpret(
      *module, {floats({2, 2}, {1, 2, 3, 4}), floats({3}, {1, 2, 3})});
  ASSERT_FALSE(shaped);
  EXPECT_NE(
      messageOf(shaped.takeError()).find("takes f32[2] as input 1, got f32[3]"),
      std::string::npos);
}

TEST_F(Interpreter, ClassifiesOperations) {
  auto module = parse(kGemm);
  std::vector<io::OpClass> classes;
  module->walk(
      [&](mlir::Operation *op) { classes.push_back(ref::getOpClass(op)); });
  EXPECT_EQ(classes, (std::vector<io::OpClass>{
                         io::OpClass::Contraction, io::OpClass::Exact,
                         io::OpClass::Network, // func.return
                         io::OpClass::Network, io::OpClass::Network}));
}

} // namespace
