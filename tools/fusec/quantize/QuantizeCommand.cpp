// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec quantize: a model of codes of 8 bits, as ONNX.
#include "compiler/quantize/Apply.h"
#include "mlir/IR/Verifier.h"
#include "tools/CommandLine.h"
#include "tools/fusec/ExportSteps.h"
#include "tools/fusec/ModelOptions.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/RunOptions.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/quantize/QuantizeReport.h"

#include "codegen/Names.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

using namespace fusec::quantize;

namespace fusec::tool {

namespace {
struct QuantizeArguments {
  ModelOptions model;
  std::string output, calib, ranges;
  ExportOptions exported;
  std::string method = "minmax";
  double percentile = kUsualPercentile;
  ApplyOptions apply;
  PlanOptions plan;
  AccuracyOptions accuracy;
  std::string eval;
  std::vector<std::string> reports;
  bool isDynamic = false;
  unsigned weightsOnly = 0; ///< the bits, or 0
  WeightsOnlyOptions blocks;
  unsigned threads = 0;
  /// Of a calibration alone.
  std::vector<CLI::Option *> calibrating;
};
} // namespace

static constexpr const char *kQuantizeExamples = R"(
DIR has the samples: for a model of one input a .npy or .pb file each, with its
batch; for one of several inputs a folder each, with NAME.npy or input_0.pb, ...

Examples:
  fusec quantize model.onnx --calib samples -o q.onnx
  fusec quantize model.onnx --calib samples --per-channel --method=entropy -o q.onnx
  fusec quantize model.onnx --calib samples --ranges model.ranges -o q.onnx
                                                keeps what was calibrated
  fusec quantize bert.onnx --dynamic -o q.onnx  ranges as the model runs
  fusec quantize llm.onnx --weights-only=4 -o q.onnx
                                                weights of 4 bits in blocks)";

static Method methodOf(const QuantizeArguments &arguments) {
  return llvm::StringSwitch<Method>(arguments.method)
      .Case("percentile", Method::Percentile)
      .Case("entropy", Method::Entropy)
      .Case("mse", Method::Mse)
      .Default(Method::MinMax);
}

/// Throws UsageError for options that do not fit together.
static void checkArguments(const QuantizeArguments &arguments) {
  if (arguments.isDynamic && arguments.weightsOnly)
    throw UsageError{"--dynamic has products of integers, and --weights-only "
                     "products of f32; leave one of them out"};
  const bool isCalibrated = !arguments.isDynamic && !arguments.weightsOnly;
  if (isCalibrated && arguments.calib.empty())
    throw UsageError{"--calib DIR names the samples that show the ranges of "
                     "activations; --dynamic and --weights-only need none"};
  if (arguments.weightsOnly && arguments.apply.perChannel)
    throw UsageError{"--weights-only has a scale for each block of rows of a "
                     "channel, and --per-channel says nothing; leave it out"};
  if (isCalibrated)
    return;
  for (const CLI::Option *option : arguments.calibrating)
    if (option->count())
      throw UsageError{option->get_name() +
                       " is about a calibration, and with " +
                       (arguments.isDynamic ? "--dynamic" : "--weights-only") +
                       " there is none; leave one of them out"};
}

/// Finds what there is to quantise.
static ExitCode prepare(const QuantizeArguments &arguments, Network &network) {
  Driver &driver = network.driver;
  mlir::ModuleOp module = driver.module();
  const std::string &input = driver.getOptions().input;
  if (mlir::Operation *op = findQuantized(module))
    return failOn(input,
                  "is quantised already: node '" +
                      codegen::firstName(op->getLoc()) + "' (" +
                      op->getName().getStringRef() + ")",
                  "quantise the model that it was made from, in f32");
  foldBatchNorms(module);
  std::vector<Problem> problems;
  network.nodes = listNodes(module, arguments.exported, problems);
  network.options = arguments.plan;
  network.apply = arguments.apply;
  checkNames(network.nodes, network.options, problems);
  if (ExitCode code = sayProblems(driver, std::move(problems));
      code != kExitFine)
    return code;
  network.plan = makePlan(module, network.nodes, network.options);
  if (network.plan.products.empty())
    return failOn(input,
                  "has nothing to quantise: none of its nodes that may be is a "
                  "Conv with constant weights of f32, or a MatMul or Gemm "
                  "(without transA) whose second operand is such a constant" +
                      llvm::StringRef(network.plan.left.empty()
                                          ? ""
                                          : ", other than those that "
                                            "--deny-op and --deny-node keep"),
                  network.plan.left.empty()
                      ? "there is nothing that int8 would gain here"
                      : "deny fewer of them");
  return kExitFine;
}

/// The codings of all tensors: those of one range have one.
static Codings chooseCodings(const QuantizeArguments &arguments,
                             const Plan &plan, const CalibrationState &state) {
  std::vector<Range> ranges(plan.numRanges);
  for (auto [site, histogram] : llvm::zip_equal(plan.sites, state.histograms)) {
    Range own =
        chooseRange(histogram, methodOf(arguments), arguments.percentile);
    Range &range = ranges[site.range];
    range.low = std::min(range.low, own.low);
    range.high = std::max(range.high, own.high);
  }
  Codings codings;
  for (const Site &site : plan.sites)
    codings[site.value] = codeRange(ranges[site.range]);
  return codings;
}

static constexpr const char *kOfCodes = "compute on codes of 8 bits";

/// Writes the driver's module, whose operations are codes' now.
static ExitCode finish(const QuantizeArguments &arguments, Driver &driver,
                       const Plan &plan, size_t count, const char *what) {
  if (mlir::failed(mlir::verify(driver.module())))
    return driver.failedIn("quantize");
  llvm::outs() << count << " of " << plan.products.size() + plan.left.size()
               << " products " << what << "\n";
  return writeExported(driver, arguments.output, arguments.exported);
}

/// Says that the metric drops by more than it may; whether to go on.
static bool acceptsDrop(const QuantizeArguments &arguments,
                        const AccuracyResult &result) {
  const double drop = result.before - result.after,
               allowed = *arguments.accuracy.drop;
  const std::string text = fmt::format(
      "--accuracy-drop: with {} of the products in f32 the model "
      "still loses {:.4g}{}, {:.4g} more than the {:.4g} that it "
      "may",
      result.left.size(), drop, result.unit, drop - allowed, allowed);
  if (arguments.accuracy.bestEffort) {
    llvm::errs() << "fusec: " << text << "\n";
    return true;
  }
  failOn(arguments.model.compile.input, text,
         "--best-effort writes that model; --per-channel, another --method or "
         "more samples may lose less; nothing is written");
  return false;
}

/// Finds what quantising costs, where that is asked for, and which products
/// stay in f32.
static ExitCode judge(const QuantizeArguments &arguments,
                      const Network &network, const Samples &samples,
                      const CalibrationState &state, const SharedPool &pool,
                      QuantizeReport &report, std::vector<size_t> &left) {
  if (!arguments.accuracy.drop && arguments.reports.empty())
    return kExitFine;
  std::optional<Samples> others;
  if (!arguments.eval.empty())
    others.emplace(arguments.eval);
  SwitchedModel model(network, others ? *others : samples);
  if (ExitCode code = model.build(pool); code != kExitFine)
    return code;
  auto costs = model.rank();
  if (!costs)
    return fail(costs.takeError());
  if (arguments.accuracy.drop) {
    auto result = searchAccuracy(model, *costs, arguments.accuracy);
    clearProgress();
    if (!result)
      return fail(result.takeError());
    llvm::outs() << fmt::format(
        "{:.6g} in f32, {:.6g} quantised{}, with {} "
        "of {} products in f32{}\n",
        result->before, result->after, result->unit, result->left.size(),
        network.plan.products.size(), result->left.empty() ? "" : ":");
    for (size_t product : result->left)
      llvm::outs() << fmt::format("  {} ({}), which alone costs {:.1f} dB\n",
                                  network.plan.products[product].name,
                                  network.plan.products[product].operation,
                                  (*costs)[product]);
    if (!result->isMet && !acceptsDrop(arguments, *result))
      return kExitCheckFailed;
    left = result->left;
    report.accuracy = std::move(*result);
  }
  clearProgress();
  report.layers = describeLayers(network, state, *costs, left);
  return kExitFine;
}

static ExitCode quantizeByCalibration(const QuantizeArguments &arguments,
                                      Network &network, const Samples &samples,
                                      const SharedPool &pool) {
  if (ExitCode code = prepare(arguments, network); code != kExitFine)
    return code;
  QuantizeReport report{arguments.model.compile.input,
                        arguments.method,
                        samples.size(),
                        expectGain(network),
                        {},
                        {}};
  printGain(report.gain, llvm::outs());
  const bool keepsRanges = !arguments.ranges.empty();
  const std::string file =
      keepsRanges ? arguments.ranges : arguments.output + ".ranges";
  CalibrationState state;
  if (ExitCode code =
          calibrate(network.driver, network.plan, samples, pool, file, state);
      code != kExitFine)
    return code;
  network.codings = chooseCodings(arguments, network.plan, state);
  std::vector<size_t> left;
  ExitCode code = judge(arguments, network, samples, state, pool, report, left);
  if (code == kExitFine) {
    const Plan plan = network.without(left);
    applyPlan(network.driver.module(), plan, network.codings, network.apply);
    code =
        finish(arguments, network.driver, plan, plan.products.size(), kOfCodes);
  }
  for (const std::string &name : arguments.reports)
    if (code == kExitFine)
      if (llvm::Error error = writeReport(report, name))
        code = fail(std::move(error));
  if (!keepsRanges)
    llvm::sys::fs::remove(file);
  return code;
}

static ExitCode quantize(const QuantizeArguments &arguments) {
  checkArguments(arguments);
  CompileOptions options = arguments.model.get();
  if (ExitCode code =
          prepareExport(options, arguments.output, arguments.reports);
      code != kExitFine)
    return code;
  std::optional<Samples> samples;
  if (!arguments.calib.empty()) {
    samples.emplace(arguments.calib);
    samples->takeShapes(options);
  }
  Driver driver(options);
  if (ExitCode code = lowerForExport(driver, arguments.output);
      code != kExitFine)
    return code;
  Network network(driver);
  if (samples) {
    llvm::Expected<SharedPool> pool = makePool(arguments.threads);
    if (!pool)
      return fail(pool.takeError(), kThreadsHint);
    return quantizeByCalibration(arguments, network, *samples, *pool);
  }
  if (ExitCode code = prepare(arguments, network); code != kExitFine)
    return code;
  if (arguments.isDynamic) {
    applyDynamically(driver.module(), network.plan, arguments.apply);
    return finish(arguments, driver, network.plan, network.plan.products.size(),
                  kOfCodes);
  }
  WeightsOnlyOptions blocks = arguments.blocks;
  blocks.bits = arguments.weightsOnly;
  const size_t count = applyWeightsOnly(driver.module(), network.plan, blocks);
  if (!count)
    return failOn(options.input,
                  "has no MatMul or Gemm whose rows are blocks of " +
                      llvm::Twine(blocks.blockSize),
                  "--block-size 16 has smaller ones");
  const std::string what =
      "have weights of " + std::to_string(blocks.bits) + " bits";
  return finish(arguments, driver, network.plan, count, what.c_str());
}

/// Those for who wants to know what quantising costs.
static void addAccuracy(CLI::App &command, QuantizeArguments &arguments) {
  auto add = [&](CLI::Option *option) {
    arguments.calibrating.push_back(option);
    return option;
  };
  CLI::Option *drop = add(command.add_option(
      "--accuracy-drop", arguments.accuracy.drop,
      "By how much --metric may drop: products that cost most stay in f32 "
      "until it holds"));
  drop->check(CLI::NonNegativeNumber)->type_name("X");
  add(command.add_option(
          "--metric", arguments.accuracy.metric,
          "What may drop: top1 (points; with --labels or against f32), mse, or "
          "a command for sh that is given a folder with SAMPLE/OUTPUT.npy and "
          "prints a number, of which more is better, in its last line"))
      ->check(notEmpty())
      ->needs(drop)
      ->capture_default_str()
      ->type_name("METRIC");
  add(command.add_option("--labels", arguments.accuracy.labels,
                         "A .npy file of integers for top1, one for each row "
                         "of all samples"))
      ->check(CLI::ExistingFile)
      ->needs(drop)
      ->type_name("FILE");
  add(command.add_option("--eval", arguments.eval,
                         "The folder with the samples that --metric and "
                         "--report are about (default: those of --calib)"))
      ->check(notEmpty())
      ->type_name("DIR");
  add(command.add_flag("--best-effort", arguments.accuracy.bestEffort,
                       "Write the model with one product of codes, too, where "
                       "--accuracy-drop cannot be held"))
      ->needs(drop);
  add(command.add_option("--report", arguments.reports,
                         "Write what each layer costs, with a histogram of "
                         "each: .html is a page, else it is JSON"))
      ->allow_extra_args(false)
      ->check(notEmpty())
      ->type_name("FILE");
}

static void addPlanning(CLI::App &command, QuantizeArguments &arguments) {
  command.add_flag("--per-channel", arguments.apply.perChannel,
                   "A scale for each channel of every weight; depthwise "
                   "convolutions always have one");
  addNames(command, "--deny-op", arguments.plan.denyOps,
           "Operators that stay in f32", "OPERATOR");
  addNames(command, "--deny-node", arguments.plan.denyNodes,
           "Nodes that stay in f32", "NODE");
}

static void addCalibrating(CLI::App &command, QuantizeArguments &arguments) {
  auto add = [&](CLI::Option *option) {
    arguments.calibrating.push_back(option);
    return option;
  };
  add(command.add_option("--calib", arguments.calib,
                         "The folder with the samples"))
      ->check(notEmpty())
      ->type_name("DIR");
  add(command.add_option("--method", arguments.method,
                         "What the codes of a tensor stand for: all values "
                         "(minmax), all but a few (percentile), or the range "
                         "of the least divergence (entropy) or the least mean "
                         "of squared errors (mse)"))
      ->check(oneOf({"minmax", "percentile", "entropy", "mse"}))
      ->capture_default_str();
  add(command.add_option("--percentile", arguments.percentile,
                         "How many of a hundred values --method=percentile "
                         "keeps"))
      ->check(CLI::Range(50.0, 100.0))
      ->capture_default_str()
      ->type_name("P");
  add(command.add_option("--ranges", arguments.ranges,
                         "Keep what was calibrated in this file, and take it "
                         "from there where it is of this model and these "
                         "samples: another --method then takes no run"))
      ->check(notEmpty())
      ->type_name("FILE");
  add(command.add_option("--threads", arguments.threads,
                         "How many threads run the model (default: one per "
                         "CPU)"))
      ->check(atLeastOne());
}

void addQuantize(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<QuantizeArguments>();
  CLI::App &command = *app.add_subcommand(
      "quantize", "Write the model with products of 8 bits, as ONNX");
  command.footer(kQuantizeExamples);
  arguments->model.addModel(command);
  command.add_option("-o,--output", arguments->output, "The file to write")
      ->type_name("FILE")
      ->required();
  arguments->model.addImport(command);
  arguments->model.compile.level = kHighestExportedLevel;
  addExport(command, arguments->exported);
  addPlanning(command, *arguments);
  addCalibrating(command, *arguments);
  addAccuracy(command, *arguments);
  command.add_flag("--dynamic", arguments->isDynamic,
                   "Quantise activations as the model runs, by the range of "
                   "each tensor then; nothing is calibrated");
  command
      .add_option("--weights-only", arguments->weightsOnly,
                  "Only weights of matrices become codes, of 4 or 8 bits, as "
                  "ONNX Runtime's MatMulNBits has them; sums stay f32")
      ->check(CLI::IsMember({4, 8}))
      ->type_name("BITS");
  command
      .add_option("--block-size", arguments->blocks.blockSize,
                  "How many rows of a column have one scale, with "
                  "--weights-only")
      ->check(CLI::IsMember({16, 32, 64, 128, 256}))
      ->capture_default_str()
      ->type_name("N");
  command.callback(
      [=, &chosen] { chosen = [=] { return quantize(*arguments); }; });
}

} // namespace fusec::tool
