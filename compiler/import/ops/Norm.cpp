// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations and softmax.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

#include <numeric>

using namespace mlir;

namespace fusec {
namespace {

void convertBatchNorm(Node &node) {
  node.requireInputs(5, 5);
  node.requireFloat(0);
  node.ignoreAttributes({"momentum", "consumed_inputs"});
  if (node.opset() < 7 && !node.flag("is_test"))
    node.unsupported("trains (is_test=0)", "export the model for inference");
  if (node.opset() < 9 && !node.flag("spatial", true))
    node.unsupported("normalises per activation (spatial=0)");
  if (node.flag("training_mode"))
    node.unsupported("trains (training_mode=1)",
                     "export the model for inference");
  for (unsigned i = 1; i < node.numOutputs(); ++i)
    node.refuseOutput(i, "a statistic of training");
  if (node.rank(0) < 2)
    node.invalid("needs an input [N, C, ...], has " + shapeText(node.shape(0)));
  double epsilon = node.floatAttribute("epsilon", 1e-5f);
  Value parameters[4];
  for (unsigned i = 0; i < 4; ++i) {
    if (node.shape(i + 1) != node.shape(0).slice(1, 1))
      node.invalid("has a parameter of shape " + shapeText(node.shape(i + 1)) +
                   " for " + llvm::Twine(node.shape(0)[1]) + " channels");
    // Parameters may be wider than the input; they are few.
    parameters[i] = node.cast(node.input(i + 1), node.elementType(0));
  }
  node.setOutput(0, node.make<fuse::BatchNormOp>(
                        node.type(0), node.input(0), parameters[0],
                        parameters[1], parameters[2], parameters[3],
                        node.builder().getF64FloatAttr(epsilon)));
}

/// Scale and bias broadcast to the normalised dimensions.
void convertLayerNorm(Node &node) {
  node.requireInputs(2, 3);
  node.requireFloat(0);
  int64_t axis =
      node.normalizeAxis(node.intAttribute("axis", -1), node.rank(0));
  double epsilon = node.floatAttribute("epsilon", 1e-5f);
  if (node.intAttribute("stash_type", 1) != 1)
    node.unsupported("computes its statistics in another type than f32");
  ArrayRef<int64_t> inner = node.shape(0).drop_front(axis);
  auto parameter = [&](unsigned index) -> Value {
    if (!node.hasInput(index))
      return {};
    node.requireSameElementType(0, index);
    if (ArrayRef<int64_t>(node.broadcastShape({inner, node.shape(index)})) !=
        inner)
      node.invalid("cannot broadcast a parameter of shape " +
                   shapeText(node.shape(index)) + " to " + shapeText(inner));
    return node.broadcast(node.input(index), inner);
  };
  Value scale = parameter(1), bias = parameter(2);
  SmallVector<int64_t> outer(node.shape(0));
  std::fill(outer.begin() + axis, outer.end(), 1);
  Type statistic = tensorType(outer, node.builder().getF32Type());
  auto op = fuse::LayerNormOp::create(node.builder(), node.loc(), node.type(0),
                                      node.wantsOutput(1) ? statistic : Type(),
                                      node.wantsOutput(2) ? statistic : Type(),
                                      node.input(0), scale, bias,
                                      uint64_t(axis), llvm::APFloat(epsilon));
  node.setOutput(0, op.getResult());
  if (node.wantsOutput(1))
    node.setOutput(1, op.getMean());
  if (node.wantsOutput(2))
    node.setOutput(2, op.getInvStdDev());
}

/// Along one axis from opset 13 on. Before, the operand was a matrix cut at
/// `axis`, and softmax ran along its rows.
template <typename Op> void convertSoftmax(Node &node) {
  node.requireInputs(1, 1);
  node.requireFloat(0);
  int64_t rank = node.rank(0);
  bool coerces = node.opset() < 13;
  int64_t axis = node.intAttribute("axis", coerces ? 1 : -1);
  // A vector has no axis 1; old models mean its only one.
  axis = coerces && axis == rank ? rank : node.normalizeAxis(axis, rank);
  Value x = node.input(0);
  ArrayRef<int64_t> shape = node.shape(0);
  auto softmax = [&](Value value, int64_t along) {
    return node.make<Op>(value.getType(), value, uint64_t(along));
  };
  if (!coerces || (axis == rank - 1 && rank > 0))
    return node.setOutput(0, softmax(x, axis));
  auto product = [](ArrayRef<int64_t> extents) {
    return std::accumulate(extents.begin(), extents.end(), int64_t(1),
                           std::multiplies<>());
  };
  Value matrix = node.reshape(
      x, {product(shape.take_front(axis)), product(shape.drop_front(axis))});
  node.setOutput(0, node.reshape(softmax(matrix, 1), shape));
}

/// x / (bias + alpha / size * sum of x^2 over `size` channels)^beta. The mean
/// of the squares is an average pool over the channels.
void convertLocalResponseNorm(Node &node) {
  node.requireInputs(1, 1);
  node.requireFloat(0);
  double alpha = node.floatAttribute("alpha", 1e-4f);
  double beta = node.floatAttribute("beta", 0.75);
  double bias = node.floatAttribute("bias", 1.0);
  int64_t size = node.intAttribute("size");
  if (size < 1 || node.rank(0) < 3)
    node.invalid("needs an input [N, C, spatial...] and a positive size");
  SmallVector<int64_t> ones(node.rank(0) - 1, 1), sizes = ones;
  SmallVector<int64_t> low(ones.size(), 0), high = low;
  sizes[0] = size;
  low[0] = (size - 1) / 2;
  high[0] = size - 1 - low[0];
  RankedTensorType type = node.type(0);
  auto splat = [&](double value) {
    return node.broadcast(node.scalar(type.getElementType(), value),
                          type.getShape());
  };
  Value x = node.input(0);
  Value square = node.make<fuse::MulOp>(type, x, x);
  Value mean = node.make<fuse::PoolOp>(type, fuse::PoolKind::average, square,
                                       sizes, ones, ones, low, high, true);
  Value scaled = node.make<fuse::MulOp>(type, mean, splat(alpha));
  Value base = node.make<fuse::AddOp>(type, scaled, splat(bias));
  Value power = node.make<fuse::PowOp>(type, base, splat(beta));
  node.setOutput(0, node.make<fuse::DivOp>(type, x, power));
}

} // namespace

void registerNorm(Registry &r) {
  r.add("BatchNormalization", 1, convertBatchNorm);
  r.add("LRN", 1, convertLocalResponseNorm);
  r.add("LayerNormalization", 17, convertLayerNorm);
  r.add("Softmax", 1, convertSoftmax<fuse::SoftmaxOp>);
  r.add("LogSoftmax", 1, convertSoftmax<fuse::LogSoftmaxOp>);
}

} // namespace fusec
