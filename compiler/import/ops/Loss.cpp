// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Losses of classifiers.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

fuse::LossReduction readLossReduction(Node &node) {
  std::string text = node.stringAttribute("reduction", "mean");
  if (auto reduction = fuse::symbolizeLossReduction(text))
    return *reduction;
  node.invalid("has the unknown reduction '" + text + "'");
}

/// The loss of `x`, the logarithms of probabilities of operand 0's shape, for
/// the targets in operand 1 and weights in operand 2.
void nllLoss(Node &node, Value x) {
  SmallVector<int64_t> shape(node.shape(0));
  shape.erase(shape.begin() + 1);
  if (node.shape(1) != ArrayRef<int64_t>(shape) ||
      (!node.elementType(1).isInteger(32) &&
       !node.elementType(1).isInteger(64)))
    node.invalid("needs i32 or i64 targets of shape " + shapeText(shape) +
                 ", has " + typeText(node.type(1)));
  Value weight;
  if (node.hasInput(2)) {
    node.requireSameElementType(0, 2);
    if (node.shape(2) != node.shape(0).slice(1, 1))
      node.invalid("has weights of shape " + shapeText(node.shape(2)) +
                   " for " + llvm::Twine(node.shape(0)[1]) + " classes");
    weight = node.input(2);
  }
  fuse::LossReduction reduction = readLossReduction(node);
  if (reduction != fuse::LossReduction::none)
    shape.clear();
  OpBuilder &b = node.builder;
  IntegerAttr ignored;
  if (node.hasAttribute("ignore_index"))
    ignored = b.getI64IntegerAttr(node.intAttribute("ignore_index"));
  node.setOutput(0, node.make<fuse::NllLossOp>(
                        tensorType(shape, node.elementType(0)), reduction, x,
                        node.input(1), weight, ignored));
}

void requireClasses(Node &node) {
  node.requireInputs(2, 3);
  node.requireFloat(0);
  if (node.rank(0) < 2)
    node.invalid("needs an input [N, C, ...], has " + shapeText(node.shape(0)));
}

void convertNegativeLogLikelihood(Node &node) {
  requireClasses(node);
  nllLoss(node, node.input(0));
}

void convertSoftmaxCrossEntropy(Node &node) {
  requireClasses(node);
  Value logarithms =
      node.make<fuse::LogSoftmaxOp>(node.type(0), node.input(0), uint64_t(1));
  nllLoss(node, logarithms);
  if (node.wantsOutput(1))
    node.setOutput(1, logarithms);
}

} // namespace

void registerLoss(Registry &r) {
  r.add("NegativeLogLikelihoodLoss", 12, convertNegativeLogLikelihood);
  r.add("SoftmaxCrossEntropyLoss", 12, convertSoftmaxCrossEntropy);
}

} // namespace fusec
