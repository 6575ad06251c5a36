// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs ONNX's own tests through the importer and the reference interpreter:
//   fusec-ref-onnx FOLDER...
// Each FOLDER holds one folder per test: model.onnx, and test_data_set_<k> with
// input_<i>.pb and output_<i>.pb. Prints a line for each test that fails and
// the counts; the exit code says nothing of them (the test compares the lines).
#include "compiler/import/Importer.h"
#include "compiler/io/TensorFile.h"
#include "tools/fusec-ref/Interpreter.h"
#include "tools/fusec-ref/ModelIo.h"

#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <set>

using namespace fusec;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {

/// The entries of `folder`, sorted.
std::set<std::string> listFolder(StringRef folder) {
  std::set<std::string> entries;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error))
    entries.insert(it->path());
  return entries;
}

/// "<set>/<kind>_<index>.pb" if there is such a file.
std::optional<std::string> dataFile(StringRef set, StringRef kind,
                                    size_t index) {
  std::string path = (set + "/" + kind + "_" + llvm::Twine(index) + ".pb").str();
  return llvm::sys::fs::exists(path) ? std::optional(path) : std::nullopt;
}

Error checkOutput(const io::Tensor &actual, const ref::Port &port,
                  const std::string &path) {
  Expected<io::Tensor> expected = io::readTensor(path, &port.spec);
  if (!expected)
    return expected.takeError();
  auto comparison =
      io::compare(actual, *expected,
                  io::getTolerance(actual.type, io::OpClass::Network));
  if (!comparison)
    return comparison.takeError();
  if (!comparison->passed())
    return llvm::createStringError("output '" + port.name +
                                   "': " + comparison->describe());
  return Error::success();
}

Error runDataSet(mlir::ModuleOp module, StringRef set) {
  Expected<mlir::func::FuncOp> function = ref::findFunction(module, "");
  if (!function)
    return function.takeError();
  std::vector<ref::Port> inputs = ref::getInputs(*function);
  std::vector<io::Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::optional<std::string> path = dataFile(set, "input", i);
    if (!path)
      return llvm::createStringError("input '" + inputs[i].name +
                                     "' has no data");
    Expected<io::Tensor> tensor = io::readTensor(*path, &inputs[i].spec);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  auto results = ref::interpret(module, tensors);
  if (!results)
    return results.takeError();
  std::vector<ref::Port> outputs = ref::getOutputs(*function);
  for (size_t i = 0; i < outputs.size(); ++i)
    if (std::optional<std::string> path = dataFile(set, "output", i))
      if (Error error = checkOutput((*results)[i], outputs[i], *path))
        return error;
  return Error::success();
}

struct Counts {
  unsigned passed = 0, failed = 0, unsupported = 0, refused = 0;
};

/// Whether the model's operators are supported but something else is not: a
/// symbolic dimension or a shape operand that only the data would give.
bool isRefused(const ImportResult &imported) {
  return llvm::none_of(imported.problems, [](const Problem &problem) {
    return problem.kind == ProblemKind::Unsupported;
  });
}

void runTest(const std::string &folder, bool verbose, Counts &counts) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ImportResult imported = importModel(folder + "/model.onnx", {}, context);
  if (!imported.succeeded()) {
    ++(isRefused(imported) ? counts.refused : counts.unsupported);
    if (verbose)
      printProblems(imported.problems, llvm::outs());
    return;
  }
  unsigned sets = 0;
  for (const std::string &set : listFolder(folder)) {
    if (!llvm::sys::path::filename(set).starts_with("test_data_set_"))
      continue;
    ++sets;
    if (Error error = runDataSet(*imported.module, set)) {
      ++counts.failed;
      llvm::outs() << "FAILED " << llvm::sys::path::filename(folder) << ": "
                   << llvm::toString(std::move(error)) << "\n";
      return;
    }
  }
  counts.passed += sets > 0;
}

} // namespace

int main(int argc, char **argv) {
  llvm::ArrayRef<char *> folders(argv + 1, argc - 1);
  bool verbose = !folders.empty() && StringRef(folders[0]) == "--verbose";
  Counts counts;
  for (const char *folder : folders.drop_front(verbose))
    for (const std::string &test : listFolder(folder))
      if (llvm::sys::fs::exists(test + "/model.onnx"))
        runTest(test, verbose, counts);
  llvm::outs() << "passed " << counts.passed << ", failed " << counts.failed
               << ", unsupported " << counts.unsupported << ", refused "
               << counts.refused << "\n";
  return 0;
}
