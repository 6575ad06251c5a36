// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators whose bodies are text, of one or several files, with the names in
// them resolved.
#ifndef FUSEC_COMPILER_FOP_LIBRARY_H
#define FUSEC_COMPILER_FOP_LIBRARY_H

#include "compiler/fop/Ast.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <deque>

namespace fusec::fop {

/// A file of definitions.
struct File {
  std::string path, text;
  std::vector<Definition> definitions;
};

class Library {
public:
  /// Reads `path` and adds what it defines. Errors, which name the file, line
  /// and column: no regular file, too large, no text, not of the grammar.
  llvm::Error add(llvm::StringRef path);
  /// The same of a text that is there already.
  llvm::Error add(llvm::StringRef path, std::string text);

  /// Refuses what can be refused without a call: names that nothing has or that
  /// two things have, calls of what there is not, definitions that call
  /// themselves, gradients whose operands do not fit. To be called once all
  /// files are there.
  llvm::Error resolve() const;

  const std::deque<File> &getFiles() const { return files; }

  /// What an expression in `caller` calls by `name`: with a domain, or of its
  /// own one. Null where it is no operator of these files.
  const Definition *find(llvm::StringRef name, const Definition &caller) const;
  const File &fileOf(const Definition &definition) const {
    return *owners.lookup(&definition);
  }

private:
  std::deque<File> files;
  /// The one of the highest version, by name.
  llvm::StringMap<const Definition *> newest;
  llvm::DenseMap<const Definition *, const File *> owners;
};

/// An error that reads "norms.fop:3:14: ...".
llvm::Error errorAt(const File &file, const Mistake &mistake);

/// The numbers of those of `tensors`, which are inputs or outputs of `op`, that
/// are floats, whichever types it is called with: they have gradients.
std::vector<size_t> findFloats(const std::vector<Tensor> &tensors,
                               const Definition &op);

/// Refuses a definition whose gradient does not take its inputs, and then the
/// gradients of its outputs, or does not give those of its inputs. Throws
/// Mistake.
void checkGradient(const Definition &definition, const Library &library);

/// Refuses a definition whose names are wrong by themselves; calls of operators
/// are told to `visitCall`. Throws Mistake.
void checkNames(
    const Definition &definition, const Library &library,
    llvm::function_ref<void(const Expr &, const Definition &)> visitCall);

} // namespace fusec::fop

#endif // FUSEC_COMPILER_FOP_LIBRARY_H
