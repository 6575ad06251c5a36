// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Activations: one tensor in, one out, scalar parameters.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

/// A parameter of an activation: its attribute and ONNX's default.
FloatAttr parameter(Node &node, llvm::StringRef name, double fallback) {
  return node.builder.getF64FloatAttr(node.floatAttribute(name, fallback));
}

template <typename Op, typename... Parameters>
void activate(Node &node, Parameters... parameters) {
  node.requireInputs(1, 1);
  node.requireFloat(0);
  node.ignoreAttributes({"consumed_inputs"});
  node.setOutput(0, node.make<Op>(node.type(0), node.input(0), parameters...));
}

template <typename Op> void convertPlain(Node &node) { activate<Op>(node); }

void convertRelu(Node &node) {
  node.requireInputs(1, 1);
  node.ignoreAttributes({"consumed_inputs"});
  node.setOutput(0, node.unary<fuse::ReluOp>(node.input(0)));
}
void convertLeakyRelu(Node &node) {
  activate<fuse::LeakyReluOp>(node, parameter(node, "alpha", 0.01f));
}
void convertElu(Node &node) {
  activate<fuse::EluOp>(node, parameter(node, "alpha", 1.0));
}
void convertCelu(Node &node) {
  activate<fuse::CeluOp>(node, parameter(node, "alpha", 1.0));
}
void convertThresholdedRelu(Node &node) {
  activate<fuse::ThresholdedReluOp>(node, parameter(node, "alpha", 1.0));
}
/// Integers are shrunk as f64 and cut off, for the parameters have fractions.
void convertShrink(Node &node) {
  node.requireInputs(1, 1);
  FloatAttr lambda = parameter(node, "lambd", 0.5);
  FloatAttr bias = parameter(node, "bias", 0.0);
  Type element = node.elementType(0);
  if (element.isInteger(1))
    node.invalid("needs numbers, has booleans");
  Value x = node.input(0);
  if (!isa<FloatType>(element))
    x = node.cast(x, node.builder.getF64Type());
  x = node.make<fuse::ShrinkOp>(x.getType(), x, lambda, bias);
  node.setOutput(0, node.cast(x, element));
}
void convertSelu(Node &node) {
  bool first = node.opset() < 6;
  FloatAttr alpha =
      parameter(node, "alpha", first ? 1.6732f : 1.67326319217681884765625);
  FloatAttr gamma =
      parameter(node, "gamma", first ? 1.0507f : 1.05070102214813232421875);
  activate<fuse::SeluOp>(node, alpha, gamma);
}
void convertHardSigmoid(Node &node) {
  FloatAttr alpha = parameter(node, "alpha", 0.2f);
  FloatAttr beta = parameter(node, "beta", 0.5);
  activate<fuse::HardSigmoidOp>(node, alpha, beta);
}
void convertSwish(Node &node) {
  activate<fuse::SwishOp>(node, parameter(node, "alpha", 1.0));
}

/// swish(gate) * value
void convertSwiGlu(Node &node) {
  node.requireInputs(2, 2);
  node.requireFloat(0);
  node.requireSameElementType(0, 1);
  if (node.shape(0) != node.shape(1))
    node.invalid("has a gate of shape " + shapeText(node.shape(0)) +
                 " and values of shape " + shapeText(node.shape(1)));
  Value gate = node.make<fuse::SwishOp>(node.type(0), node.input(0),
                                        parameter(node, "alpha", 1.0));
  node.setOutput(0, node.mul(gate, node.input(1)));
}

void convertGelu(Node &node) {
  std::string approximate = node.stringAttribute("approximate", "none");
  if (approximate != "none" && approximate != "tanh")
    node.invalid("has the unknown approximation '" + approximate + "'");
  activate<fuse::GeluOp>(
      node, approximate == "tanh" ? node.builder.getUnitAttr() : UnitAttr());
}

/// Before opset 7 a slope of rank 1 lay along the channels.
void convertPRelu(Node &node) {
  node.requireInputs(2, 2);
  node.requireSameElementType(0, 1);
  node.ignoreAttributes({"consumed_inputs"});
  ArrayRef<int64_t> shape = node.shape(0), slopeShape = node.shape(1);
  Value slope = node.input(1);
  if (node.opset() < 7 && slopeShape.size() == 1 && shape.size() > 1) {
    SmallVector<int64_t> padded(shape.size(), 1);
    padded[1] = slopeShape[0];
    slope = node.reshape(slope, padded);
  }
  if (ArrayRef<int64_t>(node.broadcastShape(
          {shape, fuse::getTensorType(slope).getShape()})) != shape)
    node.invalid("cannot broadcast a slope of shape " + shapeText(slopeShape) +
                 " to " + shapeText(shape));
  slope = node.broadcast(slope, shape);
  node.setOutput(0,
                 node.make<fuse::PReluOp>(node.type(0), node.input(0), slope));
}

/// A bound of Clip: an attribute before opset 11, then an operand.
Value clipBound(Node &node, unsigned operand, llvm::StringRef name) {
  if (node.opset() < 11)
    return node.hasAttribute(name)
               ? node.scalar(node.floatAttribute(name, 0), node.elementType(0))
               : Value();
  if (!node.hasInput(operand))
    return {};
  node.requireSameElementType(0, operand);
  return node.scalarInput(operand, name);
}

void convertClip(Node &node) {
  node.requireInputs(1, 3);
  node.ignoreAttributes({"consumed_inputs"});
  Value low = clipBound(node, 1, "min"), high = clipBound(node, 2, "max");
  if (!low && !high)
    return node.forward(0, 0);
  node.setOutput(
      0, node.make<fuse::ClipOp>(node.type(0), node.input(0), low, high));
}

} // namespace

void registerActivations(Registry &r) {
  r.add("Relu", 1, convertRelu);
  r.add("LeakyRelu", 1, convertLeakyRelu);
  r.add("Elu", 1, convertElu);
  r.add("Celu", 12, convertCelu);
  r.add("Selu", 1, convertSelu);
  r.add("ThresholdedRelu", 10, convertThresholdedRelu);
  r.add("Shrink", 9, convertShrink);
  r.add("Sigmoid", 1, convertPlain<fuse::SigmoidOp>);
  r.add("HardSigmoid", 1, convertHardSigmoid);
  r.add("HardSwish", 14, convertPlain<fuse::HardSwishOp>);
  r.add("Swish", 24, convertSwish);
  r.add("SwiGLU", 28, convertSwiGlu);
  r.add("Mish", 18, convertPlain<fuse::MishOp>);
  r.add("Softplus", 1, convertPlain<fuse::SoftplusOp>);
  r.add("Softsign", 1, convertPlain<fuse::SoftsignOp>);
  r.add("Reciprocal", 1, convertPlain<fuse::ReciprocalOp>);
  r.add("Gelu", 20, convertGelu);
  r.add("PRelu", 1, convertPRelu);
  r.add("Clip", 1, convertClip);
}

} // namespace fusec
