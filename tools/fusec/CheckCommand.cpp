// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec check: what of a model fusec does not support, all at once.
#include "compiler/Driver.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/ModelOptions.h"

#include "llvm/Support/raw_ostream.h"

namespace fusec::tool {

namespace {
struct CheckArguments {
  ModelOptions model;
  bool json = false;
};
} // namespace

static constexpr const char *kCheckExamples = R"(
Examples:
  fusec check model.onnx
  fusec check model.onnx --json | jq '.problems[].op')";

static void printJson(const CompileOptions &options,
                      const ImportResult &result) {
  std::string text;
  llvm::raw_string_ostream problems(text);
  printProblemsAsJson(result.problems, problems);
  printAsJson([&](llvm::json::OStream &json) {
    json.attribute("format", 1); // tools/fusec/schemas
    json.attribute("model", llvm::json::fixUTF8(options.input));
    json.attribute("supported", result.succeeded());
    json.attribute("nodes", static_cast<int64_t>(result.numNodes));
    json.attributeBegin("problems");
    json.rawValue(text);
    json.attributeEnd();
  });
}

static ExitCode check(const CheckArguments &arguments) {
  CompileOptions options = arguments.model.get();
  options.import.checkOnly = true;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  ImportResult result = importModel(options.input, options.import, context);
  if (arguments.json)
    printJson(options, result);
  else
    say(result.problems);
  if (result.succeeded() && !arguments.json)
    llvm::outs() << options.input << ": "
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
  command.add_option("MODEL", arguments->model.compile.input, "The model")
      ->required();
  arguments->model.addImport(command);
  command.add_flag("--json", arguments->json, "Print one JSON object");
  command.callback(
      [=, &chosen] { chosen = [=] { return check(*arguments); }; });
}

} // namespace fusec::tool
