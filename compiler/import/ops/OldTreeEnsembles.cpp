// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// TreeEnsembleRegressor and TreeEnsembleClassifier, which TreeEnsemble
// replaced: leaves are nodes among the others, and several votes may be at one.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Formula.h"
#include "compiler/import/ops/Trees.h"
#include "llvm/ADT/StringSwitch.h"
#include <map>

using namespace mlir;
using fusec::fuse::CmpPredicate;

namespace fusec {
namespace {

//===- Attributes ---------------------------------------------------------===//

/// The attribute `name`, or what the attribute `name`_as_tensor has in its
/// place.
std::vector<double> numbersOf(Node &node, const std::string &name) {
  std::string other = name + "_as_tensor";
  if (!node.hasAttribute(other))
    return node.floatsAttribute(name);
  HostTensor tensor = node.elementsAttribute(other);
  if (!tensor.isFloat() || tensor.type.getRank() != 1 ||
      node.hasAttribute(name))
    node.invalid("needs a vector of numbers as '" + other + "' or as '" + name +
                 "'");
  return std::move(tensor.floats);
}

/// What splits are compared in and votes counted in.
Type countingType(Node &node) {
  Type given = node.elementType(0);
  if (!given.isSignlessInteger(32) && !given.isSignlessInteger(64))
    node.requireFloat(0);
  Builder &b = node.builder;
  bool isWide = given.isF64() || node.hasAttribute("nodes_values_as_tensor");
  return isWide ? Type(b.getF64Type()) : Type(b.getF32Type());
}

/// The attributes nodes_*, and those of the votes, which begin with `votes`.
class Reader {
public:
  Reader(Node &node, std::string votes) : node(node), votes(std::move(votes)) {}

  TreeEnsemble read(int64_t numTargets) {
    node.ignoreAttributes({"nodes_hitrates", "nodes_hitrates_as_tensor"});
    result.numTargets = numTargets;
    result.numLeaves = 0;
    result.aggregate = TreeAggregate::Sum;
    treeIds = node.intsAttribute("nodes_treeids");
    count = int64_t(treeIds.size());
    if (count == 0)
      node.invalid("has no trees");
    nodeIds = list("nodes_nodeids");
    number();
    readNodes();
    readVotes();
    return std::move(result);
  }

private:
  using Id = std::pair<int64_t, int64_t>; ///< of a tree, of a node in it

  std::vector<int64_t> list(llvm::StringRef name) {
    return readList(node, name, count, "nodes");
  }

  /// Gives each node its number, as in TreeNode::yes. The first of a tree is
  /// its root.
  void number() {
    std::vector<std::string> names = node.stringsAttribute("nodes_modes");
    requireCount(node, "nodes_modes", names.size(), count, "nodes");
    std::map<int64_t, bool> hasRoot;
    int64_t numNodes = 0;
    for (int64_t i = 0; i < count; ++i) {
      modes.push_back(llvm::StringSwitch<std::optional<TreeMode>>(names[i])
                          .Case("BRANCH_LEQ", TreeMode::LessEqual)
                          .Case("BRANCH_LT", TreeMode::Less)
                          .Case("BRANCH_GTE", TreeMode::GreaterEqual)
                          .Case("BRANCH_GT", TreeMode::Greater)
                          .Case("BRANCH_EQ", TreeMode::Equal)
                          .Case("BRANCH_NEQ", TreeMode::NotEqual)
                          .Default(std::nullopt));
      if (!modes[i] && names[i] != "LEAF")
        node.invalid("has a node of the mode '" + names[i] + "'");
      int64_t at = modes[i] ? numNodes++ : ~result.numLeaves++;
      if (!numbers.try_emplace({treeIds[i], nodeIds[i]}, at).second)
        node.invalid("has the node " + llvm::Twine(nodeIds[i]) + " of tree " +
                     llvm::Twine(treeIds[i]) + " twice");
      if (!std::exchange(hasRoot[treeIds[i]], true))
        result.roots.push_back(at);
    }
  }

  int64_t find(int64_t tree, int64_t id) {
    auto found = numbers.find({tree, id});
    if (found == numbers.end())
      node.invalid("lacks the node " + llvm::Twine(id) + " of tree " +
                   llvm::Twine(tree));
    return found->second;
  }

  void readNodes() {
    std::vector<int64_t> features = list("nodes_featureids"),
                         yes = list("nodes_truenodeids"),
                         no = list("nodes_falsenodeids");
    std::vector<int64_t> nans =
        readFlags(node, "nodes_missing_value_tracks_true", count, "nodes");
    std::vector<double> splits = numbersOf(node, "nodes_values");
    requireCount(node, "nodes_values", splits.size(), count, "nodes");
    for (int64_t i = 0; i < count; ++i)
      if (modes[i])
        result.nodes.push_back({*modes[i],
                                features[i],
                                splits[i],
                                {},
                                nans[i] != 0,
                                find(treeIds[i], yes[i]),
                                find(treeIds[i], no[i])});
  }

  void readVotes() {
    std::vector<double> weights = numbersOf(node, votes + "_weights");
    int64_t numVotes = int64_t(weights.size());
    auto list = [&](llvm::StringRef suffix) {
      return readList(node, votes + suffix.str(), numVotes, "votes");
    };
    std::vector<int64_t> trees = list("_treeids"), ids = list("_nodeids"),
                         targets = list("_ids");
    for (int64_t i = 0; i < numVotes; ++i) {
      if (targets[i] < 0 || targets[i] >= result.numTargets)
        node.invalid("votes for " + votes + " " + llvm::Twine(targets[i]) +
                     " of " + llvm::Twine(result.numTargets));
      // No way ends at an inner node.
      int64_t at = find(trees[i], ids[i]);
      if (at < 0)
        result.votes.push_back({~at, targets[i], weights[i]});
    }
  }

  Node &node;
  std::string votes;
  TreeEnsemble result;
  int64_t count = 0;
  std::vector<int64_t> treeIds, nodeIds;
  std::vector<std::optional<TreeMode>> modes; ///< none: a leaf
  std::map<Id, int64_t> numbers;
};

/// The votes for each target with the attribute base_values, if there is one.
Value countFromBase(Node &node, const TreeEnsemble &ensemble) {
  Type type = countingType(node);
  Term scores(node, countVotes(node, ensemble, node.cast(node.input(0), type)));
  std::vector<double> base = numbersOf(node, "base_values");
  if (base.empty())
    return scores.get();
  requireCount(node, "base_values", base.size(), ensemble.numTargets,
               "targets");
  Value given = node.tensor(HostTensor::fromFloats(
      tensorType({ensemble.numTargets}, type), std::move(base)));
  return (scores + Term(node, node.broadcast(given, scores.type().getShape())))
      .get();
}

//===- TreeEnsembleRegressor ----------------------------------------------===//

void convertRegressor(Node &node) {
  requireRows(node);
  TreeEnsemble ensemble = Reader(node, "target").read(readNumTargets(node));
  ensemble.aggregate = namedKind<TreeAggregate>(
      node, "aggregate_function", "SUM", {"AVERAGE", "SUM", "MIN", "MAX"});
  ScoreTransform transform = readTransform(node);
  Value scores =
      transformScores(node, transform, countFromBase(node, ensemble));
  node.setOutput(0, node.cast(scores, node.builder.getF32Type()));
}

//===- TreeEnsembleClassifier ---------------------------------------------===//

/// Of two classes whose trees vote for the first only: its score is that of the
/// second, which is a probability if no vote is negative. ONNX leaves this
/// open; converters write such models for ONNX Runtime.
void decide(Node &node, TreeEnsemble ensemble, ScoreTransform transform,
            Value &position, Value &scores) {
  if (transform != ScoreTransform::Logistic &&
      transform != ScoreTransform::None)
    node.unsupported("transforms the score of one of two classes otherwise "
                     "than by LOGISTIC");
  if (numbersOf(node, "base_values").size() > 1)
    node.unsupported("has 'base_values' for two classes and votes for one");
  bool isProbability = llvm::all_of(
      ensemble.votes, [](const TreeVote &vote) { return vote.weight >= 0; });
  ensemble.numTargets = 1;
  Term score(node, countFromBase(node, ensemble));
  Value isSecond = score.compare(CmpPredicate::gt, isProbability ? 0.5 : 0.0);
  position = node.reshape(node.cast(isSecond, node.builder.getI64Type()),
                          {score.type().getDimSize(0)});
  scores = spreadScore(node, transform, score.get(), isProbability);
}

/// The label of the class with the greatest score, the first one of several;
/// the scores.
void convertClassifier(Node &node) {
  requireRows(node);
  ClassLabels labels = readLabels(node, "classlabels_int64s");
  TreeEnsemble ensemble = Reader(node, "class").read(labels.size());
  ScoreTransform transform = readTransform(node);
  auto votesFor = [&](int64_t target) {
    return llvm::any_of(ensemble.votes, [&](const TreeVote &vote) {
      return vote.target == target;
    });
  };
  bool isBinary = labels.size() == 2;
  if (isBinary && !votesFor(0))
    node.unsupported("has two classes and votes for the second only",
                     "ONNX leaves open what that means; vote for both");
  Value position, scores;
  if (isBinary && !votesFor(1)) {
    decide(node, std::move(ensemble), transform, position, scores);
  } else {
    Value raw = countFromBase(node, ensemble);
    position = findGreatest(node, raw);
    scores = transformScores(node, transform, raw);
  }
  node.setOutput(1, node.cast(scores, node.builder.getF32Type()));
  setLabels(node, labels, position);
}

} // namespace

void registerOldTreeEnsembles(Registry &r) {
  r.addTo("ai.onnx.ml", "TreeEnsembleRegressor", 1, convertRegressor);
  r.addTo("ai.onnx.ml", "TreeEnsembleClassifier", 1, convertClassifier);
}

} // namespace fusec
