// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which neighbours stayed apart, and why.
#ifndef FUSEC_PASSES_FUSION_REFUSALS_H
#define FUSEC_PASSES_FUSION_REFUSALS_H

#include "passes/fusion/Clusters.h"

namespace fusec::fuse {

/// An operation and a reader of it that are not in one group.
struct Refusal {
  mlir::Operation *producer, *reader;
  std::string reason;
  std::string hint; ///< what to do about it; often empty
};

/// Asks `clusters` about each pair of neighbours in `block`. Library calls and
/// operations that lie behind a reshape are neighbours as well: nobody asked
/// whether they fit, and the reason says so.
llvm::SmallVector<Refusal> findRefusals(mlir::Block &block, Clusters &clusters);

/// Reports them as remarks, once the groups are there.
void reportRefusals(llvm::ArrayRef<Refusal> refusals);

/// Reports that `group` was cut, or kept whole although it should not be;
/// `hint` says what to do, or nothing.
void reportGroup(mlir::Location location, llvm::StringRef group,
                 const llvm::Twine &what, const llvm::Twine &why,
                 llvm::StringRef hint);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_FUSION_REFUSALS_H
