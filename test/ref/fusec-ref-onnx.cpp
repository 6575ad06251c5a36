// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs ONNX's own tests through the importer and the reference interpreter:
//   fusec-ref-onnx FOLDER...
// Each FOLDER holds one folder per test: model.onnx, and test_data_set_<k> with
// input_<i>.pb and output_<i>.pb. Prints a line for each test that fails, with
// --verbose also why models are unsupported, and the counts. Exit code 1 if a
// test fails or fewer than --at-least pass. With --until=STAGE, each module is
// first compiled that far: it must still compute the same. With --evaluate, the
// inputs become constants, and the compiler's own evaluator computes the results
// in place of the interpreter.
#include "compiler/Pipelines.h"
#include "compiler/import/OnnxProto.h"
#include "compiler/io/MappedFile.h"
#include "compiler/io/TensorFile.h"
#include "passes/graph/Evaluator.h"
#include "tools/Cli11.h"
#include "tools/fusec-ref/Interpreter.h"
#include "tools/fusec-ref/ModelIo.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Path.h"
#include <fstream>
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

std::string dataFile(StringRef set, StringRef kind, size_t index) {
  return (set + "/" + kind + "_" + llvm::Twine(index) + ".pb").str();
}

/// Reads a tensor of the test data. What ONNX 1.12 wrote as bfloat16 carries
/// the element type of its bits, uint16.
Expected<io::Tensor> readData(const std::string &path,
                              const io::TensorSpec &spec) {
  if (spec.type != io::ElementType::BF16)
    return io::readTensor(path, &spec);
  Expected<io::Tensor> tensor = io::readTensor(path);
  if (tensor && tensor->shape == spec.shape &&
      tensor->type == io::ElementType::U16) {
    tensor->type = io::ElementType::BF16;
    return tensor;
  }
  llvm::consumeError(tensor.takeError());
  return io::readTensor(path, &spec);
}

/// One test: its folder, and the names of the model's inputs and outputs in the
/// order in which the files are numbered.
struct Test {
  std::string folder;
  onnx::ModelProto model;

  std::string modelPath() const { return folder + "/model.onnx"; }
  bool parse() {
    auto file = io::MappedFile::open(modelPath());
    if (!file) {
      llvm::consumeError(file.takeError());
      return false;
    }
    llvm::ArrayRef<char> bytes = (*file)->bytes();
    return model.ParseFromArray(bytes.data(), bytes.size());
  }
  std::vector<std::string> dataSets() const {
    std::vector<std::string> sets;
    for (const std::string &entry : listFolder(folder))
      if (llvm::sys::path::filename(entry).starts_with("test_data_set_"))
        sets.push_back(entry);
    return sets;
  }
};

template <typename Ports> size_t indexOf(const Ports &ports, StringRef name) {
  for (int i = 0; i < ports.size(); ++i)
    if (ports.Get(i).name() == name)
      return i;
  return ports.size();
}

Error checkOutput(const io::Tensor &actual, const ref::Port &port,
                  const std::string &path) {
  Expected<io::Tensor> expected = readData(path, port.spec);
  if (!expected)
    return expected.takeError();
  auto comparison = io::compare(
      actual, *expected, io::getTolerance(actual.type, io::OpClass::Network));
  if (!comparison)
    return comparison.takeError();
  if (!comparison->passed())
    return llvm::createStringError("output '" + port.name +
                                   "': " + comparison->describe());
  return Error::success();
}

Error runDataSet(const Test &test, mlir::ModuleOp module, StringRef set) {
  Expected<mlir::func::FuncOp> function = ref::findFunction(module, "");
  if (!function)
    return function.takeError();
  std::vector<io::Tensor> tensors;
  for (const ref::Port &port : ref::getInputs(*function)) {
    size_t index = indexOf(test.model.graph().input(), port.name);
    Expected<io::Tensor> tensor =
        readData(dataFile(set, "input", index), port.spec);
    if (!tensor)
      return tensor.takeError();
    tensors.push_back(std::move(*tensor));
  }
  auto results = ref::interpret(module, tensors);
  if (!results)
    return results.takeError();
  std::vector<ref::Port> outputs = ref::getOutputs(*function);
  for (size_t i = 0; i < outputs.size(); ++i) {
    size_t index = indexOf(test.model.graph().output(), outputs[i].name);
    if (Error error = checkOutput((*results)[i], outputs[i],
                                  dataFile(set, "output", index)))
      return error;
  }
  return Error::success();
}

/// The results as the compiler's evaluator computes them, which must know all;
/// false if something is not for it to compute, and then `reason` says what.
Expected<bool> evaluateDataSet(const Test &test, mlir::ModuleOp module,
                               StringRef set, std::string &reason) {
  Expected<mlir::func::FuncOp> function = ref::findFunction(module, "");
  if (!function)
    return function.takeError();
  mlir::Operation *end = function->getBody().front().getTerminator();
  for (auto [value, port] :
       llvm::zip(end->getOperands(), ref::getOutputs(*function))) {
    fuse::Evaluator evaluator;
    std::optional<fuse::ConstantData> data = evaluator.get(value);
    if (!data) {
      reason = evaluator.getObstacle().reason;
      return false;
    }
    io::Tensor tensor = io::Tensor::zeros(port.spec.type, port.spec.shape);
    llvm::copy(fuse::packData(*data, fuse::getTensorType(value)).bytes,
               tensor.bytes.begin());
    size_t index = indexOf(test.model.graph().output(), port.name);
    if (Error error =
            checkOutput(tensor, port, dataFile(set, "output", index)))
      return llvm::Expected<bool>(std::move(error));
  }
  return true;
}

/// Makes the integer inputs of `model`, or all, constants, with the values of
/// the data set `set`: many tests hand in the shape, axes or bounds that real
/// models have as constants. Returns whether there were any.
bool freezeInputs(onnx::ModelProto &model, StringRef set, bool all) {
  bool any = false;
  onnx::GraphProto &graph = *model.mutable_graph();
  for (int i = 0; i < graph.input_size(); ++i) {
    int type = graph.input(i).type().tensor_type().elem_type();
    if (!all && type != onnx::TensorProto::INT64 &&
        type != onnx::TensorProto::INT32)
      continue;
    auto file = io::MappedFile::open(dataFile(set, "input", i));
    if (!file) {
      llvm::consumeError(file.takeError());
      continue;
    }
    onnx::TensorProto &value = *graph.add_initializer();
    llvm::ArrayRef<char> bytes = (*file)->bytes();
    any |= value.ParseFromArray(bytes.data(), bytes.size());
    value.set_name(graph.input(i).name());
    if (type == onnx::TensorProto::BFLOAT16) // see readData
      value.set_data_type(type);
  }
  return any;
}

/// Imports the test's model; if that fails, with its integer inputs frozen, and
/// if `freezes`, with all inputs frozen at once.
ImportResult importTest(const Test &test, bool freezes,
                        mlir::MLIRContext &context) {
  ImportResult imported = importModel(test.modelPath(), {}, context);
  std::vector<std::string> sets = test.dataSets();
  onnx::ModelProto model = test.model;
  if ((imported.succeeded() && !freezes) || sets.size() != 1 ||
      !freezeInputs(model, sets.front(), freezes))
    return imported;
  llvm::SmallString<64> path;
  if (llvm::sys::fs::createTemporaryFile("frozen", "onnx", path))
    return imported;
  llvm::FileRemover remover(path);
  std::string bytes = model.SerializeAsString();
  if (Error error = io::writeFileAside(path, bytes)) {
    llvm::consumeError(std::move(error));
    return imported;
  }
  ImportResult frozen = importModel(path, {}, context);
  return frozen.succeeded() ? std::move(frozen) : std::move(imported);
}

struct Options {
  std::vector<std::string> folders;
  std::set<std::string> except;
  std::string until = "import";
  unsigned atLeast = 0;
  bool evaluates = false;
  bool verbose = false;
};

struct Counts {
  unsigned passed = 0, failed = 0, unsupported = 0;
};

std::set<std::string> readNames(const std::string &path) {
  std::set<std::string> names;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    StringRef name = StringRef(line).split('#').first.trim();
    if (!name.empty())
      names.insert(name.str());
  }
  return names;
}

/// Runs the compilation's passes up to the stage `until`.
mlir::LogicalResult runPasses(mlir::ModuleOp module, StringRef until) {
  mlir::PassManager manager(module.getContext());
  CompileOptions options;
  size_t last = *findStage(until);
  for (const Stage &stage : getStages().take_front(last + 1))
    stage.addPasses(manager, options);
  return manager.run(module);
}

void runTest(const std::string &folder, const Options &options,
             Counts &counts) {
  Test test{folder, {}};
  std::string name = llvm::sys::path::filename(folder).str();
  if (options.except.count(name) || !test.parse())
    return;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ImportResult imported = importTest(test, options.evaluates, context);
  if (!imported.succeeded()) {
    ++counts.unsupported;
    if (options.verbose)
      printProblems(imported.problems, llvm::outs());
    return;
  }
  if (mlir::failed(runPasses(*imported.module, options.until))) {
    ++counts.failed;
    llvm::outs() << "FAILED " << name << ": in a pass\n";
    return;
  }
  std::vector<std::string> sets = test.dataSets();
  if (options.evaluates && sets.size() == 1) {
    std::string reason;
    Expected<bool> known =
        evaluateDataSet(test, *imported.module, sets.front(), reason);
    if (!known) {
      ++counts.failed;
      llvm::outs() << "FAILED " << name << ": "
                   << llvm::toString(known.takeError()) << "\n";
    } else if (*known) {
      ++counts.passed;
    } else {
      ++counts.unsupported;
      if (options.verbose)
        llvm::outs() << name << ": " << reason << "\n";
    }
    return;
  }
  for (const std::string &set : sets)
    if (Error error = runDataSet(test, *imported.module, set)) {
      ++counts.failed;
      llvm::outs() << "FAILED " << name << ": "
                   << llvm::toString(std::move(error)) << "\n";
      return;
    }
  counts.passed += !sets.empty();
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Runs ONNX's own tests in the reference interpreter.");
  app.add_option("FOLDER", options.folders, "Folders of test folders")
      ->required()
      ->check(CLI::ExistingDirectory);
  std::string exceptions;
  app.add_option("--except", exceptions,
                 "A file with the tests to leave out, one a line; # comments")
      ->check(CLI::ExistingFile);
  app.add_option("--at-least", options.atLeast, "How many tests must pass");
  app.add_option("--until", options.until,
                 "Compile each module as far as this stage before")
      ->check([](const std::string &name) {
        return findStage(name) ? "" : "no stage is called " + name;
      });
  app.add_flag("--evaluate", options.evaluates,
               "Make inputs constants, and let the compiler compute");
  app.add_flag("--verbose", options.verbose, "Print why models are refused");
  CLI11_PARSE(app, argc, argv);
  if (!exceptions.empty())
    options.except = readNames(exceptions);
  Counts counts;
  for (const std::string &folder : options.folders)
    for (const std::string &test : listFolder(folder))
      runTest(test, options, counts);
  llvm::outs() << "passed " << counts.passed << ", failed " << counts.failed
               << ", unsupported " << counts.unsupported << "\n";
  return counts.failed != 0 || counts.passed < options.atLeast;
}
