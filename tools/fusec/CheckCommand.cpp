// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec check: what of a model fusec does not support, all at once.
#include "compiler/Driver.h"
#include "compiler/import/ProblemGroups.h"
#include "dialects/words/Plain.h"
#include "tools/fusec/Json.h"
#include "tools/fusec/ModelOptions.h"
#include "tools/fusec/Progress.h"
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
  fusec check model.onnx --target=cpu,cuda-sm80
  fusec check model.onnx --json | jq '.groups[] | {op, count, reason}')";

namespace {
/// What is said of a model.
struct Answer {
  ImportResult imported;
  std::vector<Problem> problems; ///< of all targets
  /// Those of --target, and whether it is compiled for them.
  std::vector<std::pair<std::string, bool>> targets;
};
} // namespace

static void printJson(const CompileOptions &options, const Answer &answer) {
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
    json.attribute("supported", answer.problems.empty());
    json.attribute("nodes", static_cast<int64_t>(answer.imported.numNodes));
    if (!answer.targets.empty())
      json.attributeArray("targets", [&] {
        for (const auto &[target, supported] : answer.targets)
          json.object([&, &target = target, &supported = supported] {
            json.attribute("target", target);
            json.attribute("supported", supported);
          });
      });
    add(json, "groups", [&](llvm::raw_ostream &os) {
      printGroupsAsJson(groupProblems(answer.problems), os);
    });
    add(json, "problems", [&](llvm::raw_ostream &os) {
      printProblemsAsJson(answer.problems, os);
    });
    add(json, "warnings", [&](llvm::raw_ostream &os) {
      printProblemsAsJson(answer.imported.warnings, os);
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

static void printSupported(const CompileOptions &options, size_t numNodes,
                           llvm::StringRef target) {
  llvm::outs() << onOneLine(options.input) << ": "
               << (numNodes == 1 ? "its one node is supported"
                                 : "all " + std::to_string(numNodes) +
                                       " nodes are supported");
  if (!target.empty())
    llvm::outs() << " for " << target;
  llvm::outs() << "\n";
}

/// Takes the model through all stages for each target and entry, as a
/// compilation does; `names`: the targets that the command line names.
static void lowerForTargets(const CompileOptions &options, bool names,
                            Answer &answer) {
  std::vector<std::string> rows{options.row};
  llvm::append_range(rows, options.furtherRows);
  for (const std::string &row : rows) {
    bool isSupported = true;
    for (size_t e = 0; e < std::max<size_t>(options.entries.size(), 1); ++e) {
      CompileOptions forRow = options.forEntry(e);
      forRow.import.checkOnly = false;
      forRow.row = row;
      forRow.furtherRows.clear();
      Driver driver(forRow);
      isSupported &= driver.lower(reportStage) == kExitFine;
      clearProgress();
      addNew(driver.diagnostics().getProblems(), answer.problems);
    }
    if (names)
      answer.targets.emplace_back(row.empty() ? "cpu" : row, isSupported);
  }
}

static ExitCode check(const CheckArguments &arguments) {
  CompileOptions options = arguments.model.get();
  options.import.checkOnly = true;
  if (ExitCode code = readStdin(options); code != kExitFine)
    return code;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  Answer answer;
  answer.imported = importModel(options, context);
  answer.problems = answer.imported.problems;
  for (size_t e = 1; e < options.entries.size(); ++e)
    addNew(importModel(options.forEntry(e), context).problems, answer.problems);
  if (answer.problems.empty())
    answer.problems = proveEntries(options);
  printProblems(answer.imported.warnings, llvm::errs());
  // Nodes of ONNX are refused by the importer or not at all, for a CPU. What
  // text of any stage says, only the stages know.
  const bool names = arguments.model.targetOption->count();
  if (answer.problems.empty() && (names || answer.imported.isText))
    lowerForTargets(options, names, answer);
  if (arguments.json) {
    printJson(options, answer);
  } else {
    say(answer.problems, arguments.all);
    printSummary(options, answer.problems);
  }
  Diagnostics diagnostics(context, options.input);
  diagnostics.addAll(answer.problems);
  if (arguments.json)
    return diagnostics.exitCode();
  if (!names && answer.problems.empty())
    printSupported(options, answer.imported.numNodes, "");
  for (const auto &[target, supported] : answer.targets)
    if (supported)
      printSupported(options, answer.imported.numNodes, target);
    else
      llvm::outs() << onOneLine(options.input) << ": is not supported for "
                   << target << "\n";
  return diagnostics.exitCode();
}

void addCheck(CLI::App &app, Action &chosen) {
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App &command = *app.add_subcommand(
      "check", "Report every node that fusec does not support");
  command.footer(kCheckExamples);
  arguments->model.addModel(command);
  arguments->model.takesSeveral = true;
  arguments->model.entries.takesSeveral = true;
  arguments->model.addImport(command);
  arguments->model.addTargets(command);
  command.add_flag("--all", arguments->all,
                   "Name every node, also of large groups");
  command.add_flag("--json", arguments->json, "Print one JSON object");
  command.callback(
      [=, &chosen] { chosen = [=] { return check(*arguments); }; });
}

} // namespace fusec::tool
