// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decision trees as gathers: all trees of all rows go down side by side, one
// level a step.
#include "compiler/import/ops/Trees.h"
#include "compiler/import/ops/Formula.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using fusec::fuse::CmpPredicate;

namespace fusec {
namespace {

//===- Tests --------------------------------------------------------------===//

/// x[feature] <= value, or ==. All modes are one of these: strictly less than a
/// number is up to the one before it, greater swaps what follows, and a set of
/// k members is searched in log2 k tests. What follows is numbered as in
/// TreeNode.
struct Test {
  int64_t feature;
  double value;
  bool isEqual, isTrueForNaN;
  int64_t yes, no;
};

/// The greatest number of `type` below `value`; NaN below all.
double numberBelow(double value, Type type) {
  llvm::APFloat number(value);
  bool isExact;
  number.convert(cast<FloatType>(type).getFloatSemantics(),
                 llvm::APFloat::rmNearestTiesToEven, &isExact);
  if (number.isInfinity() && number.isNegative())
    return std::numeric_limits<double>::quiet_NaN();
  number.next(/*nextDown=*/true);
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &isExact);
  return number.convertToDouble();
}

/// The inner nodes that ways from the roots reach, each before those below it.
std::vector<int64_t> orderNodes(Node &node, const TreeEnsemble &ensemble,
                                int64_t numFeatures) {
  std::vector<int64_t> order,
      open(ensemble.roots.rbegin(), ensemble.roots.rend());
  std::vector<bool> isReached(ensemble.nodes.size());
  while (!open.empty()) {
    int64_t at = open.back();
    open.pop_back();
    if (at < 0)
      continue;
    if (isReached[at])
      node.invalid("reaches the inner node " + llvm::Twine(at) +
                   " in two ways");
    isReached[at] = true;
    const TreeNode &tree = ensemble.nodes[at];
    if (tree.feature < 0 || tree.feature >= numFeatures)
      node.invalid("tests feature " + llvm::Twine(tree.feature) + " of " +
                   llvm::Twine(numFeatures) + " at the inner node " +
                   llvm::Twine(at));
    order.push_back(at);
    open.push_back(tree.no);
    open.push_back(tree.yes);
  }
  return order;
}

/// The tests of an ensemble, of which the first of node n is number n.
class Tests {
public:
  Tests(Node &node, const TreeEnsemble &ensemble, RankedTensorType x)
      : tests(ensemble.nodes.size()), elementType(x.getElementType()) {
    std::vector<int64_t> order = orderNodes(node, ensemble, x.getDimSize(1));
    std::vector<int64_t> heights(tests.size());
    auto heightOf = [&](int64_t at) { return at < 0 ? 0 : heights[at]; };
    for (int64_t at : llvm::reverse(order)) {
      const TreeNode &tree = ensemble.nodes[at];
      heights[at] =
          add(at, tree) + std::max(heightOf(tree.yes), heightOf(tree.no));
    }
    for (int64_t root : ensemble.roots)
      depth = std::max(depth, heightOf(root));
  }

  std::vector<Test> tests;
  int64_t depth = 0; ///< the most tests on a way

private:
  /// Adds the tests of node `at`; returns how many a way takes at most.
  int64_t add(int64_t at, const TreeNode &tree) {
    TreeMode mode = tree.mode;
    if (mode == TreeMode::Member) {
      std::vector<double> members = tree.members;
      llvm::sort(members);
      members.erase(std::unique(members.begin(), members.end()), members.end());
      search(at, tree, members);
      return 1 + llvm::Log2_64_Ceil(std::max<size_t>(members.size(), 1));
    }
    bool isSwapped = mode == TreeMode::Greater ||
                     mode == TreeMode::GreaterEqual ||
                     mode == TreeMode::NotEqual;
    bool isStrict = mode == TreeMode::Less || mode == TreeMode::GreaterEqual;
    bool isEqual = mode == TreeMode::Equal || mode == TreeMode::NotEqual;
    // NaN differs from every number, so that NotEqual holds for it anyway.
    bool holds = tree.isTrueForNaN || mode == TreeMode::NotEqual;
    tests[at] = {tree.feature,
                 isStrict ? numberBelow(tree.split, elementType) : tree.split,
                 isEqual,
                 holds != isSwapped,
                 isSwapped ? tree.no : tree.yes,
                 isSwapped ? tree.yes : tree.no};
    return 1;
  }

  /// Makes test `at` the first of those that find x[feature] in `members`.
  void search(int64_t at, const TreeNode &tree, ArrayRef<double> members) {
    Test test = {tree.feature, std::numeric_limits<double>::quiet_NaN(),
                 true,         tree.isTrueForNaN,
                 tree.yes,     tree.no};
    if (members.size() == 1)
      test.value = members[0];
    if (members.size() > 1) {
      ArrayRef<double> lower = members.take_front(members.size() / 2),
                       upper = members.drop_front(members.size() / 2);
      test.isEqual = false;
      test.value = lower.back();
      test.yes = int64_t(tests.size());
      test.no = test.yes + 1;
      tests.resize(tests.size() + 2);
      search(test.yes, tree, lower);
      search(test.no, tree, upper);
    }
    tests[at] = test;
  }

  Type elementType;
};

//===- The walk -----------------------------------------------------------===//

/// Where the ways of all rows through all trees are: leaves are numbered from
/// 0, tests after them. Tables say for each what it tests, and at 2 p and
/// 2 p + 1 what follows place p if that is false and true; leaves follow
/// themselves.
class Walk {
public:
  Walk(Node &node, Value x, const Tests &tests, int64_t numLeaves)
      : node(node), x(x) {
    Type element = fuse::getTensorType(x).getElementType();
    OpBuilder &b = node.builder;
    int64_t count = numLeaves + int64_t(tests.tests.size());
    node.requireComputable(tensorType({count, 2}, b.getI32Type()));
    std::vector<int64_t> feature(numLeaves), next, isEqual(numLeaves),
        isTrueForNaN(numLeaves);
    std::vector<double> value(numLeaves);
    for (int64_t leaf = 0; leaf < numLeaves; ++leaf)
      next.insert(next.end(), {leaf, leaf});
    for (const Test &test : tests.tests) {
      feature.push_back(test.feature);
      value.push_back(test.value);
      isEqual.push_back(test.isEqual);
      isTrueForNaN.push_back(test.isTrueForNaN);
      for (int64_t to : {test.no, test.yes})
        next.push_back(to < 0 ? ~to : numLeaves + to);
    }
    auto table = [&](Type element, std::vector<int64_t> values) {
      auto type = tensorType({int64_t(values.size())}, element);
      return node.tensor(HostTensor::fromInts(type, std::move(values)));
    };
    hasEqual = llvm::any_of(tests.tests, [](auto &t) { return t.isEqual; });
    hasOrder = !llvm::all_of(tests.tests, [](auto &t) { return t.isEqual; });
    hasNaN = llvm::any_of(tests.tests, [](auto &t) { return t.isTrueForNaN; });
    features = table(b.getI32Type(), std::move(feature));
    nexts = table(b.getI32Type(), std::move(next));
    values = node.tensor(
        HostTensor::fromFloats(tensorType({count}, element), std::move(value)));
    if (hasEqual && hasOrder)
      areEqual = table(b.getI1Type(), std::move(isEqual));
    if (hasNaN)
      areTrueForNaN = table(b.getI1Type(), std::move(isTrueForNaN));
  }

  /// The places after one test each, from `places` of i32[rows, trees].
  Value step(Value places) {
    Value feature = lookUp(features, places);
    Term tested(node, gather(x, {row(), found()}, feature));
    Term value(node, lookUp(values, places));
    Value isTrue;
    if (hasOrder)
      isTrue = tested.compare(CmpPredicate::le, value);
    if (hasEqual)
      isTrue = choose(places, tested.compare(CmpPredicate::eq, value), isTrue);
    if (hasNaN) {
      Value isNaN = tested.compare(CmpPredicate::ne, tested);
      Value holds = make<fuse::AndOp>(isNaN, lookUp(areTrueForNaN, places));
      isTrue = make<fuse::OrOp>(isTrue, holds);
    }
    Term from(node, places);
    Term side(node, node.cast(isTrue, from.type().getElementType()));
    return lookUp(nexts, (from + from + side).get());
  }

private:
  AffineExpr row() { return node.builder.getAffineDimExpr(0); }
  AffineExpr found() { return node.builder.getAffineSymbolExpr(0); }
  template <typename Op> Value make(Value a, Value b) {
    return node.make<Op>(a.getType(), a, b);
  }

  /// `operand` at `subscripts` of the row and of `found`, what `indices` hold.
  Value gather(Value operand, ArrayRef<AffineExpr> subscripts, Value indices) {
    OpBuilder &b = node.builder;
    AffineMap map = AffineMap::get(2, 1, subscripts, b.getContext());
    auto type = fuse::getTensorType(indices).clone(
        fuse::getTensorType(operand).getElementType());
    return node.make<fuse::GatherOp>(
        type, operand, indices,
        b.getAffineMapArrayAttr({map, b.getMultiDimIdentityMap(2)}));
  }
  Value lookUp(Value table, Value places) {
    return gather(table, {found()}, places);
  }
  Value choose(Value places, Value equal, Value order) {
    if (!order)
      return equal;
    return select(lookUp(areEqual, places), Term(node, equal),
                  Term(node, order))
        .get();
  }

  Node &node;
  Value x, features, values, nexts, areEqual, areTrueForNaN;
  bool hasEqual, hasOrder, hasNaN;
};

/// How many steps become one kernel: deeper trees loop, so that the time to
/// compile them stays small.
constexpr int64_t kMaxSteps = 16;

/// The leaf that each row of `x` reaches in each tree.
Value findLeaves(Node &node, const TreeEnsemble &ensemble, Value x) {
  int64_t numTrees = int64_t(ensemble.roots.size());
  OpBuilder &b = node.builder;
  auto type = tensorType({fuse::getTensorType(x).getDimSize(0), numTrees},
                         b.getI32Type());
  node.requireSize(type);
  std::vector<int64_t> starts;
  for (int64_t root : ensemble.roots)
    starts.push_back(root < 0 ? ~root : ensemble.numLeaves + root);
  Value places = node.broadcast(
      node.tensor(HostTensor::fromInts(tensorType({numTrees}, b.getI32Type()),
                                       std::move(starts))),
      type.getShape());
  Tests tests(node, ensemble, fuse::getTensorType(x));
  if (tests.depth == 0)
    return places;
  Walk walk(node, x, tests, ensemble.numLeaves);
  // Steps past a leaf stay there.
  int64_t trips = llvm::divideCeil(tests.depth, kMaxSteps);
  int64_t steps = llvm::divideCeil(tests.depth, trips);
  auto advance = [&](Value from) {
    for (int64_t i = 0; i < steps; ++i)
      from = walk.step(from);
    return from;
  };
  if (trips == 1)
    return advance(places);
  auto loop = fuse::LoopOp::create(
      b, node.loc, type, b.getI64IntegerAttr(trips), Value(), Value(), places,
      ValueRange(), ArrayRef<int64_t>(), ArrayRef<int64_t>());
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&loop.getBody(), {}, {tensorType({}, b.getI64Type()), type},
                {node.loc, node.loc});
  Value last = advance(loop.getCarried(0));
  fuse::YieldOp::create(b, node.loc, ValueRange{last});
  return loop.getResult(0);
}

//===- Scores -------------------------------------------------------------===//

/// What each leaf adds to each target: [leaves, targets]. `nothing` where it
/// has no vote; whether that happens comes with it.
std::pair<Value, bool> tabulateVotes(Node &node, const TreeEnsemble &ensemble,
                                     Type element, double nothing) {
  auto type = tensorType({ensemble.numLeaves, ensemble.numTargets}, element);
  std::vector<double> table(node.requireComputable(type), nothing);
  std::vector<bool> hasVote(table.size());
  for (const TreeVote &vote : ensemble.votes) {
    int64_t at = vote.leaf * ensemble.numTargets + vote.target;
    double &sum = table[at];
    if (!hasVote[at])
      sum = vote.weight;
    else if (ensemble.aggregate == TreeAggregate::Min)
      sum = std::min(sum, vote.weight);
    else if (ensemble.aggregate == TreeAggregate::Max)
      sum = std::max(sum, vote.weight);
    else
      sum += vote.weight;
    hasVote[at] = true;
  }
  return {node.tensor(HostTensor::fromFloats(type, std::move(table))),
          llvm::is_contained(hasVote, false)};
}

} // namespace

Value countVotes(Node &node, const TreeEnsemble &ensemble, Value x) {
  bool isMin = ensemble.aggregate == TreeAggregate::Min,
       isMax = ensemble.aggregate == TreeAggregate::Max;
  double nothing = isMin   ? std::numeric_limits<double>::infinity()
                   : isMax ? -std::numeric_limits<double>::infinity()
                           : 0;
  if (isMin || isMax)
    for (const TreeVote &vote : ensemble.votes)
      if (!std::isfinite(vote.weight))
        node.unsupported("takes the least or the greatest of weights that are "
                         "not finite");
  RankedTensorType type = fuse::getTensorType(x);
  Value leaves = findLeaves(node, ensemble, x);
  auto [table, hasGaps] =
      tabulateVotes(node, ensemble, type.getElementType(), nothing);
  int64_t rows = type.getDimSize(0), numTargets = ensemble.numTargets,
          numTrees = int64_t(ensemble.roots.size());
  RankedTensorType votesType = type.clone({rows, numTrees, numTargets});
  node.requireSize(votesType);
  Value votes =
      node.make<fuse::GatherOp>(votesType, table, leaves, uint64_t(0));
  Value total = node.reduction(isMin   ? fuse::ReductionKind::min
                               : isMax ? fuse::ReductionKind::max
                                       : fuse::ReductionKind::sum,
                               votes, {1});
  Term scores(node, node.reshape(total, {rows, numTargets}));
  if (ensemble.aggregate == TreeAggregate::Average)
    return (scores / scores.like(double(numTrees))).get();
  if ((isMin || isMax) && hasGaps) { // a target without votes has the score 0
    Value isOpen = scores.compare(CmpPredicate::eq, nothing);
    scores = select(isOpen, scores.like(0), scores);
  }
  return scores.get();
}

} // namespace fusec
