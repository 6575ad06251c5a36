// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/Problem.h"

#include "compiler/import/Message.h"
#include "dialects/words/Plain.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/JSON.h"

namespace fusec {

llvm::StringRef describeKind(ProblemKind kind) {
  switch (kind) {
  case ProblemKind::Unsupported:
    return "unsupported";
  case ProblemKind::BadInput:
    return "error";
  case ProblemKind::Internal:
    return "internal error";
  case ProblemKind::Warning:
    return "warning";
  }
  llvm_unreachable("a kind of problem");
}

llvm::StringRef nameOf(ProblemKind kind) {
  switch (kind) {
  case ProblemKind::Unsupported:
    return "unsupported";
  case ProblemKind::BadInput:
    return "bad-input";
  case ProblemKind::Internal:
    return "internal";
  case ProblemKind::Warning:
    return "warning";
  }
  llvm_unreachable("a kind of problem");
}

std::string howToComputeOutside() {
  return "compute it outside: add the types of the tensors where the model is "
         "to be cut, such nodes' operands and results, to graph.value_info "
         "(onnx.helper.make_tensor_value_info), and "
         "onnx.utils.extract_model, with check_model=False, makes a model of "
         "what lies before and one of what lies behind";
}

std::string describeOperator(const Problem &problem) {
  std::string text = problem.domain.empty() ? "" : problem.domain + ".";
  text += problem.op;
  text = onOneLine(text);
  if (problem.opset)
    text += ", opset " + std::to_string(problem.opset);
  return text;
}

std::string describe(const Problem &problem) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << onOneLine(problem.file) << ':';
  // IR text has positions, not nodes.
  if (problem.op.empty() && !problem.node.empty())
    os << onOneLine(problem.node) << ':';
  os << ' ' << describeKind(problem.kind) << ": ";
  if (!problem.op.empty())
    os << "node '" << onOneLine(problem.node) << "' ("
       << describeOperator(problem) << "): ";
  os << onOwnLines(problem.reason);
  if (!problem.hint.empty())
    os << "\n  hint: " << onOwnLines(problem.hint);
  return text;
}

void addNew(llvm::ArrayRef<Problem> more, std::vector<Problem> &problems) {
  for (const Problem &problem : more)
    if (llvm::none_of(problems, [&](const Problem &known) {
          return describe(known) == describe(problem);
        }))
      problems.push_back(problem);
}

void printProblems(llvm::ArrayRef<Problem> problems, llvm::raw_ostream &os) {
  for (const Problem &problem : problems)
    printMessage(os, describe(problem));
}

void printProblemsAsJson(llvm::ArrayRef<Problem> problems,
                         llvm::raw_ostream &os) {
  llvm::json::OStream json(os);
  // Names come from the file and need not be UTF-8, which JSON demands.
  auto text = [](const std::string &s) { return llvm::json::fixUTF8(s); };
  json.array([&] {
    for (const Problem &problem : problems)
      json.object([&] {
        json.attribute("kind", nameOf(problem.kind));
        json.attribute("file", text(problem.file));
        json.attribute("node", text(problem.node));
        json.attribute("op", text(problem.op));
        json.attribute("domain", text(problem.domain));
        json.attribute("opset", problem.opset);
        json.attribute("reason", text(problem.reason));
        json.attribute("hint", text(problem.hint));
        json.attributeArray("bind", [&] {
          for (const std::string &input : problem.bind)
            json.value(text(input));
        });
      });
  });
}

} // namespace fusec
