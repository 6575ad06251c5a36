// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec verify: the compiled model against the reference interpreter.
#include "dialects/fuse/FuseOps.h"
#include "dialects/words/Plain.h"
#include "tools/fusec-ref/Interpreter.h"
#include "tools/fusec/Cache.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/PerNode.h"
#include "tools/fusec/Progress.h"
#include "tools/fusec/RunOptions.h"
#include "tools/fusec/Steps.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

namespace {
struct VerifyArguments : CheckedRunOptions {
  bool perNode = false, json = false;
};

/// How an output, or the result of a node, compares.
struct Row {
  std::string name, node, op;
  Verdict verdict;
};
} // namespace

static constexpr const char *kVerifyExamples = R"(
Inputs without a file are random, the same for the same --seed.

Examples:
  fusec verify model.onnx
  fusec verify model.onnx --per-node        which node goes wrong first?
  fusec verify model.onnx --variant naive)";

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

/// Builds what `driver` has imported.
static ExitCode build(Driver &driver, bool perNode, BuiltModel &built) {
  const auto change = [&](mlir::ModuleOp module) {
    return perNode ? exposeNodes(module).takeError() : llvm::Error::success();
  };
  llvm::Expected<HostCompiler> compiler = findCompiler();
  if (!compiler)
    return fail(compiler.takeError(), kCompilerHint);
  llvm::Expected<std::string> key = contentKey(driver.getOptions(), *compiler);
  if (!key)
    return fail(key.takeError());
  return buildFolder(
      *key + (perNode ? "-per-node" : ""), *compiler,
      [&](llvm::StringRef folder) {
        return compileInto(driver, folder, change);
      },
      built);
}

static void printJson(const VerifyArguments &arguments,
                      const CompileOptions &options, const Executable &model,
                      const Verdict &verdict, llvm::ArrayRef<Row> rows) {
  printAsJson([&](llvm::json::OStream &json) {
    json.attribute("format", 1); // tools/fusec/schemas
    json.attribute("model", llvm::json::fixUTF8(options.input));
    addPlace(json, model);
    addVerdict(json, verdict);
    json.attributeArray(arguments.perNode ? "nodes" : "outputs", [&] {
      for (const Row &row : rows)
        json.object([&] {
          if (arguments.perNode) {
            json.attribute("node", llvm::json::fixUTF8(row.node));
            json.attribute("op", row.op);
          } else {
            json.attribute("name", llvm::json::fixUTF8(row.name));
          }
          addVerdict(json, row.verdict);
        });
    });
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

static ExitCode verify(const VerifyArguments &arguments) {
  CompileOptions options = arguments.model.get();
  if (ExitCode code = readStdin(options); code != kExitFine)
    return code;
  if (ExitCode code = arguments.prepare(options); code != kExitFine)
    return code;
  // One module for the interpreter, one that the stages rewrite.
  Driver reference(options), compiled(options);
  std::vector<NodeResult> nodes;
  for (Driver *driver : {&reference, &compiled}) {
    if (ExitCode code = driver->import(); code != kExitFine) {
      say(driver->diagnostics());
      return code;
    }
    if (ExitCode code = checkStage(options, driver->module());
        code != kExitFine)
      return code;
    if (!arguments.perNode)
      continue;
    auto exposed = exposeNodes(driver->module());
    if (!exposed)
      return fail(exposed.takeError());
    nodes = std::move(*exposed);
  }
  io::OpClass opClass = classOf(reference.module());
  BuiltModel built;
  if (ExitCode code = build(compiled, arguments.perNode, built);
      code != kExitFine)
    return code;
  arguments.model.caches.report(compiled.getOptions(), built.folder,
                                /*runsHere=*/true, arguments.variant);
  auto loaded = arguments.load(built);
  if (!loaded)
    return fail(loaded.takeError());
  Executable &model = **loaded;
  auto inputs = arguments.makeInputs(model.inputs());
  if (!inputs)
    return fail(inputs.takeError());
  reportProgress("running the reference interpreter");
  auto expected = ref::interpret(reference.module(), *inputs);
  if (!expected)
    return fail(expected.takeError());
  reportProgress("running the compiled model");
  auto actual = model.run(*inputs);
  if (!actual)
    return fail(actual.takeError());
  clearProgress();

  // With --json, stdout is the object alone; people may still read along.
  llvm::raw_ostream &human = arguments.json ? llvm::errs() : llvm::outs();
  printPlace(model, human);
  Verdict verdict;
  std::vector<Row> rows;
  for (size_t number = 0; number < actual->size(); ++number) {
    io::ElementType type = (*actual)[number].type;
    auto comparison = io::compare((*actual)[number], (*expected)[number],
                                  arguments.tolerance.get(type, opClass));
    if (!comparison)
      return fail(comparison.takeError());
    verdict.add(*comparison);
    Row row;
    row.name = model.outputs()[number].name;
    row.verdict.add(*comparison);
    if (arguments.perNode) {
      row.node = nodes[number].node;
      row.op = nodes[number].op;
    }
    rows.push_back(row);
    if (!arguments.perNode)
      human << onOneLine(row.name) << ": "
            << (comparison->passed() ? "passed" : "FAILED") << ": "
            << comparison->describe() << "\n";
    else if (!comparison->passed()) {
      human << "the first bad node is '" << onOneLine(row.node) << "' ("
            << row.op << "): " << comparison->describe() << "\n";
      break; // What follows computes with it.
    }
  }
  if (arguments.perNode && verdict.passed)
    human << "all " << nodes.size() << " nodes passed\n";
  if (printFindings(model, human))
    verdict.passed = false;
  if (arguments.json)
    printJson(arguments, options, model, verdict, rows);
  return verdict.passed ? kExitFine : kExitCheckFailed;
}

void addVerify(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<VerifyArguments>();
  CLI::App &command = *app.add_subcommand(
      "verify", "Compare the compiled model with the reference interpreter");
  command.footer(kVerifyExamples);
  arguments->add(command, "The model (.onnx, or .mlir of the fuse dialect)");
  command.add_flag("--per-node", arguments->perNode,
                   "Compare every node and name the first bad one");
  command.add_flag("--json", arguments->json,
                   "Print one JSON object; what people read goes to stderr");
  command.callback(
      [=, &chosen] { chosen = [=] { return verify(*arguments); }; });
}

} // namespace fusec::tool
