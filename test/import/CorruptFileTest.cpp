// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Damaged models: cut short, and with bytes changed. Whatever the damage, the
// importer returns: a module that verifies, or problems that say why not.
#include "compiler/import/Importer.h"
#include "compiler/io/MappedFile.h"

#include "mlir/IR/MLIRContext.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <random>

namespace fs = std::filesystem;
using namespace fusec;

namespace {

class CorruptFile : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    auto file = io::MappedFile::open(GetParam());
    ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
    original = (*file)->bytes().vec();
    folder = fs::temp_directory_path() /
             ("fusec-corrupt-" + std::to_string(::getpid()));
    fs::create_directory(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  ImportResult import(llvm::ArrayRef<char> bytes) {
    std::string path = (folder / "model.onnx").string();
    llvm::cantFail(io::writeFileAside(path, bytes));
    // A context per model: importing may fill it with anything.
    mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
    ImportOptions options;
    ImportResult result = importOnnx(path, options, context);
    EXPECT_EQ(bool(result.module), result.problems.empty());
    for (const Problem &problem : result.problems) {
      EXPECT_FALSE(problem.reason.empty());
      EXPECT_EQ(problem.file, path);
      EXPECT_EQ(problem.reason.find("imported module is invalid"),
                std::string::npos)
          << problem.reason;
    }
    result.module = nullptr; // before its context goes
    return result;
  }

  std::vector<char> original;
  fs::path folder;
};

TEST_P(CorruptFile, CutShort) {
  // Every length near both ends, and 200 in between.
  size_t size = original.size(), step = std::max<size_t>(size / 200, 1);
  for (size_t length = 0; length < size;
       length += length < 64 || length + 64 > size ? 1 : step) {
    ImportResult result =
        import(llvm::ArrayRef<char>(original).take_front(length));
    // Cut between two fields, a message is whole; a graph is not.
    if (length < size / 2) {
      EXPECT_FALSE(result.problems.empty()) << "cut to " << length << " bytes";
    }
  }
}

TEST_P(CorruptFile, BytesChanged) {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    std::vector<char> damaged = original;
    for (int changes = 1 + round % 4; changes > 0; --changes)
      damaged[random() % damaged.size()] = char(random());
    import(damaged);
  }
}

#define DATA "/usr/share/libonnx-testdata/data/"
INSTANTIATE_TEST_SUITE_P(
    Models, CorruptFile,
    testing::Values(FUSEC_SOURCES "/examples/digits/digits.onnx",
                    DATA "node/test_slice/model.onnx",
                    DATA "node/test_constant_pad/model.onnx",
                    DATA "node/test_layer_normalization_4d_axis2_expanded/"
                         "model.onnx",
                    DATA "pytorch-converted/test_Conv2d_groups/model.onnx",
                    DATA "pytorch-operator/test_operator_view/model.onnx",
                    DATA "simple/test_shrink/model.onnx"));

} // namespace
