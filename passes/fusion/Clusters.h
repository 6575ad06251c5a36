// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grows clusters of operations that become groups.
#ifndef FUSEC_PASSES_FUSION_CLUSTERS_H
#define FUSEC_PASSES_FUSION_CLUSTERS_H

#include "passes/fusion/ClusterGraph.h"
#include "passes/fusion/FusionRules.h"

#include "mlir/IR/Block.h"
#include "llvm/ADT/StringSet.h"

namespace fusec::fuse {

/// A partition of the operations of one block. Each cluster obeys the fusion
/// rules, and the graph of clusters has no cycle.
class Clusters {
public:
  /// Starts with every operation of `block` on its own.
  Clusters(mlir::Block &block, BodyInfos &infos, GroupLimits limits);

  /// Puts accesses and constants where they are read, gives contractions their
  /// epilogues, then joins producers and consumers in program order.
  void grow();
  /// Horizontal fusion: joins independent clusters of one iteration space that
  /// have at most `maxPoints` points each, and larger ones that move parts of
  /// one value.
  void fuseHorizontally(int64_t maxPoints);

  /// The clusters that become groups, as operations in program order; the
  /// clusters themselves are in an order in which they can be computed, as are
  /// all operations of the block after `reorder`.
  llvm::SmallVector<llvm::SmallVector<mlir::Operation *>> getGroups();
  /// Moves operations so that each cluster's are contiguous.
  void reorder();

  bool areTogether(mlir::Operation *a, mlir::Operation *b) const {
    return graph.find(a) == graph.find(b);
  }
  /// Why the clusters of `producer` and `consumer` were not joined.
  std::string explain(mlir::Operation *producer, mlir::Operation *consumer);

private:
  using Ops = llvm::SmallVector<mlir::Operation *>;

  bool isFusible(mlir::Operation *op) const { return fusible.contains(op); }
  std::optional<std::string> refuseByRules(unsigned a, unsigned b);
  bool tryMerge(mlir::Operation *a, mlir::Operation *b);
  void joinMoves();
  bool moves(llvm::ArrayRef<mlir::Operation *> ops);
  void joinMovesOf(mlir::Operation *first,
                   llvm::DenseMap<mlir::Value, mlir::Operation *> &open);
  void growEpilogue(mlir::Operation *contraction);
  bool joinProducers();

  mlir::Block &block;
  BodyInfos &infos;
  FusionRules rules;
  ClusterGraph graph;
  /// By cluster.
  std::vector<GroupSummary> summaries;
  llvm::DenseSet<mlir::Operation *> fusible;
};

/// Clones operations that cost little (accesses, constants, short expressions
/// of constants and indices) so that each has one user, and splits splat
/// constants into a scalar and a broadcast.
void sinkCheapProducers(mlir::Block &block, BodyInfos &infos);

/// Makes a fuse.group of each cluster; their operations must be contiguous.
/// `names` are taken; the new names are added.
llvm::SmallVector<GroupOp>
outlineGroups(llvm::ArrayRef<llvm::SmallVector<mlir::Operation *>> clusters,
              llvm::StringSet<> &names);

/// Merges what was cloned for several readers that ended up in one group,
/// unless the group could then not be one loop nest.
void shareWithinGroups(llvm::ArrayRef<GroupOp> groups);

} // namespace fusec::fuse

#endif // FUSEC_PASSES_FUSION_CLUSTERS_H
