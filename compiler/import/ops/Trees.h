// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ensembles of decision trees, however the attributes of a node spell them.
#ifndef FUSEC_COMPILER_IMPORT_OPS_TREES_H
#define FUSEC_COMPILER_IMPORT_OPS_TREES_H

#include "compiler/import/ops/Scores.h"

namespace fusec {

/// How an inner node tests its feature, numbered as ONNX numbers it.
enum class TreeMode {
  LessEqual,
  Less,
  GreaterEqual,
  Greater,
  Equal,
  NotEqual,
  Member
};

/// What becomes of the votes for one target, numbered likewise.
enum class TreeAggregate { Average, Sum, Min, Max };

/// An inner node. What follows it is another one, or `~leaf`.
struct TreeNode {
  TreeMode mode;
  int64_t feature;
  double split;                ///< what all modes but Member compare with
  std::vector<double> members; ///< what Member does
  bool isTrueForNaN;
  int64_t yes, no;
};

/// `weight` for `target`, if a way ends at `leaf`.
struct TreeVote {
  int64_t leaf, target;
  double weight;
};

struct TreeEnsemble {
  std::vector<TreeNode> nodes;
  std::vector<int64_t> roots; ///< of each tree an inner node, or ~leaf
  std::vector<TreeVote> votes;
  int64_t numLeaves, numTargets;
  TreeAggregate aggregate;
};

/// The aggregated votes for each row of `x`, which has the element type that
/// splits are compared in: [rows, targets] of that type. Refuses what is no
/// tree.
mlir::Value countVotes(Node &node, const TreeEnsemble &ensemble, mlir::Value x);

//===- Attributes ---------------------------------------------------------===//

/// Refuses another operand than rows of features.
void requireRows(Node &node);
/// Refuses `count` numbers where `per` are `wanted`.
void requireCount(Node &node, llvm::StringRef name, size_t count,
                  int64_t wanted, llvm::StringRef per);
/// A list of `count` integers.
std::vector<int64_t> readList(Node &node, llvm::StringRef name, int64_t count,
                              llvm::StringRef per);
/// The same of flags, all 0 if the list is left out.
std::vector<int64_t> readFlags(Node &node, llvm::StringRef name, int64_t count,
                               llvm::StringRef per);
int64_t readNumTargets(Node &node);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_OPS_TREES_H
