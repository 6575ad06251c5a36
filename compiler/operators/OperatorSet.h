// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operators that a command line names (--ops): of libraries, and those
// whose bodies are text.
#ifndef FUSEC_COMPILER_OPERATORS_OPERATORSET_H
#define FUSEC_COMPILER_OPERATORS_OPERATORSET_H

#include "compiler/fop/Library.h"
#include "compiler/operators/Host.h"
#include <deque>
#include <set>

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

/// An operator, and the library that it is of; or its body; or both, and then
/// `op` is as its body says, and `kernels` as the library does.
struct Found {
  const Operator *op;
  Library *library;
  const fop::Definition *body = nullptr;
  const fop::Library *bodies = nullptr; ///< what it is of, then
  const Operator *kernels = nullptr;

  /// What the library has of one that has both.
  Found getKernels() const { return {kernels, library}; }
};

class OperatorSet {
public:
  /// Reads what the libraries of `paths` say of themselves, loading none, and
  /// the text of bodies. Files of functions are left to the importer. Errors:
  /// as of readLibrary and fop::Library, and two files that have one operator,
  /// but for a text and a library that agree about it, or libraries of one
  /// name.
  static llvm::Expected<std::unique_ptr<OperatorSet>>
  open(llvm::ArrayRef<std::string> paths);

  /// The operator with the highest version up to `opset`, if any.
  std::optional<Found> find(llvm::StringRef domain, llvm::StringRef type,
                            int64_t opset);
  /// The first version from which there is one, or nothing.
  std::optional<int64_t> findFirst(llvm::StringRef domain,
                                   llvm::StringRef type) const;

  /// The domains that there are operators of, and the operators of one.
  std::vector<std::string> getDomains() const;
  std::vector<std::string> getTypes(llvm::StringRef domain) const;

  /// Whether any operator has a quantised input.
  bool takeQuantized() const;

  /// All definitions of text; calls among them are resolved.
  const fop::Library &getBodies() const { return bodies; }

  /// Host::ask, once for each question, of an operator of a library.
  static llvm::Expected<Answer> ask(const Found &found, const Call &call);

private:
  llvm::Error addBodies(llvm::StringRef path);
  /// The same of a text that a library has.
  llvm::Error addBodies(llvm::StringRef path, std::string text);
  /// Of the file that was read last.
  llvm::Error addDefinitions();
  /// Refuses an operator that is another's already, or in a domain of ONNX's.
  /// `where` is what messages about a later one say of its place.
  llvm::Error addName(llvm::StringRef where, const Operator &op, bool isBody);
  /// Gives the bodies the kernels that libraries have of the same operators.
  llvm::Error pairKernels();

  /// Calls `visit` with each operator, and the file that it is of.
  void forEach(llvm::function_ref<void(const Found &, llvm::StringRef file)>
                   visit) const;

  std::deque<Library> libraries;
  /// Where operators are declared, by name and version, and whether as text.
  std::map<std::tuple<std::string, int64_t, bool>, std::string> owners;
  fop::Library bodies;
  struct Body {
    Operator op;
    const fop::Definition *definition;
    const Operator *kernels = nullptr;
    Library *library = nullptr;
  };
  /// The operators of libraries that are kernels of bodies.
  std::set<const Operator *> paired;
  std::deque<Body> definitions;
};

/// What a definition says of itself, as a library says it. A parameter without
/// a default has an empty one.
Operator describeBody(const fop::Definition &definition);

/// A value of a parameter as bodies have it; text is none of theirs.
fop::ParamValue toParam(const Value &value);

/// What modules call the library that the texts of bodies would be.
inline constexpr llvm::StringLiteral kBodiesLibrary = "bodies";
/// Texts as the sources of a library, which has their hash.
Manifest describeBodies(const fop::Library &bodies);

/// Whether a file that --ops names holds functions of ONNX, by its name: such
/// are models (.onnx).
bool isFunctionFile(llvm::StringRef path);
/// Whether it holds the text of bodies (.fop). All other files are libraries.
bool isBodyFile(llvm::StringRef path);

/// The files that --ops names by `paths`: a folder stands for the libraries,
/// models and texts in it, by name. Errors: a folder cannot be read.
llvm::Expected<std::vector<std::string>>
expandFolders(llvm::ArrayRef<std::string> paths);

/// Whether `domain` is one of ONNX's own, or of those that fusec has operators
/// of, in which nobody else may declare any.
bool isReservedDomain(llvm::StringRef domain);

/// The line that runs a call by itself: "fusec op test lib.so --op X ...".
std::string describeTest(const Found &found, const Call &call);

} // namespace fusec::operators

#endif // FUSEC_COMPILER_OPERATORS_OPERATORSET_H
