// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/Json.h"

#include "compiler/import/ProblemGroups.h"
#include "dialects/words/Plain.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <fmt/format.h>
#include <mutex>

namespace json = llvm::json;

namespace fusec::tool {

/// They outlive a command that crashes.
static std::vector<Problem> said;
static bool hasPrinted = false;

void say(llvm::ArrayRef<Problem> problems, bool all) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  printGroups(groupProblems(problems), all, llvm::errs());
  said.insert(said.end(), problems.begin(), problems.end());
}

void say(const Diagnostics &diagnostics) {
  diagnostics.printRemarks(llvm::errs());
  say(diagnostics.getProblems());
}

void printAsJson(llvm::function_ref<void(json::OStream &)> members) {
  std::string text;
  llvm::raw_string_ostream os(text);
  json::OStream stream(os);
  stream.object([&] { members(stream); });
  printAsJson(text + "\n");
}

void printAsJson(llvm::StringRef text) {
  hasPrinted = true;
  llvm::outs() << plainJson(text);
}

void printErrorAsJson(int exitCode) {
  if (hasPrinted)
    return;
  std::vector<ProblemGroup> all = groupProblems(said);
  std::string message, problems, groups;
  for (const ProblemGroup &group : all)
    message += (message.empty() ? "" : "\n") + describe(group, /*all=*/false);
  llvm::raw_string_ostream problemsOs(problems), groupsOs(groups);
  printProblemsAsJson(said, problemsOs);
  printGroupsAsJson(all, groupsOs);
  printAsJson([&](json::OStream &json) {
    json.attributeObject("error", [&] {
      json.attribute("exit_code", exitCode);
      json.attribute("message", json::fixUTF8(message));
      json.attributeBegin("problems");
      json.rawValue(problems);
      json.attributeEnd();
      json.attributeBegin("groups");
      json.rawValue(groups);
      json.attributeEnd();
    });
  });
}

void addNumber(json::OStream &json, llvm::StringRef name, double value) {
  json.attributeBegin(name);
  json.rawValue([&](llvm::raw_ostream &os) {
    if (std::isfinite(value))
      os << fmt::format("{:.6g}", value);
    else
      os << "null";
  });
  json.attributeEnd();
}

void addVerdict(json::OStream &json, const std::optional<Verdict> &verdict) {
  if (!verdict) {
    for (llvm::StringRef name : {"passed", "max_abs_error", "max_ulp"})
      json.attribute(name, nullptr);
    return;
  }
  json.attribute("passed", verdict->passed);
  addNumber(json, "max_abs_error", verdict->maxAbsError);
  json.attribute("max_ulp", verdict->maxUlp == UINT64_MAX
                                ? json::Value(nullptr)
                                : json::Value(verdict->maxUlp));
}

void addLowered(json::OStream &json, const EmittedModel &model) {
  if (model.lowered.empty())
    return;
  json.attributeArray("lower_precision", [&] {
    for (const auto &[choice, algorithm] : model.lowered)
      json.object([&, &choice = choice, &algorithm = algorithm] {
        json.attribute("choice", json::fixUTF8(choice));
        json.attribute("algorithm", algorithm);
      });
  });
}

} // namespace fusec::tool
