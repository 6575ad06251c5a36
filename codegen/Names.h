// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one place that invents identifiers of emitted source. Names come from
// NameLocs; where there is none, from what the value is for. Nothing that a
// model's author wrote reaches the source without passing through here.
#ifndef FUSEC_CODEGEN_NAMES_H
#define FUSEC_CODEGEN_NAMES_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <string>

namespace fusec::codegen {

/// `text` as a C identifier of at most 48 characters, cut between words: other
/// characters become underscores, runs of them one. Empty if nothing is left.
std::string toIdentifier(llvm::StringRef text);

/// Keywords of C, C++ and CUDA, macros of their headers, and what is written
/// like a macro.
bool isKeyword(llvm::StringRef name);

/// The above, every name of the kernel vocabulary and of the host interface,
/// and what the emitter declares around a model's own names.
bool isReservedName(llvm::StringRef name);

/// Functions of the C library and of POSIX, of which no namespace around all
/// others may have the name. (Within one they hide nothing that is called.)
bool isLibraryFunction(llvm::StringRef name);

/// The names in `location`, outermost first, each once.
llvm::SmallVector<llvm::StringRef> collectNames(mlir::Location location);

/// The first name in `location`, or empty.
llvm::StringRef firstName(mlir::Location location);

/// The name of an array: the first name in `location`, without the beginning of
/// a path that makes it long (its end says more).
llvm::StringRef arrayName(mlir::Location location);

/// Unique identifiers in nested C++ scopes: siblings may use the same name, and
/// no name hides another.
class Names {
public:
  enum class Reserved { Keywords, All };
  explicit Names(Reserved reserved = Reserved::All) : reserved(reserved) {
    scopes.emplace_back();
  }

  void pushScope() { scopes.emplace_back(); }
  void popScope() { scopes.pop_back(); }

  /// An identifier made of `wish`, or of `fallback` if that has no usable
  /// characters, then `suffix`, in which every other character becomes an
  /// underscore. A number is appended: 0 where it is reserved,
  /// from 2 where it is taken.
  std::string declare(llvm::StringRef wish, llvm::StringRef fallback,
                      const llvm::Twine &suffix = "");

private:
  struct Scope {
    llvm::StringSet<> taken;
    /// By name, up to which number names made of it are taken as long as this
    /// scope lasts.
    llvm::StringMap<unsigned> last;
  };
  bool isTaken(llvm::StringRef name) const;
  Reserved reserved;
  llvm::SmallVector<Scope> scopes;
};

/// How often the first names of values occur in `region`: a name that several
/// values share (a composite that became many operations) describes none of
/// them.
class NameCounts {
public:
  explicit NameCounts(mlir::Region &region);
  /// The name of `value`'s location if it is its own and short, or empty.
  llvm::StringRef ownName(mlir::Value value) const;

private:
  llvm::StringMap<unsigned> counts;
};

} // namespace fusec::codegen

#endif // FUSEC_CODEGEN_NAMES_H
