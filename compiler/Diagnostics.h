// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What went wrong in a compilation, collected for the user: file, node, reason,
// hint, and the exit code that follows from it.
#ifndef FUSEC_COMPILER_DIAGNOSTICS_H
#define FUSEC_COMPILER_DIAGNOSTICS_H

#include "compiler/CompileOptions.h"
#include "compiler/import/Hints.h"
#include "compiler/import/Problem.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"
#include <optional>

namespace fusec {

/// Exit codes of the programs.
enum ExitCode {
  kExitFine = 0,
  kExitCheckFailed = 1,   ///< a check or verification failed
  kExitUnsupported = 2,   ///< the model uses what fusec does not support
  kExitFrozen = 3,        ///< a lock lacks a decision, with --frozen
  kExitBadInput = 4,      ///< a corrupt file, no compiler, an unwritable folder
  kExitUsage = 64,        ///< wrong options
  kExitInternal = 70,     ///< always a bug of fusec
  kExitInterrupted = 130, ///< ^C, as shells say it
};

/// Collects the diagnostics of a context for as long as it lives.
class Diagnostics {
public:
  /// `locks` are files beside the model that errors may lie in; options are
  /// called by `hints`.
  Diagnostics(mlir::MLIRContext &context, std::string file,
              Remarks wanted = Remarks::None,
              std::vector<std::string> locks = {},
              HintStyle hints = HintStyle::Shell);

  void add(Problem problem) { problems.push_back(std::move(problem)); }
  void addAll(llvm::ArrayRef<Problem> more);
  /// A problem of the file or the environment.
  void addBadInput(const llvm::Twine &reason, const llvm::Twine &hint = "");
  /// What to do about the problem that was added last.
  void addHint(const llvm::Twine &hint);
  /// A bug of fusec.
  void addInternal(const llvm::Twine &reason, const llvm::Twine &hint);

  /// Something to know, which is always said.
  void addRemark(const llvm::Twine &text);
  /// Says what `other`, of another round of the same compilation, says.
  void addRemarksOf(const Diagnostics &other);

  llvm::ArrayRef<Problem> getProblems() const { return problems; }
  bool hasErrors() const { return !problems.empty(); }
  /// Whether a lock was refused, which is never a bug of fusec.
  bool hasLockErrors() const;
  /// Unsupported features weigh less than bad input, and that less than bugs.
  ExitCode exitCode() const;

  /// Why neighbours were not fused, each once (dialects/fuse/Refusal.h).
  llvm::ArrayRef<mlir::Attribute> getRefusals() const {
    return refusals.getArrayRef();
  }

  /// Prints warnings and the remarks that are wanted, each once; in colour
  /// where `os` is a terminal that has it. Problems are apart.
  void printRemarks(llvm::raw_ostream &os) const;
  /// Leaves out the remarks and warnings that `other` has too: those of another
  /// entry of the model.
  void dropRemarksOf(const Diagnostics &other);

private:
  void handle(mlir::Diagnostic &diagnostic);
  void addProblem(ProblemKind kind, const llvm::Twine &reason,
                  const llvm::Twine &hint);

  std::string file;
  std::vector<std::string> locks;
  Remarks wanted;
  HintStyle hints;
  std::vector<Problem> problems;
  std::vector<std::string> remarks;
  llvm::StringSet<> said;
  llvm::SetVector<mlir::Attribute> refusals;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace fusec

#endif // FUSEC_COMPILER_DIAGNOSTICS_H
