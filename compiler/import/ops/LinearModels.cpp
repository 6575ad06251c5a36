// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LinearRegressor and LinearClassifier, as ONNX Runtime computes them.
#include "compiler/import/Registry.h"
#include "compiler/import/ops/Formula.h"
#include "compiler/import/ops/Scores.h"

using namespace mlir;
using fusec::fuse::CmpPredicate;

namespace fusec {
namespace {

/// The score of one target has a PROBIT, but none of what relates scores.
void convertLinearRegressor(Node &node) {
  Value rows = readRows(node);
  int64_t numTargets = node.intAttribute("targets", 1);
  if (numTargets < 1)
    node.invalid("has " + llvm::Twine(numTargets) + " targets");
  ScoreTransform transform = readTransform(node);
  Value scores = scoreLinearly(node, rows, node.floatsAttribute("coefficients"),
                               node.floatsAttribute("intercepts"), numTargets);
  if (numTargets > 1 || transform == ScoreTransform::Probit)
    scores = transformScores(node, transform, scores);
  node.setOutput(0, scores);
}

/// The label goes by the scores before they are transformed. Of two classes
/// there may be the second one's only, which is positive where that is the
/// label.
void convertLinearClassifier(Node &node) {
  Value rows = readRows(node);
  node.ignoreAttributes({"multi_class"}); // says how the model was trained
  ClassLabels labels = readLabels(node, "classlabels_ints");
  ScoreTransform transform = readTransform(node);
  std::vector<double> weights = node.floatsAttribute("coefficients");
  int64_t numFeatures = fuse::getTensorType(rows).getDimSize(1);
  bool hasOne = labels.size() == 2 && int64_t(weights.size()) == numFeatures;
  Value scores = scoreLinearly(node, rows, std::move(weights),
                               node.floatsAttribute("intercepts"),
                               hasOne ? 1 : labels.size());
  if (!hasOne) {
    node.setOutput(1, transformScores(node, transform, scores));
    return setLabels(node, labels, findGreatest(node, scores));
  }
  Term score(node, scores);
  Value isSecond = score.compare(CmpPredicate::gt, 0.0);
  node.setOutput(1, spreadScore(node, transform, scores, /*addsUp=*/true));
  setLabels(node, labels,
            node.reshape(node.cast(isSecond, node.builder.getI64Type()),
                         {score.type().getDimSize(0)}));
}

} // namespace

void registerLinearModels(Registry &r) {
  r.addTo("ai.onnx.ml", "LinearRegressor", 1, convertLinearRegressor);
  r.addTo("ai.onnx.ml", "LinearClassifier", 1, convertLinearClassifier);
}

} // namespace fusec
