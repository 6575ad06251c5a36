// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec check: what of a model fusec does not support, all at once.
#include "compiler/Driver.h"
#include "compiler/import/ProblemGroups.h"
#include "dialects/words/Plain.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/ModelOptions.h"
#include "tools/fusec/Steps.h"

#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

namespace {
struct CheckArguments {
  ModelOptions model;
  bool json = false;
  bool all = false;
};
} // namespace

static constexpr const char *kCheckExamples = R"(
Examples:
  fusec check model.onnx
  fusec check model.onnx --all
  fusec check model.onnx --json | jq '.groups[] | {op, count, reason}')";

static void printJson(const CompileOptions &options,
                      const ImportResult &result) {
  auto add = [](llvm::json::OStream &json, llvm::StringRef name, auto &&print) {
    std::string text;
    llvm::raw_string_ostream os(text);
    print(os);
    json.attributeBegin(name);
    json.rawValue(text);
    json.attributeEnd();
  };
  printAsJson([&](llvm::json::OStream &json) {
    json.attribute("format", 1); // tools/fusec/schemas
    json.attribute("model", llvm::json::fixUTF8(options.input));
    json.attribute("supported", result.succeeded());
    json.attribute("nodes", static_cast<int64_t>(result.numNodes));
    add(json, "groups", [&](llvm::raw_ostream &os) {
      printGroupsAsJson(groupProblems(result.problems), os);
    });
    add(json, "problems", [&](llvm::raw_ostream &os) {
      printProblemsAsJson(result.problems, os);
    });
    add(json, "warnings", [&](llvm::raw_ostream &os) {
      printProblemsAsJson(result.warnings, os);
    });
  });
}

/// What a long report comes to.
static void printSummary(const CompileOptions &options,
                         llvm::ArrayRef<Problem> problems) {
  size_t numGroups = groupProblems(problems).size();
  auto numNodes = llvm::count_if(
      problems, [](const Problem &problem) { return !problem.op.empty(); });
  if (numGroups > 1 && numNodes > 1)
    llvm::errs() << onOneLine(options.input) << ": " << numNodes
                 << " nodes are refused, for " << numGroups << " reasons\n";
}

static ExitCode check(const CheckArguments &arguments) {
  CompileOptions options = arguments.model.get();
  options.import.checkOnly = true;
  if (ExitCode code = readStdin(options); code != kExitFine)
    return code;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ImportResult result = importModel(options, context);
  printProblems(result.warnings, llvm::errs());
  if (arguments.json) {
    printJson(options, result);
  } else {
    say(result.problems, arguments.all);
    printSummary(options, result.problems);
  }
  if (result.succeeded() && !arguments.json)
    llvm::outs() << onOneLine(options.input) << ": "
                 << (result.numNodes == 1
                         ? "its one node is supported"
                         : "all " + std::to_string(result.numNodes) +
                               " nodes are supported")
                 << "\n";
  Diagnostics diagnostics(context, options.input);
  diagnostics.addAll(result.problems);
  return diagnostics.exitCode();
}

void addCheck(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App &command = *app.add_subcommand(
      "check", "Report every node that fusec does not support");
  command.footer(kCheckExamples);
  arguments->model.addModel(command);
  arguments->model.addImport(command);
  command.add_flag("--all", arguments->all,
                   "Name every node, also of large groups");
  command.add_flag("--json", arguments->json, "Print one JSON object");
  command.callback(
      [=, &chosen] { chosen = [=] { return check(*arguments); }; });
}

} // namespace fusec::tool
