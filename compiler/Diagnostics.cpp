// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/Diagnostics.h"

#include "compiler/import/Message.h"
#include "dialects/fuse/Refusal.h"
#include "dialects/words/Plain.h"
#include "passes/model/Passes.h"

#include "mlir/IR/Location.h"

using namespace mlir;

namespace fusec {

Diagnostics::Diagnostics(MLIRContext &context, std::string file, Remarks wanted,
                         std::vector<std::string> locks, HintStyle hints)
    : file(std::move(file)), locks(std::move(locks)), wanted(wanted),
      hints(hints), handler(&context, [this](Diagnostic &diagnostic) {
        handle(diagnostic);
        return success();
      }) {
  llvm::erase(this->locks, "");
}

/// The first node's name in `location`, or "line:column" of a text.
static std::string describe(Location location) {
  if (auto named = location->findInstanceOf<NameLoc>())
    return named.getName().str();
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place || place.getLine() == 0)
    return "";
  return std::to_string(place.getLine()) + ":" +
         std::to_string(place.getColumn());
}

/// An error of a file that holds no model: its notes say what to do.
static Problem describeIn(StringRef file, Diagnostic &diagnostic) {
  Problem problem;
  problem.file = file.str();
  problem.node = describe(diagnostic.getLocation());
  problem.reason = diagnostic.str();
  for (Diagnostic &note : diagnostic.getNotes())
    problem.hint += (problem.hint.empty() ? "" : "; ") + note.str();
  return problem;
}

bool Diagnostics::hasLockErrors() const {
  return llvm::any_of(problems, [&](const Problem &problem) {
    return llvm::is_contained(locks, problem.file);
  });
}

void Diagnostics::handle(Diagnostic &diagnostic) {
  auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
  if (place && place.getFilename() == model::kChoicesOption) {
    problems.push_back(describeIn("fusec", diagnostic));
    problems.back().reason =
        optionName(hints, "choices") + ": " + problems.back().reason;
    return;
  }
  if (place && llvm::is_contained(locks, place.getFilename().getValue())) {
    problems.push_back(describeIn(place.getFilename(), diagnostic));
    return;
  }
  std::string node = describe(diagnostic.getLocation());
  std::string text = diagnostic.str();
  for (Diagnostic &note : diagnostic.getNotes())
    text += "; " + note.str();
  if (diagnostic.getSeverity() == DiagnosticSeverity::Error) {
    Problem problem;
    problem.file = file;
    problem.node = node;
    problem.reason = text;
    problems.push_back(std::move(problem));
    return;
  }
  bool warning = diagnostic.getSeverity() == DiagnosticSeverity::Warning;
  DictionaryAttr refusal = fuse::getRefusal(diagnostic);
  if (refusal)
    refusals.insert(refusal);
  bool shown = wanted == Remarks::All || (wanted == Remarks::Fusion && refusal);
  if (!warning && !shown)
    return;
  std::string line =
      onOneLine(file) + ": " + (warning ? "warning: " : "remark: ");
  if (!node.empty())
    line += "'" + onOneLine(node) + "': ";
  line += onOwnLines(text);
  if (auto hint = refusal ? refusal.getAs<StringAttr>("hint") : StringAttr())
    line += "\n  hint: " + onOwnLines(hint.getValue());
  addRemark(line);
}

void Diagnostics::addRemark(const llvm::Twine &text) {
  if (said.insert(text.str()).second)
    remarks.push_back(text.str());
}

void Diagnostics::addRemarksOf(const Diagnostics &other) {
  for (const std::string &remark : other.remarks)
    addRemark(remark);
}

void Diagnostics::addAll(llvm::ArrayRef<Problem> more) {
  problems.insert(problems.end(), more.begin(), more.end());
}

void Diagnostics::addBadInput(const llvm::Twine &reason,
                              const llvm::Twine &hint) {
  addProblem(ProblemKind::BadInput, reason, hint);
}

void Diagnostics::addHint(const llvm::Twine &hint) {
  problems.back().hint = joinHints(problems.back().hint, hint);
}

void Diagnostics::addInternal(const llvm::Twine &reason,
                              const llvm::Twine &hint) {
  addProblem(ProblemKind::Internal, reason, hint);
}

void Diagnostics::addProblem(ProblemKind kind, const llvm::Twine &reason,
                             const llvm::Twine &hint) {
  Problem problem;
  problem.kind = kind;
  problem.file = file;
  problem.reason = reason.str();
  problem.hint = hint.str();
  problems.push_back(std::move(problem));
}

ExitCode Diagnostics::exitCode() const {
  ExitCode code = kExitFine;
  for (const Problem &problem : problems)
    code = std::max(code,
                    problem.kind == ProblemKind::Unsupported ? kExitUnsupported
                    : problem.kind == ProblemKind::Internal  ? kExitInternal
                                                             : kExitBadInput);
  return code;
}

void Diagnostics::dropRemarksOf(const Diagnostics &other) {
  llvm::erase_if(remarks, [&](const std::string &remark) {
    return llvm::is_contained(other.remarks, remark);
  });
}

void Diagnostics::printRemarks(llvm::raw_ostream &os) const {
  for (const std::string &remark : remarks)
    printMessage(os, remark);
}

} // namespace fusec
