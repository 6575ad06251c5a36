// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec quantize: a model of codes of 8 bits, as ONNX.
#include "compiler/quantize/Apply.h"
#include "mlir/IR/Verifier.h"
#include "tools/CommandLine.h"
#include "tools/fusec/ExportSteps.h"
#include "tools/fusec/ModelOptions.h"
#include "tools/fusec/RunOptions.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/quantize/Calibration.h"

#include "codegen/Names.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

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
  bool isDynamic = false;
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
  fusec quantize bert.onnx --dynamic -o q.onnx  ranges as the model runs)";

static Method methodOf(const QuantizeArguments &arguments) {
  return llvm::StringSwitch<Method>(arguments.method)
      .Case("percentile", Method::Percentile)
      .Case("entropy", Method::Entropy)
      .Case("mse", Method::Mse)
      .Default(Method::MinMax);
}

/// Throws UsageError for options that do not fit together.
static void checkArguments(const QuantizeArguments &arguments) {
  if (!arguments.isDynamic && arguments.calib.empty())
    throw UsageError{"--calib DIR names the samples that show the ranges of "
                     "activations; --dynamic needs none"};
  if (!arguments.isDynamic)
    return;
  for (const CLI::Option *option : arguments.calibrating)
    if (option->count())
      throw UsageError{option->get_name() +
                       " is about a calibration, and with --dynamic there is "
                       "none; leave one of them out"};
}

/// What a model is before it is quantised: batch norms are in the filters.
struct Network {
  ExportedNodes nodes;
  Plan plan;
};

/// Finds what there is to quantise.
static ExitCode prepare(const QuantizeArguments &arguments, Driver &driver,
                        Network &network) {
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
  checkNames(network.nodes, arguments.plan, problems);
  if (ExitCode code = sayProblems(driver, std::move(problems));
      code != kExitFine)
    return code;
  network.plan = makePlan(module, network.nodes, arguments.plan);
  if (network.plan.products.empty())
    return failOn(input,
                  "has nothing to quantise: no Conv, Gemm or MatMul of f32 "
                  "that multiplies with constant weights" +
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

/// Writes the driver's module, whose operations are codes' now.
static ExitCode finish(const QuantizeArguments &arguments, Driver &driver,
                       const Plan &plan) {
  if (mlir::failed(mlir::verify(driver.module())))
    return driver.failedIn("quantize");
  llvm::outs() << plan.products.size() << " of "
               << plan.products.size() + plan.left.size()
               << " products compute on codes of 8 bits\n";
  return writeExported(driver, arguments.output, arguments.exported);
}

static ExitCode quantizeByCalibration(const QuantizeArguments &arguments,
                                      Driver &driver, const Samples &samples,
                                      const SharedPool &pool) {
  Network network;
  if (ExitCode code = prepare(arguments, driver, network); code != kExitFine)
    return code;
  const bool keepsRanges = !arguments.ranges.empty();
  const std::string file =
      keepsRanges ? arguments.ranges : arguments.output + ".ranges";
  CalibrationState state;
  if (ExitCode code =
          calibrate(driver, network.plan, samples, pool, file, state);
      code != kExitFine)
    return code;
  applyPlan(driver.module(), network.plan,
            chooseCodings(arguments, network.plan, state), arguments.apply);
  ExitCode code = finish(arguments, driver, network.plan);
  if (code == kExitFine && !keepsRanges)
    llvm::sys::fs::remove(file);
  return code;
}

static ExitCode quantize(const QuantizeArguments &arguments) {
  checkArguments(arguments);
  CompileOptions options = arguments.model.get();
  refuseOverwriting(options, "-o", arguments.output);
  if (ExitCode code = checkPlace(arguments.output, "-o"); code != kExitFine)
    return code;
  if (ExitCode code = readStdin(options); code != kExitFine)
    return code;
  options.until = kLastExportedStage.str();
  std::optional<Samples> samples;
  if (!arguments.isDynamic) {
    samples.emplace(arguments.calib);
    samples->takeShapes(options);
  }
  Driver driver(options);
  if (ExitCode code = lowerForExport(driver, arguments.output);
      code != kExitFine)
    return code;
  if (samples) {
    llvm::Expected<SharedPool> pool = makePool(arguments.threads);
    if (!pool)
      return fail(pool.takeError(), kThreadsHint);
    return quantizeByCalibration(arguments, driver, *samples, *pool);
  }
  Network network;
  if (ExitCode code = prepare(arguments, driver, network); code != kExitFine)
    return code;
  applyDynamically(driver.module(), network.plan, arguments.apply);
  return finish(arguments, driver, network.plan);
}

static void addPlanning(CLI::App &command, QuantizeArguments &arguments) {
  command.add_flag("--per-channel", arguments.apply.perChannel,
                   "A scale for each channel of every weight; depthwise "
                   "convolutions always have one");
  auto addList = [&](const char *name, std::vector<std::string> &list,
                     const char *what, const char *type) {
    command.add_option(name, list, what)
        ->delimiter(',')
        ->type_name(type)
        ->allow_extra_args(false);
  };
  addList("--deny-op", arguments.plan.denyOps, "Operators that stay in f32",
          "OPERATOR");
  addList("--deny-node", arguments.plan.denyNodes, "Nodes that stay in f32",
          "NODE");
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
  command.add_flag("--dynamic", arguments->isDynamic,
                   "Quantise activations as the model runs, by the range of "
                   "each tensor then; nothing is calibrated");
  command.callback(
      [=, &chosen] { chosen = [=] { return quantize(*arguments); }; });
}

} // namespace fusec::tool
