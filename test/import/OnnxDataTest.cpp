// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ONNX's own test models (libonnx-testdata): those that Inputs/onnx-data.txt
// lists import, and the reference interpreter computes their expected outputs
// from the imported module. The list may only grow; set FUSEC_UPDATE_ONNX_DATA
// to rewrite it.
#include "compiler/import/Importer.h"
#include "compiler/io/TensorFile.h"
#include "tools/fusec-ref/Interpreter.h"
#include "tools/fusec-ref/ModelIo.h"

#include "mlir/IR/MLIRContext.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

namespace fs = std::filesystem;
using namespace fusec;

namespace {

const char *const kData = "/usr/share/libonnx-testdata/data";
const char *const kList = FUSEC_TEST_INPUTS "/onnx-data.txt";

std::set<std::string> listedModels() {
  std::set<std::string> names;
  std::ifstream file(kList);
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#')
      names.insert(line);
  return names;
}

/// The data of these models does not have the types that they declare.
const std::set<std::string> kBrokenData = {
    "node/test_castlike_BFLOAT16_to_FLOAT",
    "node/test_castlike_BFLOAT16_to_FLOAT_expanded",
    "node/test_castlike_FLOAT_to_BFLOAT16",
    "node/test_castlike_FLOAT_to_BFLOAT16_expanded"};

/// Reads a tensor of a data set. bfloat16 is stored as the bits in uint16.
llvm::Expected<io::Tensor> readData(const fs::path &file,
                                    io::ElementType type) {
  auto tensor = io::readTensor(file.string());
  if (tensor && tensor->type == io::ElementType::U16 &&
      type == io::ElementType::BF16)
    tensor->type = type;
  return tensor;
}

/// Runs one data set of an imported model; an empty text if it agrees.
std::string runDataSet(mlir::ModuleOp module, const fs::path &folder) {
  auto function = ref::findFunction(module, "");
  if (!function)
    return llvm::toString(function.takeError());
  std::vector<io::Tensor> inputs;
  for (auto [i, port] : llvm::enumerate(ref::getInputs(*function))) {
    auto tensor = readData(folder / ("input_" + std::to_string(i) + ".pb"),
                           port.spec.type);
    if (!tensor)
      return llvm::toString(tensor.takeError());
    inputs.push_back(std::move(*tensor));
  }
  auto results = ref::interpret(module, inputs);
  if (!results)
    return llvm::toString(results.takeError());
  for (auto [i, result] : llvm::enumerate(*results)) {
    auto expected =
        readData(folder / ("output_" + std::to_string(i) + ".pb"), result.type);
    if (!expected)
      return llvm::toString(expected.takeError());
    auto comparison = io::compare(
        result, *expected, io::getTolerance(result.type, io::OpClass::Network));
    if (!comparison)
      return llvm::toString(comparison.takeError());
    if (!comparison->passed())
      return "output " + std::to_string(i) + ": " + comparison->describe();
  }
  return "";
}

enum class Outcome { Passed, Refused, Failed };

Outcome runModel(const fs::path &folder, std::string &reason) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ImportResult result =
      importOnnx((folder / "model.onnx").string(), {}, context);
  if (!result.succeeded()) {
    reason = result.problems[0].reason;
    // Nothing that the importer builds may fail to verify.
    return reason.find("imported module is invalid") == std::string::npos
               ? Outcome::Refused
               : Outcome::Failed;
  }
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    if (entry.is_directory())
      if (reason = runDataSet(*result.module, entry.path()); !reason.empty())
        return Outcome::Failed;
  return Outcome::Passed;
}

class OnnxData : public testing::TestWithParam<const char *> {};

TEST_P(OnnxData, ListedModelsComputeTheirOutputs) {
  ASSERT_TRUE(fs::exists(kData))
      << "install libonnx-testdata (tools/setup.sh does)";
  std::set<std::string> listed = listedModels(), passed;
  std::string prefix = std::string(GetParam()) + "/";
  for (const fs::directory_entry &entry :
       fs::directory_iterator(fs::path(kData) / GetParam())) {
    std::string name = prefix + entry.path().filename().string();
    std::string reason;
    if (kBrokenData.count(name))
      continue;
    Outcome outcome = runModel(entry.path(), reason);
    if (outcome == Outcome::Passed)
      passed.insert(name);
    // A model that imports must be right, listed or not.
    EXPECT_NE(outcome, Outcome::Failed) << name << ": " << reason;
    EXPECT_TRUE(outcome != Outcome::Refused || !listed.count(name))
        << name << " is listed but refused: " << reason;
  }
  if (std::getenv("FUSEC_UPDATE_ONNX_DATA")) {
    std::ofstream file(kList, std::ios::app);
    for (const std::string &name : passed)
      if (!listed.count(name))
        file << name << '\n';
  }
  for (const std::string &name : listed)
    EXPECT_TRUE(name.rfind(prefix, 0) != 0 || passed.count(name))
        << name << " is listed but does not pass";
}

INSTANTIATE_TEST_SUITE_P(Data, OnnxData,
                         testing::Values("node", "simple", "pytorch-converted",
                                         "pytorch-operator"));

} // namespace
