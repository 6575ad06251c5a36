// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a model cannot be imported: one record per node or file, reported all at
// once.
#ifndef FUSEC_COMPILER_IMPORT_PROBLEM_H
#define FUSEC_COMPILER_IMPORT_PROBLEM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace fusec {

enum class ProblemKind {
  /// The model is valid, but uses what fusec does not support (exit code 2).
  Unsupported,
  /// The model is corrupt or wrong, or the options do not fit (exit code 4).
  BadInput,
  /// A bug of fusec (exit code 70).
  Internal,
  /// The model is taken, and not as it says: kept apart from what refuses it.
  Warning,
};

/// One reason why a model is refused, or a warning. What does not apply is
/// empty or 0.
struct Problem {
  ProblemKind kind = ProblemKind::BadInput;
  std::string file;   ///< path as the user gave it
  std::string node;   ///< the node or its first result; "line:column" in text
  std::string op;     ///< operator type
  std::string domain; ///< "" is ONNX's own
  int64_t opset = 0;  ///< version of the domain's operator set
  std::string reason;
  std::string hint; ///< what the user may do about it
  /// Inputs of the model whose values would have to be known (--bind), if all
  /// are small: to fix what a model works on would leave nothing of it.
  std::vector<std::string> bind = {};
  /// Names of the node's operands and results, which `reason` may have.
  std::vector<std::string> operands = {};
  /// The file of external data that is at fault; then it is no node's problem.
  std::string externalFile = {};
};

/// What messages call a kind, and what JSON does.
llvm::StringRef describeKind(ProblemKind kind);
llvm::StringRef nameOf(ProblemKind kind);

/// What can be done about any node that is not supported.
std::string howToComputeOutside();

/// "domain.Op, opset 13"
std::string describeOperator(const Problem &problem);

/// "FILE: error: node 'N' (Op, opset 13): reason", the hint on a line of its
/// own.
std::string describe(const Problem &problem);

/// Adds those that `problems` does not have already, of another target or
/// entry.
void addNew(llvm::ArrayRef<Problem> more, std::vector<Problem> &problems);

/// Prints their descriptions, in colour where `os` is a terminal that has it.
void printProblems(llvm::ArrayRef<Problem> problems, llvm::raw_ostream &os);

/// A JSON array of objects with the members of Problem; kind is "unsupported",
/// "bad-input", "internal" or "warning".
void printProblemsAsJson(llvm::ArrayRef<Problem> problems,
                         llvm::raw_ostream &os);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_PROBLEM_H
