// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/import/ops/Scores.h"

#include "compiler/import/ops/Formula.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using fusec::fuse::CmpPredicate;

namespace fusec {

//===- Features -----------------------------------------------------------===//

Value readRows(Node &node) {
  node.requireInputs(1, 1);
  if (node.rank(0) != 1 && node.rank(0) != 2)
    node.invalid("needs a row of features, or a matrix of them, has " +
                 typeText(node.type(0)));
  if (isa<FloatType>(node.elementType(0)))
    node.requireFloat(0);
  Value x = node.input(0);
  if (node.rank(0) == 1)
    x = node.reshape(x, {1, node.shape(0)[0]});
  return node.cast(x, node.builder.getF32Type());
}

bool isMatrix(size_t size, int64_t rows, int64_t columns) {
  int64_t product;
  return !llvm::MulOverflow(rows, columns, product) && product == int64_t(size);
}

Value scoreLinearly(Node &node, Value rows, std::vector<double> weights,
                    std::vector<double> bias, int64_t numTargets) {
  RankedTensorType type = fuse::getTensorType(rows);
  int64_t numRows = type.getDimSize(0), numFeatures = type.getDimSize(1);
  if (!isMatrix(weights.size(), numTargets, numFeatures))
    node.invalid("has " + llvm::Twine(weights.size()) + " coefficients for " +
                 llvm::Twine(numTargets) + " times " +
                 llvm::Twine(numFeatures) + " features");
  if (!bias.empty() && int64_t(bias.size()) != numTargets)
    node.invalid("has " + llvm::Twine(bias.size()) + " intercepts for " +
                 llvm::Twine(numTargets) + " scores");
  auto constant = [&](ArrayRef<int64_t> shape, std::vector<double> values) {
    return node.tensor(
        HostTensor::fromFloats(type.clone(shape), std::move(values)));
  };
  Value matrix = constant({numTargets, numFeatures}, std::move(weights));
  Value vector = bias.empty() ? Value() : constant({numTargets}, bias);
  Builder &b = node.builder;
  FloatAttr one = b.getF64FloatAttr(1);
  return node.make<fuse::GemmOp>(type.clone({numRows, numTargets}), rows,
                                 matrix, vector, one, one, UnitAttr(),
                                 b.getUnitAttr());
}

//===- Scores -------------------------------------------------------------===//

ScoreTransform readTransform(Node &node) {
  return namedKind<ScoreTransform>(
      node, "post_transform", "NONE",
      {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"});
}

/// sqrt(2) erfinv(2 p - 1), with Winitzki's approximation of erfinv, which ONNX
/// prescribes by its implementation: a = 0.147,
/// erfinv(z)^2 = sqrt(v^2 - l / a) - v, l = log(1 - z^2), v = 2 / (pi a) + l
/// / 2.
static Term probit(Node &node, Term p) {
  constexpr double a = 0.147;
  Term z = 2.0 * p - 1.0;
  Term below = 1.0 - z, above = z + 1.0;
  Term l = (below * above).unary<fuse::LogOp>();
  Term v = 0.5 * l + 2.0 / (M_PI * a);
  Term square = v * v, shift = 1.0 / a * l;
  Term root = M_SQRT2 * sqrt(sqrt(square - shift) - v);
  Value isNegative = z.compare(CmpPredicate::lt, 0.0);
  return select(isNegative, 0.0 - root, root);
}

/// Softmax in which scores of 0 stay 0; all are one half if that leaves none.
static Term softmaxZero(Node &node, Term scores) {
  ArrayRef<int64_t> shape = scores.type().getShape();
  auto reduce = [&](fuse::ReductionKind kind, Term of) {
    Value reduced = node.reduction(kind, of.get(), {1});
    return Term(node, node.broadcast(node.reshape(reduced, {shape[0]}),
                                     of.type().getShape(), {0}));
  };
  Term size = scores.unary<fuse::AbsOp>();
  Term zero = scores.like(0);
  Value isZero = size.compare(CmpPredicate::le, 1e-7); // NaN is not
  Term less = scores - reduce(fuse::ReductionKind::max, scores);
  Term exps = select(isZero, zero, less.unary<fuse::ExpOp>());
  Term sum = reduce(fuse::ReductionKind::sum, exps);
  Value isNone = sum.compare(CmpPredicate::eq, 0.0);
  Term half = scores.like(0.5);
  return select(isNone, half, exps / sum);
}

Value transformScores(Node &node, ScoreTransform transform, Value scores) {
  switch (transform) {
  case ScoreTransform::None:
    return scores;
  case ScoreTransform::Softmax:
    return node.make<fuse::SoftmaxOp>(scores.getType(), scores, uint64_t(1));
  case ScoreTransform::Logistic:
    return node.unary<fuse::SigmoidOp>(scores);
  case ScoreTransform::SoftmaxZero:
    return softmaxZero(node, Term(node, scores)).get();
  case ScoreTransform::Probit:
    return probit(node, Term(node, scores)).get();
  }
  llvm_unreachable("all transforms are above");
}

Value spreadScore(Node &node, ScoreTransform transform, Value score,
                  bool addsUp) {
  if (transform == ScoreTransform::Probit)
    node.unsupported("transforms the score of one of two classes by PROBIT",
                     "ONNX leaves open what that means; export the model with "
                     "a score for each class");
  bool isLogistic = transform == ScoreTransform::Logistic;
  Term second(node, score);
  Term first = (addsUp && !isLogistic ? 1.0 : 0.0) - second;
  Value both = node.concat({first.get(), score}, 1);
  return isLogistic ? transformScores(node, transform, both) : both;
}

//===- Labels -------------------------------------------------------------===//

Value findGreatest(Node &node, Value scores) {
  int64_t rows = fuse::getTensorType(scores).getDimSize(0);
  Value position = node.make<fuse::ArgMaxOp>(
      tensorType({rows, 1}, node.builder.getI64Type()), scores, uint64_t(1),
      false);
  return node.reshape(position, {rows});
}

ClassLabels readLabels(Node &node, llvm::StringRef numbers) {
  ClassLabels labels{node.intsAttribute(numbers),
                     node.stringsAttribute("classlabels_strings")};
  // Strings count where both are given.
  if (!labels.strings.empty())
    labels.numbers.clear();
  if (labels.size() == 0)
    node.invalid("has no classes");
  if (labels.size() == 1)
    node.unsupported("has one class",
                     "ONNX leaves open what that means; name two");
  return labels;
}

void setLabels(Node &node, const ClassLabels &labels, Value positions) {
  if (!labels.strings.empty()) {
    constexpr const char *kHint =
        "number the classes before training (in scikit-learn with "
        "LabelEncoder); or take the labels out of the model's outputs (del "
        "model.graph.output[0]), and name the class of the greatest score in "
        "your program";
    if (node.isModelOutput(0))
      node.unsupported("has strings as classes, which fusec has no tensors of",
                       kHint);
    TensorValue names;
    names.untyped = "has strings, the names of classes, which fusec has no "
                    "tensors of";
    names.untypedHint = kHint;
    return node.setOutput(0, std::move(names));
  }
  Value numbers = node.tensor(node.hostVector(labels.numbers));
  node.setOutput(0, node.make<fuse::GatherOp>(fuse::getTensorType(positions),
                                              numbers, positions, uint64_t(0)));
}

} // namespace fusec
