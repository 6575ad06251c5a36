// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/ProblemGroups.h"

#include "compiler/import/Message.h"
#include "dialects/words/Plain.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include <map>

namespace fusec {

//===- Reasons ------------------------------------------------------------===//

/// A part of a reason. What varies from node to node is a part of its own.
struct Part {
  llvm::StringRef text;
  bool varies;
};

/// The length of what `text` begins with if that may vary: the name of an
/// operand in quotes, a shape, or a number that is a word; else 0.
static size_t varyingLength(const Problem &problem, llvm::StringRef text,
                            char before) {
  for (const std::string &name : problem.operands)
    if (text.starts_with("'" + name + "'"))
      return name.size() + 2;
  if (text.front() == '[' && text.contains(']'))
    return text.find(']') + 1;
  auto isWord = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '^' || c == '.';
  };
  size_t digits = text.take_while(llvm::isDigit).size();
  bool isWhole = digits == text.size() || !isWord(text[digits]) ||
                 text.drop_front(digits).take_front(2) == ". ";
  return isWord(before) || !isWhole ? 0 : digits;
}

static std::vector<Part> splitReason(const Problem &problem) {
  std::vector<Part> parts;
  llvm::StringRef reason = problem.reason;
  size_t begin = 0;
  for (size_t at = 0; at < reason.size();) {
    size_t length = varyingLength(problem, reason.drop_front(at),
                                  at ? reason[at - 1] : ' ');
    if (length == 0) {
      ++at;
      continue;
    }
    parts.push_back({reason.slice(begin, at), false});
    parts.push_back({reason.substr(at, length), true});
    begin = at += length;
  }
  parts.push_back({reason.drop_front(begin), false});
  return parts;
}

/// What the problems of a group have in common.
static std::string keyOf(const Problem &problem) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << int(problem.kind) << '\n'
     << problem.file << '\n'
     << problem.domain << '\n'
     << problem.op << '\n'
     << problem.opset << '\n';
  // What lies in no node of a model is known by its place.
  if (problem.op.empty())
    os << problem.node << '\n' << problem.reason;
  else
    for (const Part &part : splitReason(problem))
      os << (part.varies ? "\n" : part.text);
  return key;
}

static std::string commonReason(llvm::ArrayRef<const Problem *> problems) {
  std::vector<Part> common = splitReason(*problems.front());
  for (const Problem *problem : problems.drop_front())
    for (auto [part, other] : llvm::zip(common, splitReason(*problem)))
      if (part.text != other.text)
        part.text = "...";
  std::string text;
  for (const Part &part : common)
    text += part.text;
  return text;
}

//===- Groups -------------------------------------------------------------===//

/// What can be done about any node.
static std::string generalHint(const Problem &problem) {
  if (problem.op.empty())
    return "export the model without it";
  return howToComputeOutside();
}

std::vector<ProblemGroup> groupProblems(llvm::ArrayRef<Problem> problems) {
  std::vector<ProblemGroup> groups;
  std::map<std::string, size_t> numbers;
  for (const Problem &problem : problems) {
    auto [entry, isNew] = numbers.try_emplace(keyOf(problem), groups.size());
    if (isNew)
      groups.emplace_back();
    groups[entry->second].problems.push_back(&problem);
  }
  for (ProblemGroup &group : groups) {
    group.reason = commonReason(group.problems);
    for (const Problem *problem : group.problems)
      if (!problem->hint.empty() &&
          !llvm::is_contained(group.hints, problem->hint))
        group.hints.push_back(problem->hint);
    if (group.hints.empty() && group.first().kind == ProblemKind::Unsupported)
      group.hints.push_back(generalHint(group.first()));
  }
  llvm::sort(groups, [](const ProblemGroup &a, const ProblemGroup &b) {
    return std::pair(b.problems.size(), &a.first()) <
           std::pair(a.problems.size(), &b.first());
  });
  return groups;
}

//===- Text ---------------------------------------------------------------===//

/// The nodes of a group: the first few, or all, each with its own reason where
/// they differ.
static std::string listNodes(const ProblemGroup &group, bool all) {
  constexpr size_t kShown = 3;
  std::string text;
  if (all) {
    for (const Problem *problem : group.problems)
      text += "\n  node '" + onOneLine(problem->node) + "'" +
              (problem->reason == group.reason
                   ? ""
                   : ": " + onOwnLines(problem->reason));
    return text;
  }
  for (const Problem *problem :
       llvm::ArrayRef(group.problems).take_front(kShown))
    text +=
        (text.empty() ? "\n  nodes '" : ", '") + onOneLine(problem->node) + "'";
  if (size_t count = group.problems.size(); count > kShown)
    text += " and " + std::to_string(count - kShown) +
            " more; fusec check --all names them";
  return text;
}

std::string describe(const ProblemGroup &group, bool all) {
  constexpr size_t kShown = 3;
  const Problem &first = group.first();
  const std::string file = onOneLine(first.file), node = onOneLine(first.node);
  std::string text = file + ": " + describeKind(first.kind).str() + ": ";
  if (!first.op.empty())
    text += (group.problems.size() == 1
                 ? "node '" + node + "'"
                 : std::to_string(group.problems.size()) + " nodes") +
            " (" + describeOperator(first) + "): ";
  else if (!first.node.empty()) // IR text has positions, not nodes
    text = file + ":" + node + ": " + describeKind(first.kind).str() + ": ";
  text += onOwnLines(group.reason);
  if (group.problems.size() > 1 && !first.op.empty())
    text += listNodes(group, all);
  llvm::ArrayRef<std::string> hints = group.hints;
  for (const std::string &hint : all ? hints : hints.take_front(kShown))
    text += "\n  hint: " + onOwnLines(hint);
  return text;
}

void printGroups(llvm::ArrayRef<ProblemGroup> groups, bool all,
                 llvm::raw_ostream &os) {
  for (const ProblemGroup &group : groups)
    printMessage(os, describe(group, all));
}

void printGroupsAsJson(llvm::ArrayRef<ProblemGroup> groups,
                       llvm::raw_ostream &os) {
  llvm::json::OStream json(os);
  // Names come from the file and need not be UTF-8, which JSON demands.
  auto text = [](const std::string &s) { return llvm::json::fixUTF8(s); };
  json.array([&] {
    for (const ProblemGroup &group : groups)
      json.object([&] {
        const Problem &first = group.first();
        json.attribute("kind", nameOf(first.kind));
        json.attribute("op", text(first.op));
        json.attribute("domain", text(first.domain));
        json.attribute("opset", first.opset);
        json.attribute("reason", text(group.reason));
        json.attribute("count", int64_t(group.problems.size()));
        json.attributeArray("hints", [&] {
          for (const std::string &hint : group.hints)
            json.value(text(hint));
        });
        json.attributeArray("nodes", [&] {
          for (const Problem *problem : group.problems)
            json.value(text(problem->node));
        });
      });
  });
}

} // namespace fusec
