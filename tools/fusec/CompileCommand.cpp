// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec compile: a model to a folder, or to the text of a stage.
#include "compiler/Pipelines.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/words/Plain.h"
#include "tools/CommandLine.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/Depfile.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/ModelOptions.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/RuleList.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/Trace.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace fs = llvm::sys::fs;

namespace fusec::tool {

namespace {
struct CompileArguments {
  ModelOptions model;
  std::string output, depfile, remarks, trace, listStages;
  bool listRules = false, printPipeline = false;
  std::string elideWeights; ///< "yes" or "no"; empty: if people read the text
};
} // namespace

static constexpr const char *kCompileExamples = R"(
Examples:
  fusec compile mlp.onnx -o mlp                 mlp/mlp.h, mlp/mlp.cpp, ...
  fusec compile bert.onnx -o bert --dim batch=1 --dim sequence=128
  fusec compile bert.onnx -o bert --dim batch=1,4,16 --dim sequence=128,512
                                                six sizes in one program
  fusec compile gpt.onnx -o gpt --allow=bf16,int8-activations
                                                products may be less precise
  fusec compile mlp.onnx --until=fuse-split     the fusion groups, as text
  fusec compile groups.mlir -o mlp              continue from such a text
  python export.py | fusec compile - -o mlp --name mlp)";

/// Whether a file can be made where `option` wants one, or what to say.
/// `output` is made later on, with its parents, in place of what is there.
static ExitCode checkPlaceBeside(llvm::StringRef file, llvm::StringRef option,
                                 llvm::StringRef output) {
  auto absolute = [](llvm::StringRef path) {
    llvm::SmallString<128> place(path);
    if (!fs::make_absolute(place))
      llvm::sys::path::remove_dots(place, /*remove_dot_dot=*/true);
    return place.str().str();
  };
  std::string made = absolute(output) + "/";
  if (llvm::StringRef(absolute(file)).starts_with(made))
    return failOn(file, "lies in the folder that -o replaces as a whole",
                  "keep it beside " + output.str() +
                      "; nothing is written yet");
  return checkPlace(file, option, made);
}

/// With `summaries`, what each stage leaves behind, after a tab.
static ExitCode listStages(bool summaries) {
  for (const Stage &stage : getStages()) {
    llvm::outs() << stage.name;
    if (summaries)
      llvm::outs() << "\t" << stage.summary;
    llvm::outs() << "\n";
  }
  return kExitFine;
}

/// Compiles into `folder` and says in a line what was made.
static ExitCode compileTo(Driver &driver, const std::string &folder) {
  if (ExitCode code = compileInto(driver, folder); code != kExitFine)
    return code;
  llvm::Expected<EmittedModel> model = readEmittedModel(folder);
  if (!model)
    return fail(model.takeError());
  llvm::outs() << model->name << ": wrote " << summarize(*model) << " to "
               << onOneLine(folder) << "\n";
  if (std::string text = describeLowered(*model); !text.empty())
    llvm::outs() << model->name << ": " << text << "\n";
  else if (!driver.getOptions().allowed.empty())
    llvm::outs() << model->name
                 << ": no product has a lower precision than the model; "
                    "--remarks=all says why\n";
  if (const std::string &lock = driver.getOptions().writeLock; !lock.empty())
    llvm::outs() << model->name << ": wrote what was decided to "
                 << onOneLine(lock) << "\n";
  return kExitFine;
}

/// The bytes of all weights of `module`.
static uint64_t countWeights(mlir::ModuleOp module) {
  uint64_t bytes = 0;
  module.walk(
      [&](fuse::WeightOp weight) { bytes += weight.getBytes().size(); });
  return bytes;
}

/// To text; `elideWeights` as the option.
static ExitCode printText(const CompileOptions &options,
                          llvm::StringRef elideWeights) {
  Driver driver(options);
  ExitCode code = driver.lower(reportStage);
  clearProgress();
  if (code == kExitFine) {
    const bool isForPeople = llvm::outs().is_displayed();
    const uint64_t weights = countWeights(driver.module());
    driver.print(llvm::outs(),
                 elideWeights.empty() ? isForPeople : elideWeights == "yes");
    if (elideWeights.empty() && isForPeople && weights)
      driver.diagnostics().addRemark(
          options.input + ": remark: " + llvm::Twine(weights) +
          " bytes of weights are left out on a terminal\n  hint: "
          "--elide-weights=no prints them; text without them cannot be "
          "compiled");
  }
  say(driver.diagnostics());
  return code;
}

/// To the folder or the text that was asked for. Says which external files were
/// read for a folder.
static ExitCode translate(const CompileOptions &options,
                          const CompileArguments &arguments,
                          std::vector<std::string> &external) {
  if (arguments.output.empty())
    return printText(options, arguments.elideWeights);
  Driver driver(options);
  ExitCode code = compileTo(driver, arguments.output);
  external = driver.listExternalFiles();
  return code;
}

static ExitCode compile(const CompileArguments &arguments) {
  if (!arguments.listStages.empty() && !arguments.output.empty())
    throw UsageError{"--list-stages prints names and writes no folder; leave "
                     "out -o"};
  if (!arguments.listStages.empty())
    return listStages(arguments.listStages == "summaries");
  CompileOptions options = arguments.model.get();
  if (arguments.listRules || arguments.printPipeline) {
    llvm::StringRef option =
        arguments.listRules ? "--list-rules" : "--print-pipeline";
    if (!arguments.output.empty() ||
        (arguments.listRules && arguments.printPipeline))
      throw UsageError{option.str() +
                       " prints text and does nothing else; "
                       "leave out " +
                       (arguments.output.empty() ? "--print-pipeline" : "-o")};
    arguments.listRules ? printRules(listAllRules(options), llvm::outs())
                        : printPipeline(options, llvm::outs());
    return kExitFine;
  }
  if (options.input.empty())
    throw UsageError{"name a model to compile; see fusec compile --help"};
  if (options.emit.kernelFiles)
    arguments.model.refuseForGpus("--kernel-files");
  refuseOverwriting(options, "--depfile", arguments.depfile);
  refuseOverwriting(options, "--trace", arguments.trace);
  refuseSameFile({{"--depfile", arguments.depfile},
                  {"--trace", arguments.trace},
                  {"--write-lock", options.writeLock}});
  bool printText = arguments.output.empty();
  if (printText && options.until.empty())
    throw UsageError{"name the folder to write with -o, or a stage to print "
                     "with --until"};
  if (!printText && !options.until.empty())
    throw UsageError{"--until prints text and writes no folder; leave out -o"};
  if (!printText && !arguments.elideWeights.empty())
    throw UsageError{"--elide-weights is for the text that --until prints; "
                     "leave it out"};
  if (printText && !arguments.depfile.empty())
    throw UsageError{
        "--depfile tells what a folder is made of; name it with -o"};
  if (printText && !options.writeLock.empty())
    throw UsageError{"--write-lock tells what was decided for a folder; name "
                     "it with -o"};
  using Place = std::pair<llvm::StringRef, llvm::StringRef>;
  for (auto [option, file] : {Place("--write-lock", options.writeLock),
                              Place("--depfile", arguments.depfile),
                              Place("--trace", arguments.trace)})
    if (!printText && !file.empty())
      if (ExitCode code = checkPlaceBeside(file, option, arguments.output);
          code != kExitFine)
        return code;
  if (!printText)
    if (llvm::Error error = codegen::checkOutputFolder(arguments.output))
      return fail(std::move(error));
  options.remarks = arguments.remarks.empty()    ? Remarks::None
                    : arguments.remarks == "all" ? Remarks::All
                                                 : Remarks::Fusion;
  options.trace = !arguments.trace.empty();
  if (ExitCode code = readStdin(options); code != kExitFine)
    return code;
  if (ExitCode code = arguments.model.caches.read(options); code != kExitFine)
    return code;
  std::optional<CompileTrace> trace;
  if (options.trace)
    trace.emplace();
  std::vector<std::string> external;
  ExitCode code = translate(options, arguments, external);
  const bool isWritten = code == kExitFine && !printText;
  arguments.model.caches.report(options, isWritten ? arguments.output : "");
  if (code == kExitFine && !arguments.depfile.empty())
    if (llvm::Error error =
            writeDepfile(arguments.depfile, arguments.output, options, external,
                         arguments.model.caches.listFiles()))
      return fail(std::move(error));
  if (trace)
    if (llvm::Error error = trace->write(arguments.trace))
      return fail(std::move(error));
  return code;
}

void addCompile(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<CompileArguments>();
  CLI::App &command =
      *app.add_subcommand("compile", "Compile a model to a folder of C++");
  command.footer(kCompileExamples);
  command.add_option("MODEL", arguments->model.compile.input,
                     "The model: .onnx, or .mlir of any stage; - reads either "
                     "from stdin");
  command.add_option("-o,--output", arguments->output, "The folder to write")
      ->type_name("DIR");
  command
      .add_option("--depfile", arguments->depfile,
                  "Also write which files the folder was made of, for Ninja "
                  "and make")
      ->type_name("FILE");
  command
      .add_option("--until", arguments->model.compile.until,
                  "Print the IR after this stage instead")
      ->type_name("STAGE");
  command
      .add_flag("--elide-weights{yes}", arguments->elideWeights,
                "Leave the weights out of the text, which then cannot be "
                "compiled; =no prints them also on a terminal, where they are "
                "left out")
      ->check(oneOf({"yes", "no"}));
  command
      .add_flag("--list-stages{names}", arguments->listStages,
                "Print the names of all stages, one a line; "
                "--list-stages=summaries also says what each leaves behind")
      ->check(oneOf({"names", "summaries"}));
  command.add_flag("--list-rules", arguments->listRules,
                   "Print the rules of the optimiser by area: the lowest level "
                   "(-O) that applies each, whether it keeps the bits of "
                   "results, and what it does");
  command.add_flag("--print-pipeline", arguments->printPipeline,
                   "Print the passes, up to the stage of --until if there is "
                   "one, as fusec-opt --pass-pipeline takes them");
  arguments->model.takesSeveral = true;
  arguments->model.entries.takesSeveral = true;
  arguments->model.addCompile(command);
  arguments->model.addCaches(command);
  command
      .add_option("--write-lock", arguments->model.compile.writeLock,
                  "Also write what was decided about groups and choices, for "
                  "--lock; adds to a file that is there")
      ->type_name("FILE");
  command
      .add_option("--runtime", arguments->model.runtime,
                  "bundled: copy the runtime's sources into the folder; "
                  "installed: leave them out")
      ->check(oneOf({"bundled", "installed"}))
      ->capture_default_str();
  command
      .add_option("--kernel-files", arguments->model.compile.emit.kernelFiles,
                  "How many files the kernels are spread over, some of them "
                  "empty if need be (default: as many as keep each of bounded "
                  "size)")
      ->check(CLI::Range(1, 1000))
      ->type_name("N");
  command.add_flag("--embed-weights",
                   arguments->model.compile.emit.embedWeights,
                   "Have the build put the weights into the program, which "
                   "then needs no weights.bin where it runs");
  command
      .add_option("--hints", arguments->model.hints,
                  "What hints name: options of this command line (shell), or "
                  "arguments of fusec_add_model (cmake)")
      ->check(oneOf({"shell", "cmake"}))
      ->capture_default_str();
  command
      .add_flag("--remarks{fusion}", arguments->remarks,
                "Say why neighbours were not fused; --remarks=all also says "
                "what every other pass left undone")
      ->check(oneOf({"fusion", "all"}));
  command.add_flag("--timing", arguments->model.compile.timing,
                   "Print how long each pass took");
  command
      .add_option("--trace", arguments->trace,
                  "Write when each pass and each group was worked on, in "
                  "Chrome's trace format (for chrome://tracing or "
                  "ui.perfetto.dev); all of it on one thread then")
      ->type_name("FILE");
  command.callback(
      [=, &chosen] { chosen = [=] { return compile(*arguments); }; });
}

} // namespace fusec::tool
