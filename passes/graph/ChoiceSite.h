// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a choice between algorithms takes in.
#ifndef FUSEC_PASSES_GRAPH_CHOICESITE_H
#define FUSEC_PASSES_GRAPH_CHOICESITE_H

#include "dialects/fuse/FuseOps.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringSet.h"

namespace fusec::fuse {

/// A name for the choice about what is at `loc`, none of `taken`, to which it
/// is added: the last component of its node's name, or else `fallback`.
std::string nameChoice(mlir::Location loc, llvm::StringRef fallback,
                       llvm::StringSet<> &taken);
inline std::string nameChoice(mlir::Operation *op, llvm::StringSet<> &taken) {
  return nameChoice(op->getLoc(), op->getName().stripDialect(), taken);
}

/// The names of the choices in `function`.
llvm::StringSet<> collectChoiceNames(mlir::Operation *function);

/// What goes into a choice: reductions, one behind the other, and what is
/// computed from their results.
class ChoiceSite {
public:
  explicit ChoiceSite(llvm::ArrayRef<PrimitiveOpInterface> reductions);

  /// The values that are needed outside of the site.
  llvm::SmallVector<mlir::Value> getResults() const;
  /// What is computed from the reductions, in program order.
  llvm::ArrayRef<mlir::Operation *> getFollowing() const {
    return members.getArrayRef().drop_front(reductions.size());
  }
  llvm::ArrayRef<PrimitiveOpInterface> getReductions() const {
    return reductions;
  }
  const llvm::SetVector<mlir::Operation *> &getMembers() const {
    return members;
  }

private:
  bool isAvailable(mlir::Value value,
                   llvm::SetVector<mlir::Operation *> &moved) const;

  llvm::SmallVector<PrimitiveOpInterface> reductions;
  llvm::SetVector<mlir::Operation *> members;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_GRAPH_CHOICESITE_H
