// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec compress: a model with fewer weights, as ONNX.
#include "mlir/IR/Verifier.h"
#include "tools/CommandLine.h"
#include "tools/fusec/ExportSteps.h"
#include "tools/fusec/ModelOptions.h"
#include "tools/fusec/RunOptions.h"
#include "tools/fusec/Steps.h"
#include "tools/fusec/compress/CompressReport.h"
#include "tools/fusec/compress/CompressRuns.h"

#include "codegen/Names.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <fmt/format.h>

using namespace fusec::compress;

namespace fusec::tool {

namespace {
struct CompressArguments {
  ModelOptions model;
  std::string output, calib, block;
  ExportOptions exported;
  CompressOptions compress;
  quantize::PlanOptions plan;
  unsigned threads = 0;
  std::vector<std::string> reports;
};
} // namespace

static constexpr const char *kCompressExamples = R"(
DIR has the samples: for a model of one input a .npy or .pb file each, with its
batch; for one of several inputs a folder each, with NAME.npy or input_0.pb, ...

Examples:
  fusec compress model.onnx --sparsity 0.8 -o small.onnx
  fusec compress model.onnx --sparsity 0.8 --block 4x16 -o small.onnx
                                                zeros in whole blocks
  fusec compress model.onnx --rank-error 0.02 -o small.onnx
                                                matrices as two narrow ones
  fusec compress model.onnx --rank-error 0.02 --calib samples -o small.onnx
                                                weighted by what they multiply)";

/// Throws UsageError unless `value`, which `what` describes, lies between 0 and
/// 1.
static void checkShare(const char *option, std::optional<double> value,
                       const char *what) {
  if (value && !(*value > 0 && *value < 1))
    throw UsageError{fmt::format("{} {}: {}, more than 0 and less than 1",
                                 option, *value, what)};
}

/// Throws UsageError for options that say nothing, or not together.
static void checkArguments(CompressArguments &arguments) {
  CompressOptions &options = arguments.compress;
  if (!options.sparsity && !options.rankError)
    throw UsageError{"--sparsity says how many of the weights become zeros, "
                     "--rank-error how exact a matrix of low rank is; give one "
                     "of them, or both"};
  checkShare("--sparsity", options.sparsity,
             "it is the share of each weight that becomes zeros");
  checkShare("--rank-error", options.rankError,
             "it is the most relative error of a weight");
  if (arguments.block.empty())
    return;
  auto [channels, terms] = llvm::StringRef(arguments.block).split('x');
  if (channels.getAsInteger(10, options.block.channels) ||
      terms.getAsInteger(10, options.block.terms) ||
      options.block.channels < 1 || options.block.terms < 1)
    throw UsageError{"--block " + arguments.block +
                     ": a block is channels times terms of their sums, as in "
                     "4x16"};
}

/// Finds what there is to compress.
static ExitCode prepare(const CompressArguments &arguments, Driver &driver,
                        quantize::Plan &plan) {
  mlir::ModuleOp module = driver.module();
  const std::string &input = driver.getOptions().input;
  if (mlir::Operation *op = quantize::findQuantized(module))
    return failOn(input,
                  "is quantised already: node '" +
                      codegen::firstName(op->getLoc()) + "' (" +
                      op->getName().getStringRef() + ")",
                  "compress the model that it was made from, in f32, and "
                  "quantise the result");
  std::vector<Problem> problems;
  ExportedNodes nodes = listNodes(module, arguments.exported, problems);
  quantize::checkNames(nodes, arguments.plan, problems);
  if (ExitCode code = sayProblems(driver, std::move(problems));
      code != kExitFine)
    return code;
  plan = quantize::makePlan(module, nodes, arguments.plan);
  if (plan.products.empty())
    return failOn(input,
                  "has nothing to compress: none of its nodes that may be is a "
                  "Conv with constant weights of f32, or a MatMul or Gemm "
                  "(without transA) whose second operand is such a constant",
                  plan.left.empty() ? "there is nothing to gain here"
                                    : "deny fewer of them");
  return kExitFine;
}

/// "1x64x3x3"
static std::string describeShape(mlir::Value value) {
  std::vector<std::string> extents;
  for (int64_t extent :
       llvm::cast<mlir::RankedTensorType>(value.getType()).getShape())
    extents.push_back(std::to_string(extent));
  return llvm::join(extents, "x");
}

/// Says why no weight changed; the code for that.
static ExitCode sayNone(const CompressArguments &arguments,
                        const quantize::Plan &plan,
                        llvm::ArrayRef<WeightChange> changes) {
  const std::string &input = arguments.model.compile.input;
  const WeightChange *nearest = nullptr;
  const quantize::Product *product = nullptr;
  for (auto [own, change] : llvm::zip_equal(plan.products, changes))
    if (change.leastError &&
        (!nearest || *change.leastError < *nearest->leastError)) {
      nearest = &change;
      product = &own;
    }
  if (nearest) {
    failOn(input,
           fmt::format("--rank-error {}: no weight has a rank that saves "
                       "enough; the nearest, that of '{}', has an error of "
                       "{:.4f}, {:.4f} more than it may",
                       *arguments.compress.rankError, product->name,
                       *nearest->leastError,
                       *nearest->leastError - *arguments.compress.rankError),
           "a larger bound, or --sparsity; nothing is written");
    return kExitCheckFailed;
  }
  return failOn(input,
                "has no weight to compress: that of '" +
                    plan.products.front().name + "' stays, as " +
                    changes.front().reason,
                arguments.block.empty()
                    ? fmt::format("weights of {} elements and {} terms of a "
                                  "sum are worth it; nothing is written",
                                  kLeastElements, kLeastTerms)
                    : "another --block divides them; nothing is written");
}

static ExitCode compressModel(const CompressArguments &arguments,
                              Driver &driver, const Samples *samples,
                              const SharedPool &pool) {
  quantize::Plan plan;
  if (ExitCode code = prepare(arguments, driver, plan); code != kExitFine)
    return code;
  std::vector<std::string> shapes;
  for (const quantize::Product &product : plan.products)
    shapes.push_back(describeShape(product.weight));
  std::optional<CompressRuns> runs;
  std::vector<std::vector<double>> scales;
  if (samples) {
    runs.emplace(driver, *samples, pool);
    if (ExitCode code = runs->measureInputs(plan, scales); code != kExitFine)
      return code;
  }
  scales.resize(plan.products.size());
  std::vector<WeightChange> changes =
      compressWeights(driver.module(), plan, arguments.compress, scales);
  if (llvm::all_of(changes, [](const WeightChange &change) {
        return change.change == Change::None;
      }))
    return sayNone(arguments, plan, changes);
  if (mlir::failed(mlir::verify(driver.module())))
    return driver.failedIn("compress");
  CompressReport report;
  report.model = arguments.model.compile.input;
  if (runs) {
    report.samples = samples->size();
    if (ExitCode code = runs->measureOutputs(report.signalToNoise.emplace());
        code != kExitFine)
      return code;
  }
  for (auto [product, shape, change] :
       llvm::zip_equal(plan.products, shapes, changes)) {
    llvm::outs() << fmt::format("{} ({}, {}): {}\n", product.name,
                                product.operation, shape, describe(change));
    report.weights.push_back(
        {product.name, product.operation, shape, std::move(change)});
  }
  llvm::outs() << describeGain(report);
  if (runs)
    llvm::outs() << fmt::format("the outputs of {} samples have a signal to "
                                "noise of {:.1f} dB\n",
                                report.samples, *report.signalToNoise);
  ExitCode code = writeExported(driver, arguments.output, arguments.exported);
  for (const std::string &file : arguments.reports)
    if (code == kExitFine)
      if (llvm::Error error = writeReport(report, file))
        code = fail(std::move(error));
  return code;
}

static ExitCode compress(CompressArguments arguments) {
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
  if (!samples)
    return compressModel(arguments, driver, nullptr, nullptr);
  llvm::Expected<SharedPool> pool = makePool(arguments.threads);
  if (!pool)
    return fail(pool.takeError(), kThreadsHint);
  return compressModel(arguments, driver, &*samples, *pool);
}

void addCompress(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<CompressArguments>();
  CLI::App &command = *app.add_subcommand(
      "compress", "Write the model with fewer weights, as ONNX");
  command.footer(kCompressExamples);
  arguments->model.addModel(command);
  command.add_option("-o,--output", arguments->output, "The file to write")
      ->type_name("FILE")
      ->required();
  arguments->model.addImport(command);
  arguments->model.compile.level = kHighestExportedLevel;
  addExport(command, arguments->exported);
  CLI::Option *sparsity = command.add_option(
      "--sparsity", arguments->compress.sparsity,
      "The share of each weight that becomes zeros, those of the least "
      "magnitude: 0.8");
  sparsity->type_name("SHARE");
  command
      .add_option("--block", arguments->block,
                  "Zeros come in blocks of so many channels and terms of "
                  "their sums: 4x16")
      ->needs(sparsity)
      ->type_name("CHANNELSxTERMS");
  command
      .add_option("--rank-error", arguments->compress.rankError,
                  "Replace a matrix by two narrow ones where their product has "
                  "at most this relative error, and they take 30% fewer "
                  "multiplications: 0.02")
      ->type_name("ERROR");
  command
      .add_option("--calib", arguments->calib,
                  "The folder with samples, which say how much each row of a "
                  "matrix matters to --rank-error, and what the outputs lose")
      ->check(notEmpty())
      ->type_name("DIR");
  command
      .add_option("--threads", arguments->threads,
                  "How many threads run the model on samples (default: one "
                  "per CPU)")
      ->check(atLeastOne());
  command
      .add_option("--report", arguments->reports,
                  "Write what became of each weight, with its errors by what "
                  "is left of it: .html is a page, else it is JSON")
      ->allow_extra_args(false)
      ->check(notEmpty())
      ->type_name("FILE");
  addNames(command, "--deny-op", arguments->plan.denyOps, "Operators that stay",
           "OPERATOR");
  addNames(command, "--deny-node", arguments->plan.denyNodes, "Nodes that stay",
           "NODE");
  command.callback(
      [=, &chosen] { chosen = [=] { return compress(*arguments); }; });
}

} // namespace fusec::tool
