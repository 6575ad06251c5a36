// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Problems as a person reads them: what has one cause is said once.
#ifndef FUSEC_COMPILER_IMPORT_PROBLEMGROUPS_H
#define FUSEC_COMPILER_IMPORT_PROBLEMGROUPS_H

#include "compiler/import/Problem.h"

namespace fusec {

/// Problems of one kind with one operator, for one reason but for the names of
/// operands, numbers and shapes.
struct ProblemGroup {
  /// One at least.
  std::vector<const Problem *> problems;
  /// With "..." for what differs between them.
  std::string reason;
  /// Each once. One at least for what is unsupported.
  std::vector<std::string> hints;

  const Problem &first() const { return *problems.front(); }
};

/// The greatest groups first, those of one size by their first problem. They
/// refer to `problems`.
std::vector<ProblemGroup> groupProblems(llvm::ArrayRef<Problem> problems);

/// "FILE: unsupported: 12 nodes (Op, opset 13): reason", some of the nodes or
/// `all` of them, and the hints; a group of one as `describe` has it.
std::string describe(const ProblemGroup &group, bool all);

/// Prints their descriptions, in colour where `os` is a terminal that has it.
void printGroups(llvm::ArrayRef<ProblemGroup> groups, bool all,
                 llvm::raw_ostream &os);

/// A JSON array of objects: kind, op, domain and opset of the problems, their
/// reason, hints, and nodes.
void printGroupsAsJson(llvm::ArrayRef<ProblemGroup> groups,
                       llvm::raw_ostream &os);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_PROBLEMGROUPS_H
