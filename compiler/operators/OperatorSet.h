// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators of the libraries that a command line names (--ops).
#ifndef FUSEC_COMPILER_OPERATORS_OPERATORSET_H
#define FUSEC_COMPILER_OPERATORS_OPERATORSET_H

#include "compiler/operators/Host.h"
#include <deque>

namespace fusec::operators {

/// A library that was named: what it says of itself, and the children that run
/// it, once something is asked.
struct Library {
  std::string path;
  Manifest manifest;
  std::unique_ptr<Host> host;
  /// By the question, so that each is asked once.
  std::map<std::string, Answer> answers;
};

/// An operator, and the library that it is of.
struct Found {
  const Operator *op;
  Library *library;
};

class OperatorSet {
public:
  /// Reads what the libraries of `paths` say of themselves; loads none. Files
  /// of functions are left to the importer. Errors: as of readLibrary, and two
  /// libraries that have one operator, or one name.
  static llvm::Expected<std::unique_ptr<OperatorSet>>
  open(llvm::ArrayRef<std::string> paths);

  /// The operator with the highest version up to `opset`, if any.
  std::optional<Found> find(llvm::StringRef domain, llvm::StringRef type,
                            int64_t opset);
  /// The first version from which there is one, or nothing.
  std::optional<int64_t> findFirst(llvm::StringRef domain,
                                   llvm::StringRef type) const;

  /// Whether any operator has a quantised input.
  bool takeQuantized() const;

  /// Host::ask, once for each question.
  static llvm::Expected<Answer> ask(const Found &found, const Call &call);

private:
  std::deque<Library> libraries;
};

/// Whether a file that --ops names holds functions of ONNX, by its name: such
/// are models (.onnx), all others are libraries.
bool isFunctionFile(llvm::StringRef path);

/// The files that --ops names by `paths`: a folder stands for the libraries and
/// the models in it, by name. Errors: a folder cannot be read.
llvm::Expected<std::vector<std::string>>
expandFolders(llvm::ArrayRef<std::string> paths);

/// Whether `domain` is one of ONNX's own, or of those that fusec has operators
/// of, in which nobody else may declare any.
bool isReservedDomain(llvm::StringRef domain);

/// The line that runs a call by itself: "fusec op test lib.so --op X ...".
std::string describeTest(const Found &found, const Call &call);

} // namespace fusec::operators

#endif // FUSEC_COMPILER_OPERATORS_OPERATORSET_H
