// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec run: compile, build, run, compare, time.
#include "dialects/words/Plain.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/OnlineTuning.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/RunOptions.h"
#include "tools/fusec/Steps.h"

#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

namespace fusec::tool {

namespace {
struct RunArguments : CheckedRunOptions {
  OnlineTuning tuning;
  std::vector<std::string> outputs, checks;
  std::string testData, trace;
  unsigned repeat = 0;
  bool json = false, timing = false;

  ExitCode makeTuner(const CompileOptions &options,
                     std::optional<fusec::Tuner> &tuner) const;
  /// Runs the model on each of `inputs`; where there are steps, each result has
  /// a row for each of them.
  llvm::Expected<std::vector<io::Tensor>>
  runSteps(Executable &model, llvm::ArrayRef<std::vector<io::Tensor>> inputs,
           RunTimes &timing) const;
};

/// What a run found out.
struct Report {
  std::vector<std::string> lines;
  std::optional<Verdict> verdict;
  RunTimes timing; ///< of the one run, unless more were asked for
  std::optional<StepTimes> steps; ///< with --timing
};
} // namespace

static constexpr const char *kRunExamples = R"(
Inputs without a file are random, the same for the same --seed. Files are .npy,
.pb (an ONNX TensorProto), or bare elements (.bin, .raw). The built model is
kept in a cache ($XDG_CACHE_HOME/fusec, or ~/.cache/fusec).

Examples:
  fusec run model.onnx
  fusec run model.onnx --input image=cat.npy --output scores=scores.npy
  fusec run model.onnx --test-data test_data_set_0
  fusec run model.onnx --repeat 100 --threads 2 --json
  fusec run model.onnx --tuning-range 2:30 --cache tuned
                                            tries variants in runs 2 to 29
  fusec run out/model                       a folder of fusec compile -o
  fusec run out/bert --input ids=ids.npy    of its entries, the one that fits
  fusec run out/model --weights new/weights.bin
                                            other values of all weights
  fusec run gru.onnx --state h=hn --steps 100 --input x=frames.npy
                                            a frame a run, which carries h)";

static llvm::Error check(const std::vector<io::Tensor> &results,
                         llvm::ArrayRef<ref::Port> ports,
                         llvm::ArrayRef<ref::PortFile> files,
                         const ToleranceOptions &tolerance, io::OpClass opClass,
                         Report &report) {
  for (const ref::PortFile &file : files) {
    const ref::Port &port = ports[file.port];
    auto expected = ref::readPort(port, file.path);
    if (!expected)
      return expected.takeError();
    auto comparison = io::compare(results[file.port], *expected,
                                  tolerance.get(port.spec.type, opClass));
    if (!comparison)
      return comparison.takeError();
    if (!report.verdict)
      report.verdict.emplace();
    report.verdict->add(*comparison);
    report.lines.push_back(onOneLine(port.name) + ": " +
                           (comparison->passed() ? "passed" : "FAILED") + ": " +
                           comparison->describe());
  }
  return llvm::Error::success();
}

static void printJson(const RunArguments &arguments, const Executable &model,
                      const BuiltModel &built, const EmittedModel &emitted,
                      const Report &report) {
  printAsJson([&](llvm::json::OStream &json) {
    json.attribute("format", 1); // tools/fusec/schemas
    json.attribute("model", llvm::json::fixUTF8(arguments.model.compile.input));
    json.attribute("threads", model.threads());
    json.attribute("isa", model.isa());
    addPlace(json, model);
    addLowered(json, emitted);
    json.attribute("cached", built.cached);
    json.attribute("folder", llvm::json::fixUTF8(built.folder));
    json.attribute("repeat", std::max(arguments.repeat, 1u));
    if (arguments.steps)
      json.attribute("steps", arguments.steps);
    addNumber(json, "min_ms", report.timing.minimum);
    addNumber(json, "median_ms", report.timing.median);
    addNumber(json, "spread_ms", report.timing.spread);
    addVerdict(json, report.verdict);
    if (!report.steps)
      return;
    json.attributeArray("kernels", [&] {
      for (const StepTime &step : report.steps->steps)
        json.object([&] {
          json.attribute("name", llvm::json::fixUTF8(step.name));
          json.attribute("kind", step.isCall ? "call" : "kernel");
          addNumber(json, "median_ms", step.ms.median);
          addNumber(json, "launches", step.launches);
        });
    });
  });
}

/// Bare elements are for who asks for them: their file says nothing about type
/// and shape, which a name like scores.txt hides. Throws UsageError.
static void checkExtensions(llvm::ArrayRef<std::string> outputs) {
  for (llvm::StringRef output : outputs)
    if (io::tensorFormatOf(output) == io::TensorFormat::Raw &&
        !output.ends_with_insensitive(".bin") &&
        !output.ends_with_insensitive(".raw"))
      throw UsageError{
          "--output " + output.str() +
          ": the file's extension says how to write it: .npy, .pb "
          "(an ONNX TensorProto), or .bin or .raw (bare elements)"};
}

ExitCode RunArguments::makeTuner(const CompileOptions &options,
                                 std::optional<fusec::Tuner> &tuner) const {
  auto compiler = findCompiler();
  std::string version = compiler ? compiler->version : "";
  if (!compiler) // an emitted folder may have been built already
    llvm::consumeError(compiler.takeError());
  return tuning.makeTuner(model.caches, options.numerics != "fast", version,
                          tuner);
}

llvm::Expected<std::vector<io::Tensor>>
RunArguments::runSteps(Executable &model,
                       llvm::ArrayRef<std::vector<io::Tensor>> inputs,
                       RunTimes &timing) const {
  std::vector<double> times;
  std::vector<io::Tensor> all;
  for (auto [step, given] : llvm::enumerate(inputs)) {
    auto results = model.run(given, &times.emplace_back());
    if (!results)
      return results.takeError();
    for (auto [number, result] : llvm::enumerate(*results)) {
      if (step == 0) {
        all.push_back(result);
        if (steps)
          all.back().shape.insert(all.back().shape.begin(), inputs.size());
        continue;
      }
      llvm::append_range(all[number].bytes, result.bytes);
    }
  }
  timing = summarise(std::move(times));
  return all;
}

/// The runs of a tuning range, and those before it.
static llvm::Error tryVariants(const TuningRange &range, Executable &model,
                               llvm::ArrayRef<io::Tensor> inputs,
                               LaunchTrace *trace) {
  for (uint64_t i = 0; i < range.end; ++i) {
    const bool isTuning = i >= range.begin;
    if (i == 0 || i == range.begin) {
      if (trace)
        trace->beginPhase(isTuning ? "tune" : "observe");
      reportStep(isTuning ? fmt::format("tuning: runs {} to {} try variants",
                                        range.begin, range.end - 1)
                          : fmt::format("observing: runs 0 to {} take the "
                                        "defaults",
                                        range.begin - 1));
    }
    reportProgress(fmt::format("tuning: run {} of {}", i + 1, range.end));
    if (auto tried = model.run(inputs); !tried)
      return tried.takeError();
  }
  if (trace)
    trace->beginPhase("execute");
  return llvm::Error::success();
}

static ExitCode run(RunArguments arguments) {
  CompileOptions options = arguments.model.get();
  checkExtensions(arguments.outputs);
  refuseOverwriting(options, "--trace", arguments.trace);
  refuseOverwriting(options, "--tuning-report", arguments.tuning.report);
  if (ExitCode code = arguments.tuning.readConfig(arguments.model.caches);
      code != kExitFine)
    return code;
  if (arguments.tuning.isAsked()) {
    arguments.model.refuseForGpus("--tuning-range");
    if (!arguments.model.hasVariants())
      options.variants = arguments.tuning.getVariants();
  }
  arguments.model.caches.mayLack = arguments.tuning.isAsked();
  std::vector<std::pair<std::string, std::string>> written{
      {"--trace", arguments.trace},
      {"--tuning-report", arguments.tuning.report}};
  for (const std::string &output : arguments.outputs) {
    written.emplace_back("--output", output.substr(output.rfind('=') + 1));
    refuseOverwriting(options, "--output", written.back().second);
  }
  refuseSameFile(written);
  if (ExitCode code = readStdin(options); code != kExitFine)
    return code;
  if (ExitCode code = arguments.prepare(options, arguments.testData);
      code != kExitFine)
    return code;
  arguments.model.compile.input = options.input;
  std::optional<fusec::Tuner> tuner;
  if (ExitCode code = arguments.makeTuner(options, tuner); code != kExitFine)
    return code;
  BuiltModel built;
  if (ExitCode code = buildModel(options, built); code != kExitFine)
    return code;
  llvm::Expected<EmittedModel> emitted = readEmittedModel(built.folder);
  if (!emitted)
    return fail(emitted.takeError());
  arguments.model.caches.report(options, built.folder, /*runsHere=*/true,
                                arguments.variant);
  std::optional<LaunchTrace> trace;
  if (arguments.timing || !arguments.trace.empty())
    trace.emplace();
  auto loaded = arguments.load(built, trace ? &*trace : nullptr,
                               tuner ? tuner->get() : nullptr);
  if (!loaded)
    return fail(loaded.takeError());
  Executable &model = **loaded;

  if (!arguments.testData.empty())
    if (llvm::Error error =
            addTestData(arguments.testData, model.inputs(), model.outputs(),
                        arguments.inputs, arguments.checks))
      return fail(std::move(error));
  // With --json, stdout is the object alone; people may still read along.
  llvm::raw_ostream &human = arguments.json ? llvm::errs() : llvm::outs();
  if (llvm::Error error = arguments.pickEntry(model, human))
    return fail(std::move(error));
  auto outputFiles = ref::resolvePortFiles(
      "--output", arguments.outputs, ref::PortKind::Output, model.outputs());
  if (!outputFiles)
    return fail(outputFiles.takeError());
  auto checkFiles = ref::resolvePortFiles(
      "--check", arguments.checks, ref::PortKind::Output, model.outputs());
  if (!checkFiles)
    return fail(checkFiles.takeError());
  const unsigned steps = std::max(arguments.steps, 1u);
  auto inputs = arguments.makeSteps(model.inputs(), steps);
  if (!inputs)
    return fail(inputs.takeError());

  if (tuner) {
    if (llvm::Error error =
            tryVariants(arguments.tuning.getRange(), model, inputs->front(),
                        trace ? &*trace : nullptr))
      return fail(std::move(error));
    if (llvm::Error error = model.resetStates())
      return fail(std::move(error));
  }
  Report report;
  auto results = arguments.runSteps(model, *inputs, report.timing);
  if (!results)
    return fail(results.takeError());
  if (llvm::Error error =
          check(*results,
                arguments.steps ? stack(model.outputs(), steps)
                                : model.outputs().vec(),
                *checkFiles, arguments.tolerance, emitted->opClass, report))
    return fail(std::move(error));
  for (const ref::PortFile &file : *outputFiles) {
    const io::Tensor &result = (*results)[file.port];
    if (llvm::Error error = io::writeTensor(file.path, result))
      return fail(std::move(error));
    if (!arguments.json)
      report.lines.push_back("wrote " + result.name + ", " +
                             io::describe(result.type, result.shape) + ", to " +
                             file.path);
  }
  if (tuner)
    if (llvm::Error error = arguments.tuning.writeReport(*tuner))
      return fail(std::move(error));
  if (arguments.repeat) {
    reportProgress("timing");
    report.timing = model.time(inputs->front(), arguments.repeat);
  }
  clearProgress();

  if (!arguments.trace.empty())
    if (llvm::Error error = trace->write(arguments.trace, model.descriptor(),
                                         model.describePlace(), built.folder))
      return fail(std::move(error));
  if (!arguments.repeat) // which says it behind the times
    printPlace(model, human);
  if (std::string lowered = describeLowered(*emitted); !lowered.empty())
    human << emitted->name << ": " << lowered << "\n";
  const bool simulated = model.getDevice() && model.getDevice()->isSimulated();
  for (const std::string &line : report.lines)
    human << line << "\n";
  constexpr int64_t kShown = 8;
  bool quiet = arguments.json || report.verdict || arguments.repeat;
  for (auto [number, result] : llvm::enumerate(*results))
    if (!quiet && !ref::findFile(*outputFiles, number))
      ref::printTensor(llvm::outs(), result.name, result, kShown);
  if (arguments.steps)
    human << fmt::format("{} steps, of {:.4f} ms in the median\n",
                         arguments.steps, report.timing.median);
  if (arguments.repeat)
    human << fmt::format(
        "minimum {:.4f} ms, median {:.4f} ms, spread {:.4f} ms, {} run{}, {} "
        "thread{}, {}\n",
        report.timing.minimum, report.timing.median, report.timing.spread,
        arguments.repeat, arguments.repeat == 1 ? "" : "s", model.threads(),
        model.threads() == 1 ? "" : "s",
        simulated ? "the simulator's time, not a GPU's"
                  : model.describePlace());
  if (arguments.timing) {
    report.steps =
        trace->sum(model.descriptor(), built.folder, arguments.repeat);
    if (simulated)
      human << "the simulator's times, not a GPU's:\n";
    printTable(*report.steps, human);
  }
  if (arguments.json)
    printJson(arguments, model, built, *emitted, report);
  if (printFindings(model, human))
    return kExitCheckFailed;
  return report.verdict && !report.verdict->passed ? kExitCheckFailed
                                                   : kExitFine;
}

void addRun(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<RunArguments>();
  CLI::App &command =
      *app.add_subcommand("run", "Run a model, or a folder that fusec emitted");
  command.footer(kRunExamples);
  arguments->add(command, "The model (.onnx, .mlir) or an emitted folder");
  addFileOption(command, "--output", arguments->outputs,
                "Write an output to a file");
  addFileOption(command, "--check", arguments->checks,
                "Compare an output with a file");
  command
      .add_option("--test-data", arguments->testData,
                  "A folder with input_0.pb, output_0.pb, ...: run and compare")
      ->type_name("DIR");
  command
      .add_option("--weights", arguments->weights,
                  "Give the model, which was compiled with "
                  "--swappable-weights, the weights of this file: weights.bin "
                  "of the same model with other values")
      ->type_name("FILE")
      ->check(notEmpty());
  command
      .add_option("--repeat", arguments->repeat,
                  "Time this many runs: minimum, median, spread")
      ->check(atLeastOne());
  command.add_flag("--timing", arguments->timing,
                   "Print how long each kernel took: medians of the runs that "
                   "--repeat times, else of the one run");
  command
      .add_option("--trace", arguments->trace,
                  "Write when each kernel ran, in Chrome's trace format (for "
                  "chrome://tracing or ui.perfetto.dev)")
      ->type_name("FILE");
  addSteps(
      command, arguments->steps,
      "Run the model so many times, which carry its states (--state); an "
      "input's file may have a row for each, as the files of outputs have");
  arguments->tuning.add(command);
  command.add_flag("--json", arguments->json,
                   "Print one JSON object; what people read goes to stderr");
  command.callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

} // namespace fusec::tool
