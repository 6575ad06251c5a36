// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SVMRegressor and SVMClassifier, as ONNX Runtime computes them.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Coupling.h"
#include "compiler/import/ops/Formula.h"
#include "compiler/import/ops/Scores.h"

using namespace mlir;
using fusec::fuse::CmpPredicate;

namespace fusec {
namespace {

//===- Kernels ------------------------------------------------------------===//

enum class KernelKind { Linear, Poly, Rbf, Sigmoid };

struct Kernel {
  KernelKind kind;
  double gamma = 0, shift = 0, degree = 0;
};

Kernel readKernel(Node &node) {
  Kernel kernel{namedKind<KernelKind>(node, "kernel_type", "LINEAR",
                                      {"LINEAR", "POLY", "RBF", "SIGMOID"})};
  std::vector<double> parameters = node.floatsAttribute("kernel_params");
  if (!parameters.empty() && parameters.size() != 3)
    node.invalid("has " + llvm::Twine(parameters.size()) +
                 " kernel_params, not gamma, coef0 and degree");
  if (!parameters.empty()) {
    kernel.gamma = parameters[0];
    kernel.shift = parameters[1];
    kernel.degree = parameters[2];
  }
  return kernel;
}

/// |x_n - v|^2 for each row x_n and each of the `vectors`: [rows, vectors].
Term squareDistances(Node &node, Value rows, std::vector<double> vectors,
                     int64_t count) {
  RankedTensorType type = fuse::getTensorType(rows);
  int64_t numRows = type.getDimSize(0), numFeatures = type.getDimSize(1);
  RankedTensorType all = type.clone({numRows, count, numFeatures});
  node.requireSize(all);
  Value matrix = node.tensor(
      HostTensor::fromFloats(type.clone({count, numFeatures}), vectors));
  Term x(node, node.broadcast(rows, all.getShape(), {0, 2}));
  Term v(node, node.broadcast(matrix, all.getShape(), {1, 2}));
  Value sum =
      node.reduction(fuse::ReductionKind::sum_square, (x - v).get(), {2});
  return Term(node, node.reshape(sum, {numRows, count}));
}

/// The kernel of each row with each of the support vectors: [rows, vectors].
Value applyKernel(Node &node, const Kernel &kernel, Value rows, int64_t count) {
  std::vector<double> vectors = node.floatsAttribute("support_vectors");
  int64_t numFeatures = fuse::getTensorType(rows).getDimSize(1);
  if (!isMatrix(vectors.size(), count, numFeatures))
    node.invalid("has " + llvm::Twine(vectors.size()) +
                 " numbers 'support_vectors' for " + llvm::Twine(count) +
                 " vectors of " + llvm::Twine(numFeatures) + " features");
  if (kernel.kind == KernelKind::Rbf)
    return (-kernel.gamma *
            squareDistances(node, rows, std::move(vectors), count))
        .unary<fuse::ExpOp>()
        .get();
  Term product(node, scoreLinearly(node, rows, std::move(vectors), {}, count));
  if (kernel.kind == KernelKind::Linear)
    return product.get();
  Term inner = kernel.gamma * product + kernel.shift;
  if (kernel.kind == KernelKind::Sigmoid)
    return inner.unary<fuse::TanhOp>().get();
  return inner.binary<fuse::PowOp>(inner.like(kernel.degree)).get();
}

/// The least of what ONNX calls rho, which is added.
std::vector<double> readShifts(Node &node, int64_t least) {
  std::vector<double> shifts = node.floatsAttribute("rho");
  if (int64_t(shifts.size()) < least)
    node.invalid("has " + llvm::Twine(shifts.size()) +
                 " numbers 'rho', needs " + llvm::Twine(least));
  shifts.resize(least);
  return shifts;
}

//===- SVMRegressor -------------------------------------------------------===//

void convertSvmRegressor(Node &node) {
  Value rows = readRows(node);
  Kernel kernel = readKernel(node);
  int64_t count = node.intAttribute("n_supports", 0);
  if (count < 0)
    node.invalid("has " + llvm::Twine(count) + " support vectors");
  node.ignoreAttributes({"post_transform"}); // one score relates to none
  if (count > 0)
    rows = applyKernel(node, kernel, rows, count);
  else
    node.ignoreAttributes({"support_vectors"});
  Term score(node,
             scoreLinearly(node, rows, node.floatsAttribute("coefficients"),
                           readShifts(node, 1), 1));
  if (node.flag("one_class")) {
    Value isInside = score.compare(CmpPredicate::gt, 0.0);
    score = select(isInside, score.like(1), score.like(-1));
  }
  node.setOutput(0, score.get());
}

//===- SVMClassifier ------------------------------------------------------===//

/// A classifier per pair of classes i < j, in their order, each with its
/// support vectors' kernels as features.
struct Pairs {
  int64_t numClasses;
  SmallVector<std::pair<int64_t, int64_t>> list;

  explicit Pairs(int64_t numClasses) : numClasses(numClasses) {
    for (int64_t i = 0; i < numClasses; ++i)
      for (int64_t j = i + 1; j < numClasses; ++j)
        list.push_back({i, j});
  }
  int64_t size() const { return int64_t(list.size()); }
};

/// The weights of each pair: for i and j, row j - 1 of the coefficients at the
/// vectors of class i, and row i at those of class j.
std::vector<double> readWeights(Node &node, const Pairs &pairs,
                                ArrayRef<int64_t> perClass, int64_t count) {
  std::vector<double> given = node.floatsAttribute("coefficients");
  if (!isMatrix(given.size(), pairs.numClasses - 1, count))
    node.invalid("has " + llvm::Twine(given.size()) + " coefficients for " +
                 llvm::Twine(pairs.numClasses - 1) + " times " +
                 llvm::Twine(count) + " support vectors");
  node.requireComputable(
      tensorType({pairs.size(), count}, node.builder.getF32Type()));
  std::vector<double> weights(pairs.size() * count);
  std::vector<int64_t> begin = {0};
  for (int64_t vectors : perClass)
    begin.push_back(begin.back() + vectors);
  for (auto [p, pair] : llvm::enumerate(pairs.list)) {
    auto [i, j] = pair;
    for (auto [of, row] : {std::pair(i, j - 1), std::pair(j, i)})
      for (int64_t v = begin[of]; v < begin[of + 1]; ++v)
        weights[p * count + v] = given[row * count + v];
  }
  return weights;
}

/// The class that wins most pairs, the first of several: a positive score is
/// for the first of its pair.
Value countWins(Node &node, const Pairs &pairs, Value scores) {
  Term score(node, scores);
  Value isFirst = score.compare(CmpPredicate::gt, 0.0);
  std::vector<double> votes(pairs.numClasses * pairs.size()),
      base(pairs.numClasses);
  for (auto [p, pair] : llvm::enumerate(pairs.list)) {
    votes[pair.first * pairs.size() + p] = 1;
    votes[pair.second * pairs.size() + p] = -1;
    ++base[pair.second];
  }
  Value won = node.cast(isFirst, score.type().getElementType());
  return findGreatest(node, scoreLinearly(node, won, std::move(votes),
                                          std::move(base), pairs.numClasses));
}

/// 1 / (1 + exp(a score + b)) of each pair, away from 0 and 1.
Value pairProbabilities(Node &node, const Pairs &pairs, Value scores) {
  Term score(node, scores);
  auto parameter = [&](llvm::StringRef name) {
    std::vector<double> values = node.floatsAttribute(name);
    if (int64_t(values.size()) != pairs.size())
      node.invalid("has " + llvm::Twine(values.size()) + " numbers '" + name +
                   "' for " + llvm::Twine(pairs.size()) + " pairs of classes");
    auto type = score.type().clone(ArrayRef<int64_t>{pairs.size()});
    Value vector = node.tensor(HostTensor::fromFloats(type, std::move(values)));
    return Term(node, node.broadcast(vector, score.type().getShape()));
  };
  constexpr double kLeast = 1e-7;
  Term a = parameter("prob_a"), b = parameter("prob_b");
  Term probability = (0.0 - (score * a + b)).unary<fuse::SigmoidOp>();
  probability = probability.binary<fuse::MaximumOp>(probability.like(kLeast));
  return probability.binary<fuse::MinimumOp>(probability.like(1 - kLeast))
      .get();
}

/// A score for each class, linear in the features. Of two classes the second
/// wins with a positive score for any, as ONNX Runtime has it; with weights
/// that are all positive it takes one half.
void classifyLinearly(Node &node, const ClassLabels &labels, Value rows,
                      ScoreTransform transform) {
  node.ignoreAttributes({"support_vectors", "prob_b"});
  std::vector<double> weights = node.floatsAttribute("coefficients");
  bool isPositive = llvm::all_of(weights, [](double w) { return w >= 0; });
  std::vector<double> shifts(labels.size(), readShifts(node, 1)[0]);
  Value scores = scoreLinearly(node, rows, std::move(weights),
                               std::move(shifts), labels.size());
  Value position = findGreatest(node, scores);
  bool hasProbabilities = !node.floatsAttribute("prob_a").empty();
  if (labels.size() == 2 && !hasProbabilities) {
    RankedTensorType type = fuse::getTensorType(scores);
    int64_t numRows = type.getDimSize(0);
    Value most = node.reduction(fuse::ReductionKind::max, scores, {1});
    Term greatest(node, node.reshape(most, {numRows}));
    Value isSecond = isPositive ? greatest.compare(CmpPredicate::ge, 0.5)
                                : greatest.compare(CmpPredicate::gt, 0.0);
    Term first(node, position);
    position = select(isSecond, first.like(1), first).get();
  }
  node.setOutput(1, transformScores(node, transform, scores));
  setLabels(node, labels, position);
}

void convertSvmClassifier(Node &node) {
  Value rows = readRows(node);
  Kernel kernel = readKernel(node);
  ClassLabels labels = readLabels(node, "classlabels_ints");
  ScoreTransform transform = readTransform(node);
  std::vector<int64_t> perClass = node.intsAttribute("vectors_per_class");
  int64_t count = 0;
  for (int64_t vectors : perClass) {
    if (vectors < 0 || vectors > INT32_MAX)
      node.invalid("has a class of " + llvm::Twine(vectors) +
                   " support vectors");
    count += vectors;
  }
  if (count == 0)
    return classifyLinearly(node, labels, rows, transform);
  if (int64_t(perClass.size()) != labels.size())
    node.invalid("has " + llvm::Twine(perClass.size()) +
                 " numbers 'vectors_per_class' for " +
                 llvm::Twine(labels.size()) + " classes");
  Pairs pairs(labels.size());
  Value kernels = applyKernel(node, kernel, rows, count);
  Value scores =
      scoreLinearly(node, kernels, readWeights(node, pairs, perClass, count),
                    readShifts(node, pairs.size()), pairs.size());
  Value winners = countWins(node, pairs, scores);
  if (!node.floatsAttribute("prob_a").empty()) {
    scores = couplePairs(node, pairs.list, pairs.numClasses,
                         pairProbabilities(node, pairs, scores));
    scores = transformScores(node, transform, scores);
  } else {
    node.ignoreAttributes({"prob_b"});
    scores = labels.size() == 2 ? spreadScore(node, transform, scores,
                                              transform != ScoreTransform::None)
                                : transformScores(node, transform, scores);
  }
  node.setOutput(1, scores);
  setLabels(node, labels, winners);
}

} // namespace

void registerSupportVectors(Registry &r) {
  r.addTo("ai.onnx.ml", "SVMRegressor", 1, convertSvmRegressor);
  r.addTo("ai.onnx.ml", "SVMClassifier", 1, convertSvmClassifier);
}

} // namespace fusec
