// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec verify: the compiled model against the reference interpreter.
#include "compiler/io/ElementValue.h"
#include "dialects/fuse/FuseOps.h"
#include "dialects/words/Plain.h"
#include "tools/fusec-ref/Interpreter.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/CarriedStates.h"
#include "tools/fusec/EntryRuns.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/KernelCheck.h"
#include "tools/fusec/RunOptions.h"
#include "tools/fusec/Steps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

namespace fusec::tool {

namespace {
struct VerifyArguments : CheckedRunOptions {
  bool bisect = false, json = false;
  std::string record, against; ///< folders
};

/// What an entry is compared with, and how.
struct Expectation {
  Driver reference;
  io::OpClass opClass = io::OpClass::Exact;
  io::ElementType narrowest = io::ElementType::F64;

  explicit Expectation(const CompileOptions &options) : reference(options) {}
};
} // namespace

static constexpr const char *kVerifyExamples = R"(
Inputs without a file are random, the same for the same --seed.

Examples:
  fusec verify model.onnx
  fusec verify model.onnx --bisect          which kernel goes wrong first?
  CXX=g++ fusec verify model.onnx --bisect --record gcc
  CXX=clang++ fusec verify model.onnx --bisect --against gcc
                                            where do two builds differ first?
  fusec verify model.onnx --variant naive
  fusec verify model.onnx --dim batch=1,4   each entry
  fusec verify gru.onnx --state h=hn        three runs, which carry h
  fusec verify gpt.onnx --dim past=63 --dim seq=1 --state auto
                                            caches of 0 to 63 rows)";

/// The class of a whole model: of its only operation that computes, or Network;
/// Quantised where it rounds what it computes to codes.
static io::OpClass classOf(mlir::ModuleOp module) {
  io::OpClass opClass = io::OpClass::Exact;
  bool rounds = false;
  module.walk([&](mlir::Operation *op) {
    if (!op->getDialect() || op->getDialect()->getNamespace() != "fuse" ||
        llvm::isa<fuse::ConstantOp, fuse::WeightOp, fuse::GetWeightOp,
                  fuse::YieldOp, fuse::GroupOp>(op))
      return;
    rounds |= llvm::isa<fuse::QuantizeOp, fuse::DynamicQuantizeOp>(op);
    io::OpClass next = ref::getOpClass(op);
    if (next == io::OpClass::Exact)
      return;
    opClass = opClass == io::OpClass::Exact ? next : io::OpClass::Network;
  });
  return rounds && opClass != io::OpClass::Exact ? io::OpClass::Quantised
                                                 : opClass;
}

/// The float with fewest digits that a model computes in: what is computed from
/// it is no more exact, whatever its own type is. Weights are what they are.
static io::ElementType findNarrowestFloat(mlir::ModuleOp module) {
  auto narrowest = io::ElementType::F64;
  llvm::DenseSet<mlir::Value> known;
  module.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation *op) {
    const bool isKnown =
        llvm::isa<fuse::ConstantOp, fuse::WeightOp, fuse::GetWeightOp>(op) ||
        (op->getNumOperands() > 0 && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](mlir::Value operand) {
           return known.contains(operand);
         }));
    for (mlir::Value result : op->getResults()) {
      if (isKnown)
        known.insert(result);
      auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(result.getType());
      if (!tensor || isKnown)
        continue;
      if (io::ElementType type = ref::getElementType(tensor); io::isFloat(type))
        narrowest = io::getLessPrecise(type, narrowest);
    }
  });
  return narrowest;
}

/// Builds what `driver` has imported.
static ExitCode build(Driver &driver, const HostCompiler &compiler,
                      BuiltModel &built) {
  llvm::Expected<std::string> key = contentKey(driver.getOptions(), compiler);
  if (!key)
    return fail(key.takeError());
  return buildFolder(
      *key, compiler,
      [&](llvm::StringRef folder) { return compileInto(driver, folder); },
      built);
}

static void printJson(const CompileOptions &options, const Executable &model,
                      const EmittedModel &emitted, const Verdict &verdict,
                      llvm::ArrayRef<Row> rows, const KernelCheck *kernels) {
  printAsJson([&](llvm::json::OStream &json) {
    json.attribute("format", 1); // tools/fusec/schemas
    json.attribute("model", llvm::json::fixUTF8(options.input));
    addPlace(json, model);
    addLowered(json, emitted);
    addVerdict(json, verdict);
    json.attributeArray("outputs", [&] {
      for (const Row &row : rows)
        json.object([&] {
          if (!row.entry.empty())
            json.attribute("entry", llvm::json::fixUTF8(row.entry));
          json.attribute("name", llvm::json::fixUTF8(row.name));
          addVerdict(json, row.verdict);
        });
    });
    if (kernels)
      kernels->addMembers(json);
  });
}

/// The reference interpreter runs tensors; later stages have memory.
static ExitCode checkStage(const CompileOptions &options,
                           mlir::ModuleOp module) {
  bool hasMemory = false;
  module.walk([&](mlir::FunctionOpInterface func) {
    hasMemory |= llvm::any_of(func.getArgumentTypes(),
                              llvm::IsaPred<mlir::BaseMemRefType>);
  });
  if (!hasMemory)
    return kExitFine;
  auto stage = module->getAttrOfType<mlir::StringAttr>(kStageAttr);
  return failOn(options.input,
                "is text of stage '" + (stage ? stage.getValue() : "?") +
                    "', past what the reference interpreter runs",
                "verify the model, or text of a stage whose functions have "
                "tensors");
}

/// Imports a model that the interpreter can run.
static ExitCode importModel(Driver &driver) {
  if (ExitCode code = driver.import(); code != kExitFine) {
    say(driver.diagnostics());
    return code;
  }
  return checkStage(driver.getOptions(), driver.module());
}

/// The same for what an entry is compared with.
static ExitCode expect(Expectation &expectation) {
  if (ExitCode code = importModel(expectation.reference); code != kExitFine)
    return code;
  expectation.opClass = classOf(expectation.reference.module());
  expectation.narrowest = findNarrowestFloat(expectation.reference.module());
  return kExitFine;
}

/// The extents of runs that are verified: of each entry its own, and those that
/// it pads, of many the smallest and the largest.
static std::vector<std::vector<int64_t>> listVerified(const Executable &model) {
  constexpr size_t kMost = 64;
  std::vector<std::vector<int64_t>> all;
  for (size_t entry = 0; entry < model.countEntries(); ++entry) {
    std::vector<std::vector<int64_t>> own = model.listExtents(entry);
    if (own.size() > kMost)
      own = {own[0], own[1], own.back()};
    llvm::append_range(all, own);
  }
  return all;
}

static ExitCode verify(const VerifyArguments &arguments) {
  CompileOptions options = arguments.model.get();
  if (arguments.bisect) {
    if (options.hasEntries())
      throw UsageError{"--bisect runs one entry; leave out all but one extent "
                       "of each dimension"};
    if (!options.furtherRows.empty())
      throw UsageError{"--bisect compares kernels of one target; leave " +
                       llvm::join(options.furtherRows, " and ") +
                       " out of --target"};
  }
  if (options.hasEntries() && !arguments.inputs.empty())
    throw UsageError{"--input has one shape, and all entries are verified; "
                     "leave it out, or all but one extent of each dimension"};
  if (ExitCode code = readStdin(options); code != kExitFine)
    return code;
  if (ExitCode code = arguments.prepare(options); code != kExitFine)
    return code;
  // One module for the interpreter, one that the stages rewrite.
  // Kernels are compared with what their own operations compute.
  CompileOptions interpreted = options;
  interpreted.import.keepBodies = !arguments.bisect;
  auto first = std::make_unique<Expectation>(interpreted);
  if (ExitCode code = expect(*first); code != kExitFine)
    return code;
  Driver compiled(options);
  if (ExitCode code = importModel(compiled); code != kExitFine)
    return code;
  llvm::Expected<HostCompiler> compiler = findCompiler();
  if (!compiler)
    return fail(compiler.takeError(), kCompilerHint);
  std::optional<KernelCheck> kernels;
  if (arguments.bisect)
    kernels.emplace(options, arguments.record, arguments.against);
  BuiltModel built;
  if (ExitCode code = build(compiled, *compiler, built); code != kExitFine)
    return code;
  if (kernels) {
    auto main = ref::findFunction(first->reference.module(), "");
    if (!main)
      return fail(main.takeError());
    if (!CarriedStates(*main).empty())
      throw UsageError{"--bisect runs a model once; leave out --state, and the "
                       "states are inputs and outputs"};
    if (ExitCode code = kernels->lower(); code != kExitFine)
      return code;
  }
  arguments.model.caches.report(compiled.getOptions(), built.folder,
                                /*runsHere=*/true, arguments.variant);
  auto loaded = arguments.load(built, /*trace=*/nullptr, /*tuner=*/nullptr,
                               kernels ? &kernels->getWatch() : nullptr);
  if (!loaded)
    return fail(loaded.takeError());
  Executable &model = **loaded;
  auto userOperators = operators::OperatorSet::open(options.import.ops);
  if (!userOperators)
    return fail(userOperators.takeError());
  ref::Options interpreting;
  interpreting.userOperators = userOperators->get();

  // With --json, stdout is the object alone; people may still read along.
  llvm::raw_ostream &human = arguments.json ? llvm::errs() : llvm::outs();
  printPlace(model, human);
  // What was allowed to be less precise is no fault.
  llvm::Expected<EmittedModel> emitted = readEmittedModel(built.folder);
  if (!emitted)
    return fail(emitted.takeError());
  if (std::string lowered = describeLowered(*emitted); !lowered.empty()) {
    human << lowered << "\n";
    first->opClass = emitted->opClass;
  }
  Verdict verdict;
  std::vector<Row> rows;
  for (const std::vector<int64_t> &extents : listVerified(model)) {
    if (options.hasEntries()) {
      CompileOptions next = interpreted;
      for (auto [symbol, extent] : llvm::zip_equal(options.symbols, extents))
        next.import.dims[symbol] = extent;
      first = std::make_unique<Expectation>(next);
      if (ExitCode code = expect(*first); code != kExitFine)
        return code;
      if (!emitted->lowered.empty())
        first->opClass = emitted->opClass;
    }
    if (llvm::Error error = model.takeExtents(extents))
      return fail(std::move(error));
    auto compared = compareEntry(
        arguments,
        {first->reference.module(), first->reference.getOptions(), interpreting,
         arguments.tolerance, first->opClass, first->narrowest},
        model, extents);
    if (!compared)
      return fail(compared.takeError());
    for (Row &row : *compared) {
      verdict.add(row.verdict);
      human << (row.entry.empty() ? "" : row.entry + ": ")
            << onOneLine(row.name) << ": "
            << (row.verdict.passed ? "passed" : "FAILED") << ": " << row.text
            << "\n";
      rows.push_back(std::move(row));
    }
  }
  if (kernels) {
    auto inputs = arguments.makeInputs(model.inputs());
    if (!inputs)
      return fail(inputs.takeError());
    auto getTolerance = [&](const ToleranceOptions &options,
                            io::ElementType type) {
      type = io::getLessPrecise(type, first->narrowest);
      // Codes of what is computed may lie on either side of a tie.
      const bool isCode = !emitted->lowered.empty() && !io::isFloat(type);
      return options.get(type,
                         isCode ? io::OpClass::Quantised : first->opClass);
    };
    auto tolerance = [&](io::ElementType type) {
      return getTolerance(arguments.tolerance, type);
    };
    auto alike = [&](io::ElementType type) { return getTolerance({}, type); };
    const std::string build =
        fmt::format("{} on {}, -O{}, {}", model.descriptor().target,
                    model.describePlace(), options.level, compiler->version);
    if (llvm::Error error =
            kernels->run({first->reference.module(), interpreting, model,
                          *inputs, tolerance, alike, verdict.passed},
                         build))
      return fail(std::move(error));
    kernels->print(human);
    verdict.passed &= kernels->passed();
  }
  if (printFindings(model, human))
    verdict.passed = false;
  if (arguments.json)
    printJson(options, model, *emitted, verdict, rows,
              kernels ? &*kernels : nullptr);
  return verdict.passed ? kExitFine : kExitCheckFailed;
}

void addVerify(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App &command = *app.add_subcommand(
      "verify", "Compare the compiled model with the reference interpreter");
  command.footer(kVerifyExamples);
  arguments->add(command, "The model (.onnx, or .mlir of the fuse dialect)");
  CLI::Option *bisect = command.add_flag(
      "--bisect", arguments->bisect,
      "Compare what each kernel leaves in memory, too, and name the first bad "
      "one, with its nodes, or the rule that rewrites the graph wrongly; the "
      "model runs as it is, fused, on any target, and some hundred megabytes "
      "are kept at a time");
  for (auto [name, folder, help] :
       {std::tuple("--record", &arguments->record,
                   "Write what kernels leave, and what they should, into this "
                   "new folder, for --against; it takes as much room as all of "
                   "that"),
        std::tuple("--against", &arguments->against,
                   "Compare what kernels leave with what --record wrote, of "
                   "another build of the model: for another target, by another "
                   "compiler, at another level; inputs are the same")})
    command.add_option(name, *folder, help)
        ->type_name("DIR")
        ->check(notEmpty())
        ->needs(bisect);
  addSteps(command, arguments->steps,
           "Run it so many times, which carry the model's states (default: 3 "
           "where it has some, else 1; of caches that grow, runs from empty to "
           "full ones)");
  command.add_flag("--json", arguments->json,
                   "Print one JSON object; what people read goes to stderr");
  command.callback(
      [=, &chosen] { chosen = [=] { return verify(*arguments); }; });
}

} // namespace fusec::tool
