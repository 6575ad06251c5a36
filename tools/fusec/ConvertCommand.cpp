// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec convert: the optimised model as ONNX.
#include "compiler/Driver.h"
#include "compiler/export/Exporter.h"
#include "compiler/io/MappedFile.h"
#include "dialects/words/Plain.h"
#include "tools/CommandLine.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/ModelOptions.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/Steps.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

namespace {
struct ConvertArguments {
  ModelOptions model;
  std::string output;
  ExportOptions exported;
};
} // namespace

static constexpr const char *kConvertExamples = R"(
Examples:
  fusec convert model.onnx -o opt.onnx          as it is at -O1
  fusec convert model.onnx -o same.onnx -O0     as fusec reads it
  fusec convert bert.onnx -o opt.onnx --dim batch=1 --dim sequence=128
  fusec convert model.onnx -o opt.onnx --external-data
                                                weights in opt.onnx.data)";

/// The highest level whose module has operators of ONNX.
static constexpr unsigned kHighestConverted = 1;

/// Throws UsageError for a level above.
static void checkLevel(const CompileOptions &options) {
  if (options.level > kHighestConverted)
    throw UsageError{
        "-O" + std::to_string(options.level) +
        ": what it makes of a model, kernels and weights in the order of their "
        "loads, no operator of ONNX says; convert has -O0 and -O1"};
}

/// Throws UsageError where the file of weights beside the new model would be
/// one of the model's own.
static void keepExternalFiles(const Driver &driver, llvm::StringRef output) {
  const std::string data = (output + ".data").str();
  llvm::StringRef folder =
      llvm::sys::path::parent_path(driver.getOptions().input);
  for (const std::string &name : driver.listExternalFiles()) {
    llvm::SmallString<128> file(folder);
    llvm::sys::path::append(file, name);
    if (llvm::sys::fs::equivalent(file, data))
      throw UsageError{"-o " + output.str() + ": would overwrite " + data +
                       ", which has weights of the model; name another file"};
  }
}

static ExitCode convert(const ConvertArguments &arguments) {
  CompileOptions options = arguments.model.get();
  checkLevel(options);
  refuseOverwriting(options, "-o", arguments.output);
  if (ExitCode code = checkPlace(arguments.output, "-o"); code != kExitFine)
    return code;
  if (ExitCode code = readStdin(options); code != kExitFine)
    return code;
  options.until = "fuse-simplify";
  Driver driver(options);
  ExitCode code = driver.lower(reportStage);
  clearProgress();
  if (code != kExitFine) {
    say(driver.diagnostics());
    return code;
  }
  keepExternalFiles(driver, arguments.output);
  std::vector<Problem> problems;
  llvm::Expected<ExportSummary> written = exportOnnx(
      driver.module(), arguments.output, arguments.exported, problems);
  for (Problem &problem : problems)
    problem.file = options.input;
  driver.diagnostics().addAll(problems);
  say(driver.diagnostics());
  if (!written)
    return fail(written.takeError());
  if (driver.diagnostics().hasErrors())
    return driver.diagnostics().exitCode();
  llvm::outs() << onOneLine(arguments.output) << ": wrote " << written->numNodes
               << (written->numNodes == 1 ? " node" : " nodes")
               << " of operator set " << written->opset;
  if (written->numWeights)
    llvm::outs() << ", " << written->weightBytes << " bytes of weights"
                 << (written->dataFile.empty()
                         ? ""
                         : " in " + onOneLine(written->dataFile));
  llvm::outs() << "\n";
  return kExitFine;
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
  arguments->model.compile.level = kHighestConverted;
  arguments->model.addLevel(command);
  command
      .add_option("--opset", arguments->exported.opset,
                  "The version of ONNX's operator set to write (default: the "
                  "model's own, or the nearest from " +
                      std::to_string(kUsualExportedOpset) + " to " +
                      std::to_string(kNewestExportedOpset) + ")")
      ->check(CLI::Range(kOldestExportedOpset, kNewestExportedOpset))
      ->type_name("N");
  command.add_flag("--external-data", arguments->exported.externalData,
                   "Write the weights to a file beside the model, FILE.data; "
                   "without the option only where they have more than 2 GB");
  command.callback(
      [=, &chosen] { chosen = [=] { return convert(*arguments); }; });
}

} // namespace fusec::tool
