// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TreeEnsemble: its attributes.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Trees.h"
#include <cmath>

using namespace mlir;

namespace fusec {
namespace {

//===- Attributes ---------------------------------------------------------===//

/// One of a numbered choice.
template <typename Kind>
Kind numberedKind(Node &node, llvm::StringRef name, Kind fallback, Kind last) {
  int64_t number = node.intAttribute(name, int64_t(fallback));
  if (number < 0 || number > int64_t(last))
    node.invalid("has the " + name + " " + llvm::Twine(number) + ", not 0 to " +
                 llvm::Twine(int64_t(last)));
  return Kind(number);
}

//===- TreeEnsemble -------------------------------------------------------===//

/// A vector that must have the element type of the operand.
std::vector<double> vectorOf(Node &node, llvm::StringRef name) {
  HostTensor tensor = node.elementsAttribute(name);
  if (tensor.type.getRank() != 1 ||
      tensor.type.getElementType() != node.elementType(0))
    node.invalid("needs a vector of " + typeText(node.elementType(0)) +
                 " as '" + name + "', has " + typeText(tensor.type));
  return std::move(tensor.floats);
}

std::vector<TreeMode> readModes(Node &node) {
  HostTensor tensor = node.elementsAttribute("nodes_modes");
  if (tensor.isFloat() || tensor.type.getRank() != 1)
    node.invalid("needs a vector of u8 as 'nodes_modes', has " +
                 typeText(tensor.type));
  std::vector<TreeMode> modes;
  for (int64_t mode : tensor.ints) {
    if (mode < 0 || mode > int64_t(TreeMode::Member))
      node.invalid("has a node of the mode " + llvm::Twine(mode) +
                   ", not 0 to 6");
    modes.push_back(TreeMode(mode));
  }
  return modes;
}

/// The sets of the nodes that test membership, in their order. Each ends with a
/// NaN; the last one may lack it.
std::vector<std::vector<double>> readSets(Node &node, int64_t numSets) {
  std::vector<std::vector<double>> sets;
  std::vector<double> values, set;
  if (node.hasAttribute("membership_values"))
    values = vectorOf(node, "membership_values");
  for (double value : values) {
    if (!std::isnan(value)) {
      set.push_back(value);
      continue;
    }
    sets.push_back(std::move(set));
    set.clear();
  }
  if (!set.empty())
    sets.push_back(std::move(set));
  if (int64_t(sets.size()) != numSets)
    node.invalid("has " + llvm::Twine(sets.size()) +
                 " sets in 'membership_values' for " + llvm::Twine(numSets) +
                 " nodes that test membership");
  return sets;
}

/// Inner nodes and leaves are lists of their own, numbered each from 0.
TreeEnsemble readEnsemble(Node &node) {
  std::vector<TreeMode> modes = readModes(node);
  int64_t count = int64_t(modes.size());
  auto list = [&](llvm::StringRef name) {
    return readList(node, name, count, "inner nodes");
  };
  std::vector<int64_t> features = list("nodes_featureids"),
                       yes = list("nodes_truenodeids"),
                       no = list("nodes_falsenodeids"),
                       isLeafYes = list("nodes_trueleafs"),
                       isLeafNo = list("nodes_falseleafs"),
                       nans = readFlags(node, "nodes_missing_value_tracks_true",
                                        count, "inner nodes");
  std::vector<double> splits = vectorOf(node, "nodes_splits"),
                      weights = vectorOf(node, "leaf_weights");
  requireCount(node, "nodes_splits", splits.size(), count, "inner nodes");
  std::vector<std::vector<double>> sets =
      readSets(node, llvm::count(modes, TreeMode::Member));

  TreeEnsemble ensemble;
  ensemble.numLeaves = int64_t(weights.size());
  ensemble.numTargets = readNumTargets(node);
  ensemble.aggregate = numberedKind(node, "aggregate_function",
                                    TreeAggregate::Sum, TreeAggregate::Max);
  std::vector<int64_t> targets =
      readList(node, "leaf_targetids", ensemble.numLeaves, "leaves");
  for (int64_t leaf = 0; leaf < ensemble.numLeaves; ++leaf) {
    if (targets[leaf] < 0 || targets[leaf] >= ensemble.numTargets)
      node.invalid("votes at leaf " + llvm::Twine(leaf) + " for target " +
                   llvm::Twine(targets[leaf]) + " of " +
                   llvm::Twine(ensemble.numTargets));
    ensemble.votes.push_back({leaf, targets[leaf], weights[leaf]});
  }
  auto follow = [&](int64_t from, bool isLeaf, int64_t to) {
    int64_t end = isLeaf ? ensemble.numLeaves : count;
    if (to < 0 || to >= end)
      node.invalid("goes from the inner node " + llvm::Twine(from) + " to " +
                   (isLeaf ? "leaf " : "inner node ") + llvm::Twine(to) +
                   " of " + llvm::Twine(end));
    return isLeaf ? ~to : to;
  };
  size_t set = 0;
  for (int64_t i = 0; i < count; ++i) {
    TreeNode tree = {modes[i],
                     features[i],
                     splits[i],
                     {},
                     nans[i] != 0,
                     follow(i, isLeafYes[i], yes[i]),
                     follow(i, isLeafNo[i], no[i])};
    if (modes[i] == TreeMode::Member)
      tree.members = std::move(sets[set++]);
    ensemble.nodes.push_back(std::move(tree));
  }
  for (int64_t root : node.intsAttribute("tree_roots")) {
    if (root < 0 || root >= count)
      node.invalid("has a tree whose root is the inner node " +
                   llvm::Twine(root) + " of " + llvm::Twine(count));
    // This is how a tree that is only a leaf is written.
    const TreeNode &tree = ensemble.nodes[root];
    bool isLeaf = tree.yes < 0 && tree.yes == tree.no;
    ensemble.roots.push_back(isLeaf ? tree.yes : root);
  }
  if (ensemble.roots.empty())
    node.invalid("has no trees");
  return ensemble;
}

void convertTreeEnsemble(Node &node) {
  requireRows(node);
  node.requireFloat(0);
  node.ignoreAttributes({"nodes_hitrates"});
  auto transform = numberedKind(node, "post_transform", ScoreTransform::None,
                                ScoreTransform::Probit);
  TreeEnsemble ensemble = readEnsemble(node);
  Value scores = countVotes(node, ensemble, node.input(0));
  node.setOutput(0, transformScores(node, transform, scores));
}

} // namespace

void registerTreeEnsembles(Registry &r) {
  r.addTo("ai.onnx.ml", "TreeEnsemble", 5, convertTreeEnsemble);
}

} // namespace fusec
