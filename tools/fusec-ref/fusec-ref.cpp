// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a model in the reference interpreter: the oracle of the test suite.
#include "compiler/import/FunctionFiles.h"
#include "compiler/import/Importer.h"
#include "tools/CommandLine.h"
#include "tools/Guard.h"
#include "tools/StandardStreams.h"
#include "tools/fusec-ref/Interpreter.h"
#include "tools/fusec-ref/ModelIo.h"

#include "mlir/IR/MLIRContext.h"

using namespace fusec;

namespace {

// As in fusec: what the exit codes mean.
constexpr int kUnsupported = 2;
constexpr int kBadInput = 4;
constexpr int kWrongUsage = 64;
constexpr int kInternal = 70;

struct Arguments {
  std::string model, function;
  std::vector<std::string> dims, shapes;
  std::vector<std::string> inputs, outputs, counts, ops;
  std::optional<int64_t> maxTrips;
  uint64_t seed = 0;
  int64_t printLimit = 64;
  bool trace = false;
};

constexpr const char *kExamples = R"(
Inputs without a file are random, the same for the same seed. Outputs without a
file are printed. Files are .npy, .pb (an ONNX TensorProto) or raw.

  fusec-ref model.mlir
  fusec-ref model.onnx --input image=cat.npy --output scores=scores.npy
)";

int report(llvm::Error error) {
  printMessage(llvm::errs(),
               "fusec-ref: error: " + llvm::toString(std::move(error)));
  return kBadInput;
}

void traceResult(const ref::Observation &observation, int64_t limit) {
  for (const ref::TensorPtr &result : observation.results)
    ref::printTensor(llvm::outs(), observation.op->getName().getStringRef(),
                     *result, limit);
}

int report(llvm::ArrayRef<Problem> problems) {
  printProblems(problems, llvm::errs());
  if (llvm::any_of(problems, [](const Problem &problem) {
        return problem.kind == ProblemKind::Internal;
      }))
    return kInternal;
  return llvm::all_of(problems,
                      [](const Problem &problem) {
                        return problem.kind == ProblemKind::Unsupported;
                      })
             ? kUnsupported
             : kBadInput;
}

/// "NAME=1x3x224" to a name and its extents; nothing if it is not of this form.
std::optional<std::pair<std::string, std::vector<int64_t>>>
parseExtents(llvm::StringRef text) {
  auto [name, list] = text.rsplit('=');
  std::vector<int64_t> extents;
  llvm::SmallVector<llvm::StringRef> parts;
  list.split(parts, 'x');
  for (llvm::StringRef part : parts)
    if (part.getAsInteger(10, extents.emplace_back()) || extents.back() < 0)
      return std::nullopt;
  return std::make_pair(name.str(), std::move(extents));
}

llvm::Expected<ImportOptions> importOptions(const Arguments &arguments) {
  ImportOptions options;
  options.counts = arguments.counts;
  options.maxTrips = arguments.maxTrips;
  auto operatorFiles = listOperatorFiles(arguments.ops);
  if (!operatorFiles)
    return operatorFiles.takeError();
  options.ops = std::move(*operatorFiles);
  options.keepBodies = true;
  for (const std::string &text : arguments.dims) {
    auto extents = parseExtents(text);
    if (!extents || extents->second.size() != 1)
      return llvm::createStringError("--dim takes NAME=N, not '" + text + "'");
    options.dims[extents->first] = extents->second[0];
  }
  for (const std::string &text : arguments.shapes) {
    auto extents = parseExtents(text);
    if (!extents)
      return llvm::createStringError("--shape takes INPUT=1x3x224x224, not '" +
                                     text + "'");
    options.shapes.insert(std::move(*extents));
  }
  return options;
}

int run(const Arguments &arguments) {
  auto bindings = importOptions(arguments);
  if (!bindings) {
    report(bindings.takeError());
    return kWrongUsage;
  }
  mlir::MLIRContext context;
  ImportResult imported = importModel(arguments.model, *bindings, context);
  printProblems(imported.warnings, llvm::errs());
  if (!imported.succeeded())
    return report(imported.problems);
  mlir::ModuleOp module = *imported.module;
  auto function = ref::findFunction(module, arguments.function);
  if (!function)
    return report(function.takeError());
  std::vector<ref::Port> outputs = ref::getOutputs(*function);
  std::vector<ref::Port> inputs = ref::getInputs(*function);
  auto inputFiles = ref::resolvePortFiles("--input", arguments.inputs,
                                          ref::PortKind::Input, inputs);
  if (!inputFiles)
    return report(inputFiles.takeError());
  auto outputFiles = ref::resolvePortFiles("--output", arguments.outputs,
                                           ref::PortKind::Output, outputs);
  if (!outputFiles)
    return report(outputFiles.takeError());
  auto tensors = ref::makeInputs(inputs, *inputFiles, arguments.seed);
  if (!tensors)
    return report(tensors.takeError());

  auto userOperators = operators::OperatorSet::open(bindings->ops);
  if (!userOperators)
    return report(userOperators.takeError());
  ref::Options options;
  options.userOperators = userOperators->get();
  options.function = arguments.function;
  if (arguments.trace)
    options.observer = [&](const ref::Observation &observation) {
      traceResult(observation, arguments.printLimit);
    };
  auto results = ref::interpret(module, *tensors, options);
  if (!results)
    return report(results.takeError());
  for (auto [index, result] : llvm::enumerate(*results)) {
    result.name = outputs[index].name;
    const ref::PortFile *file = ref::findFile(*outputFiles, index);
    if (!file)
      ref::printTensor(llvm::outs(), result.name, result, arguments.printLimit);
    else if (llvm::Error error = io::writeTensor(file->path, result))
      return report(std::move(error));
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  fusec::tool::guardStreams("fusec-ref");
  Arguments arguments;
  CLI::App app("Interprets a model as imported, in double precision.");
  app.name("fusec-ref");
  app.footer(kExamples);
  app.add_option("MODEL", arguments.model, "The model: .onnx or .mlir")
      ->required();
  app.add_option("--dim", arguments.dims,
                 "NAME=N: the extent of a symbolic dimension")
      ->take_all();
  app.add_option("--shape", arguments.shapes,
                 "INPUT=1x3x224x224: the shape of an input")
      ->take_all();
  app.add_option(
      "--max-trips", arguments.maxTrips,
      "The most iterations of a loop whose rows the run time counts");
  app.add_option(
         "--count", arguments.counts,
         "NAME: adds an output NAME_count, the rows that hold something")
      ->allow_extra_args(false);
  app.add_option(
         "--ops", arguments.ops,
         "FILE: a library of operators, which run in a child process, text "
         "of operators (.fop), a model whose functions others call, or a "
         "folder with such")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--function", arguments.function,
                 "The function to run (default: main, or the only one)");
  app.add_option("--input", arguments.inputs, "NAME=FILE: an input's tensor")
      ->take_all();
  app.add_option("--output", arguments.outputs,
                 "NAME=FILE: where to write an output")
      ->take_all();
  app.add_option("--seed", arguments.seed, "Seed of the random inputs")
      ->capture_default_str();
  app.add_option("--print-limit", arguments.printLimit,
                 "How many elements of a tensor are printed")
      ->capture_default_str();
  app.add_flag("--trace", arguments.trace, "Print every operation's results");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // help was asked for
      return fusec::tool::printHelp(app, error);
    printProblems(fusec::tool::usageProblem(app, error), llvm::errs());
    return kWrongUsage;
  }
  return fusec::tool::runGuarded(
      "fusec-ref", [&] { return run(arguments); },
      [](const Problem &crash, int) { printProblems(crash, llvm::errs()); });
}
