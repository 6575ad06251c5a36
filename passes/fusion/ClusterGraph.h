// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which operations of a block are together, and which clusters read which.
#ifndef FUSEC_PASSES_FUSION_CLUSTERGRAPH_H
#define FUSEC_PASSES_FUSION_CLUSTERGRAPH_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <vector>

namespace fusec::fuse {

/// A partition of the operations of one block such that the graph of clusters
/// has no cycle. Operations go by their places in the block, clusters by
/// numbers below the block's length.
///
/// Each cluster has a rank, higher than those of all clusters that it reads: so
/// only what is ranked between two clusters can be on a path from one to the
/// other, and joining neighbours looks at little else, however long the block
/// is.
class ClusterGraph {
public:
  /// Starts with every operation of `block` on its own.
  explicit ClusterGraph(mlir::Block &block);

  unsigned size() const { return program.size(); }
  llvm::ArrayRef<mlir::Operation *> getProgram() const { return program; }
  /// Whether `op` is one of the block's own operations.
  bool contains(mlir::Operation *op) const { return place.contains(op); }
  unsigned getPlace(mlir::Operation *op) const { return place.lookup(op); }
  unsigned find(mlir::Operation *op) const { return clusterOf[getPlace(op)]; }

  /// In program order; empty after the cluster was joined to another.
  llvm::SmallVector<mlir::Operation *> getOps(unsigned cluster) const;
  bool isEmpty(unsigned cluster) const { return members[cluster].empty(); }
  mlir::Operation *getFirst(unsigned cluster) const {
    return program[members[cluster].front()];
  }
  /// Those of both, in program order.
  llvm::SmallVector<mlir::Operation *> getUnion(unsigned a, unsigned b) const;

  /// Whether no path leads out of the two clusters and back into them.
  bool isConvex(unsigned a, unsigned b);
  /// Makes the two clusters `a`. False, and nothing is changed, if they are not
  /// convex.
  bool join(unsigned a, unsigned b);

  /// The clusters in an order in which they can be computed: of those that
  /// could be next, the one that begins first.
  llvm::SmallVector<unsigned> getTopologicalOrder() const;

private:
  using Numbers = llvm::SmallVector<unsigned, 2>;

  std::optional<Numbers> findBetween(unsigned from, unsigned to,
                                     const std::vector<Numbers> &neighbours);
  Numbers unitePlaces(unsigned a, unsigned b) const;

  llvm::SmallVector<mlir::Operation *> program;
  llvm::DenseMap<mlir::Operation *, unsigned> place;
  /// By place: who reads the operation, and what it reads, also in regions.
  std::vector<Numbers> readers, sources;
  std::vector<unsigned> clusterOf;
  /// By cluster: places, ascending.
  std::vector<Numbers> members;
  std::vector<unsigned> rank;
  /// By cluster: the search that came across it last.
  std::vector<unsigned> seen;
  unsigned search = 0;
};

} // namespace fusec::fuse

#endif // FUSEC_PASSES_FUSION_CLUSTERGRAPH_H
