// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a choice between algorithms takes in.
#ifndef FUSEC_PASSES_GRAPH_CHOICESITE_H
#define FUSEC_PASSES_GRAPH_CHOICESITE_H

#include "dialects/fuse/FuseOps.h"

#include "llvm/ADT/SetVector.h"

namespace fusec::fuse {

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
