// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec convert: the optimised model as ONNX.
#include "compiler/Driver.h"
#include "compiler/import/Message.h"
#include "tools/CommandLine.h"
#include "tools/fusec-ref/ModelIo.h"
#include "tools/fusec/ExportSteps.h"
#include "tools/fusec/ModelOptions.h"
#include "tools/fusec/PrecisionReport.h"
#include "tools/fusec/Steps.h"

#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

namespace {
struct ConvertArguments {
  ModelOptions model;
  std::string output;
  ExportOptions exported;
  PrecisionOptions precision;
  /// Of --to alone.
  std::vector<CLI::Option *> narrowing;
  bool report = false;
  std::vector<std::string> inputs;
  uint64_t seed = 0;
};
} // namespace

static constexpr const char *kConvertExamples = R"(
Examples:
  fusec convert model.onnx -o opt.onnx          as it is at -O1
  fusec convert model.onnx -o same.onnx -O0     as fusec reads it
  fusec convert bert.onnx -o opt.onnx --dim batch=1 --dim sequence=128
  fusec convert model.onnx -o opt.onnx --external-data
                                                weights in opt.onnx.data
  fusec convert model.onnx -o half.onnx --to=f16 --keep-io --report
                                                what each node loses)";

/// Throws UsageError for a level above.
static void checkLevel(const CompileOptions &options) {
  if (options.level > kHighestExportedLevel)
    throw UsageError{
        "-O" + std::to_string(options.level) +
        ": what it makes of a model, kernels and weights in the order of their "
        "loads, no operator of ONNX says; convert has -O0 and -O1"};
}

/// What each node loses, and which of them overflow.
static llvm::Error report(const ConvertArguments &arguments,
                          PrecisionReport &before, mlir::ModuleOp module,
                          const ExportedNodes &nodes) {
  auto function = ref::findFunction(before.module(), "");
  if (!function)
    return function.takeError();
  std::vector<ref::Port> ports = ref::getInputs(*function);
  auto files = ref::resolvePortFiles("--input", arguments.inputs,
                                     ref::PortKind::Input, ports);
  if (!files)
    return files.takeError();
  auto inputs = ref::makeInputs(ports, *files, arguments.seed);
  if (!inputs)
    return inputs.takeError();
  auto losses = before.compare(module, nodes, *inputs);
  if (!losses)
    return losses.takeError();
  printLosses(*losses, llvm::outs());
  for (const NodeLoss &loss : *losses)
    if (loss.saturated)
      llvm::outs() << "node '" << loss.node << "' overflows: " << loss.saturated
                   << " elements; --deny-node " << shellWord(loss.node)
                   << " keeps it in f32\n";
  return llvm::Error::success();
}

/// Narrows the module, if --to says so.
static ExitCode narrow(const ConvertArguments &arguments, Driver &driver) {
  if (arguments.precision.to.empty())
    return kExitFine;
  mlir::ModuleOp module = driver.module();
  std::vector<Problem> problems;
  ExportedNodes nodes = listNodes(module, arguments.exported, problems);
  std::optional<PrecisionReport> before;
  if (arguments.report)
    before.emplace(module, nodes);
  if (problems.empty())
    nodes = convertPrecision(module, nodes, arguments.precision, problems);
  if (!problems.empty())
    return sayProblems(driver, std::move(problems));
  if (before)
    if (llvm::Error error = report(arguments, *before, module, nodes))
      return fail(std::move(error));
  auto count = llvm::count_if(
      nodes, [](const auto &node) { return node.second.isConverted; });
  llvm::outs() << count << " of " << nodes.size() << " nodes compute in "
               << arguments.precision.to << "\n";
  return kExitFine;
}

static ExitCode convert(ConvertArguments arguments) {
  CompileOptions options = arguments.model.get();
  checkLevel(options);
  if (arguments.precision.to.empty())
    for (const CLI::Option *option : arguments.narrowing)
      if (option->count())
        throw UsageError{option->get_name() +
                         " says how a model becomes narrow; add --to=f16 or "
                         "--to=bf16"};
  if (arguments.precision.to == "bf16") {
    arguments.exported.least = kFirstOpsetWithBf16;
    if (arguments.exported.opset.value_or(kFirstOpsetWithBf16) <
        kFirstOpsetWithBf16)
      throw UsageError{
          "--to=bf16: many operators take bf16 from operator set " +
          std::to_string(kFirstOpsetWithBf16) + " on only; leave out --opset " +
          std::to_string(*arguments.exported.opset)};
  }
  if (ExitCode code = prepareExport(options, arguments.output);
      code != kExitFine)
    return code;
  Driver driver(options);
  if (ExitCode code = lowerForExport(driver, arguments.output);
      code != kExitFine)
    return code;
  if (ExitCode code = narrow(arguments, driver); code != kExitFine)
    return code;
  return writeExported(driver, arguments.output, arguments.exported);
}

void addConvert(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<ConvertArguments>();
  CLI::App &command = *app.add_subcommand(
      "convert", "Write the optimised model as ONNX, for other programs");
  command.footer(kConvertExamples);
  arguments->model.addModel(command);
  command.add_option("-o,--output", arguments->output, "The file to write")
      ->type_name("FILE")
      ->required();
  arguments->model.addImport(command);
  arguments->model.compile.level = kHighestExportedLevel;
  arguments->model.addLevel(command);
  addExport(command, arguments->exported);
  command
      .add_option("--to", arguments->precision.to,
                  "Compute in this type where the model has f32; sums, powers "
                  "and what else ONNX Runtime leaves in f32 stay so")
      ->check(oneOf({"f16", "bf16"}));
  size_t others = command.get_options().size();
  command.add_flag("--keep-io", arguments->precision.keepIo,
                   "Inputs and outputs keep their types");
  addNames(command, "--allow-op", arguments->precision.allowOps,
           "Operators of ONNX that are converted, too, as in "
           "--allow-op=Softmax,Pow",
           "OPERATOR");
  addNames(command, "--deny-op", arguments->precision.denyOps,
           "Operators that stay in f32", "OPERATOR");
  addNames(command, "--deny-node", arguments->precision.denyNodes,
           "Nodes that stay in f32, by the names that --report shows", "NODE");
  command.add_flag("--report", arguments->report,
                   "Run the model before and after in the interpreter, and "
                   "print for each node the error, the signal to noise, and "
                   "how many elements overflow");
  command
      .add_option("--input", arguments->inputs,
                  "An input for --report, from a file (.npy, .pb or raw); "
                  "others are random")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  command
      .add_option("--seed", arguments->seed,
                  "Seed of the random inputs of --report")
      ->capture_default_str();
  arguments->narrowing = command.get_options();
  arguments->narrowing.erase(arguments->narrowing.begin(),
                             arguments->narrowing.begin() + others);
  command.callback(
      [=, &chosen] { chosen = [=] { return convert(*arguments); }; });
}

} // namespace fusec::tool
