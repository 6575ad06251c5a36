// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations.
#include "compiler/import/ops/Norm.h"

#include "compiler/import/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

llvm::APFloat readEpsilon(Node &node) {
  return llvm::APFloat(node.floatAttribute("epsilon", 1e-5f));
}

void requireChannels(Node &node) {
  if (node.rank(0) < 2)
    node.invalid("needs an input [N, C, ...], has " + shapeText(node.shape(0)));
}

//===- Batch normalisation ------------------------------------------------===//

Type computeTypeOf(Node &node) { return getComputeType(node.elementType(0)); }

/// The mean over all dimensions but the channels, as [C].
Value channelMean(Node &node, Value value) {
  auto type = fuse::getTensorType(value);
  SmallVector<int64_t> dims = {0}, kept(type.getRank(), 1);
  kept[1] = type.getDimSize(1);
  for (int64_t d = 2; d < type.getRank(); ++d)
    dims.push_back(d);
  Value mean = node.reduction(fuse::ReductionKind::mean, value, dims);
  return node.reshape(mean, {kept[1]});
}

/// A value [C] along the channels of `type`.
Value alongChannels(Node &node, Value value, RankedTensorType type) {
  return node.broadcast(value, type.getShape(), {1});
}

/// Mean and (population) variance of each channel of `x`.
std::pair<Value, Value> channelStatistics(Node &node, Value x) {
  auto type = fuse::getTensorType(x);
  Value mean = channelMean(node, x);
  Value d = node.sub(x, alongChannels(node, mean, type));
  return {mean, channelMean(node, node.mul(d, d))};
}

/// old momentum + current (1 - momentum), in the type of operand `old`.
Value updateStatistic(Node &node, unsigned old, Value current,
                      double momentum) {
  Type element = fuse::getTensorType(current).getElementType();
  Value before = node.mul(node.cast(node.input(old), element), momentum);
  Value sum = node.add(before, node.mul(current, 1 - momentum));
  return node.cast(sum, node.elementType(old));
}

/// Whether the node normalises by the statistics of its own input; refuses the
/// forms of training that ONNX left open.
bool isTraining(Node &node) {
  if (node.opset() < 7 && !node.flag("is_test"))
    node.unsupported("trains (is_test=0), which ONNX defines from opset 14 on",
                     "export the model for inference");
  if (node.flag("training_mode"))
    return true;
  for (unsigned i = 1; i < node.numOutputs(); ++i)
    node.refuseOutput(i, "a statistic of training");
  return false;
}

void convertBatchNorm(Node &node) {
  node.requireInputs(5, 5);
  node.requireFloat(0);
  node.ignoreAttributes({"consumed_inputs"});
  double momentum = node.floatAttribute("momentum", 0.9f);
  bool training = isTraining(node);
  bool spatial = node.opset() >= 9 || node.flag("spatial", true);
  llvm::APFloat epsilon = readEpsilon(node);
  // [N, C, ...]: a vector has one channel, and without `spatial` each element
  // of a sample is a channel of its own.
  SmallVector<int64_t> shape(node.shape(0));
  if (shape.empty())
    requireChannels(node);
  if (shape.size() == 1)
    shape.push_back(1);
  if (!spatial) {
    int64_t channels = 1;
    for (int64_t extent : llvm::drop_begin(shape))
      channels *= extent;
    shape = {shape[0], channels};
  }
  for (unsigned i = 1; i < 5; ++i) {
    node.requireFloat(i);
    if (node.type(i).getNumElements() != shape[1] ||
        (spatial && node.rank(i) != 1))
      node.invalid("has a parameter of shape " + shapeText(node.shape(i)) +
                   " for " + llvm::Twine(shape[1]) + " channels");
  }
  Value x = node.reshape(node.input(0), shape);
  Value parameters[4];
  for (unsigned i = 0; i < 4; ++i)
    if (i < 2 || !training)
      parameters[i] = node.reshape(
          node.cast(node.input(i + 1), computeTypeOf(node)), {shape[1]});
  if (training) {
    std::tie(parameters[2], parameters[3]) =
        channelStatistics(node, node.cast(x, computeTypeOf(node)));
    for (unsigned i = 1; i < 3; ++i)
      if (node.wantsOutput(i))
        node.setOutput(
            i, updateStatistic(node, i + 2, parameters[i + 1], momentum));
  }
  Value y =
      node.make<fuse::BatchNormOp>(x.getType(), x, parameters[0], parameters[1],
                                   parameters[2], parameters[3], epsilon);
  node.setOutput(0, node.reshape(y, node.shape(0)));
}

//===- Norms of neighbouring dimensions -----------------------------------===//

/// The type that stash_type names: statistics are computed in it or in one that
/// is more precise.
Type readStashType(Node &node) {
  OpBuilder &b = node.builder;
  switch (node.intAttribute("stash_type", 1)) {
  case 1:
    return b.getF32Type();
  case 10:
    return b.getF16Type();
  case 16:
    return b.getBF16Type();
  case 11:
    if (node.elementType(0).isF64())
      return b.getF64Type();
    [[fallthrough]];
  default:
    node.unsupported("computes its statistics in another type than f32");
  }
}

/// A parameter that is repeated to the normalised dimensions `inner`.
Value normParameter(Node &node, unsigned index, ArrayRef<int64_t> inner) {
  ArrayRef<int64_t> shape = node.shape(index);
  while (shape.size() > inner.size() && shape.front() == 1)
    shape = shape.drop_front();
  if (ArrayRef<int64_t>(node.broadcastShape({inner, shape})) != inner)
    node.invalid("cannot broadcast a parameter of shape " +
                 shapeText(node.shape(index)) + " to " + shapeText(inner));
  return node.broadcast(node.reshape(node.input(index), shape), inner);
}

void convertLayerNorm(Node &node) {
  node.requireInputs(2, 3);
  node.requireFloat(0);
  int64_t axis =
      node.normalizeAxis(node.intAttribute("axis", -1), node.rank(0));
  llvm::APFloat epsilon = readEpsilon(node);
  Type stash = readStashType(node);
  ArrayRef<int64_t> inner = node.shape(0).drop_front(axis);
  auto parameter = [&](unsigned index) -> Value {
    if (!node.hasInput(index))
      return {};
    node.requireSameElementType(0, index);
    return normParameter(node, index, inner);
  };
  Value scale = parameter(1), bias = parameter(2);
  SmallVector<int64_t> outer(node.shape(0));
  std::fill(outer.begin() + axis, outer.end(), 1);
  Type statistic = tensorType(outer, stash);
  auto op = fuse::LayerNormOp::create(node.builder, node.loc, node.type(0),
                                      node.wantsOutput(1) ? statistic : Type(),
                                      node.wantsOutput(2) ? statistic : Type(),
                                      node.input(0), scale, bias,
                                      uint64_t(axis), epsilon);
  node.setOutput(0, op.getResult());
  if (node.wantsOutput(1))
    node.setOutput(1, op.getMean());
  if (node.wantsOutput(2))
    node.setOutput(2, op.getInvStdDev());
}

/// The scale may be of another type, which is the result's; the wider of both
/// is computed in.
void convertRmsNorm(Node &node) {
  node.requireInputs(2, 2);
  node.requireFloat(0);
  node.requireFloat(1);
  int64_t axis =
      node.normalizeAxis(node.intAttribute("axis", -1), node.rank(0));
  llvm::APFloat epsilon = readEpsilon(node);
  readStashType(node);
  Type result = node.elementType(1), wide = node.elementType(0);
  if (wide.getIntOrFloatBitWidth() < result.getIntOrFloatBitWidth())
    wide = result;
  Value scale = normParameter(node, 1, node.shape(0).drop_front(axis));
  scale = node.cast(scale, wide);
  Value x = node.cast(node.input(0), wide);
  Value y = node.make<fuse::RmsNormOp>(x.getType(), x, scale, uint64_t(axis),
                                       epsilon);
  node.setOutput(0, node.cast(y, result));
}

/// What ONNX Runtime called an RMS norm before ONNX had one, with 1 / rms as a
/// second result.
void convertSimplifiedLayerNorm(Node &node) {
  convertRmsNorm(node);
  int64_t axis =
      node.normalizeAxis(node.intAttribute("axis", -1), node.rank(0));
  if (node.wantsOutput(1))
    node.setOutput(1, inverseRms(node, node.input(0), axis, readEpsilon(node)));
}

} // namespace

Value inverseRms(Node &node, Value x, int64_t axis, llvm::APFloat epsilon) {
  auto type = fuse::getTensorType(x);
  Type element = getComputeType(type.getElementType());
  x = node.cast(x, element);
  SmallVector<int64_t> dims, outer(type.getShape());
  for (int64_t d = axis; d < type.getRank(); ++d) {
    dims.push_back(d);
    outer[d] = 1;
  }
  Value square = node.mul(x, x);
  Value mean = node.reduction(fuse::ReductionKind::mean, square, dims);
  Value root =
      node.unary<fuse::SqrtOp>(node.add(mean, epsilon.convertToDouble()));
  return node.unary<fuse::ReciprocalOp>(root);
}

namespace {

//===- Norms of groups of channels ----------------------------------------===//

/// With `isPerGroup`, scale and bias have one element for each group.
void groupNorm(Node &node, int64_t groups, bool isPerGroup) {
  llvm::APFloat epsilon = readEpsilon(node);
  int64_t channels = node.shape(0)[1];
  Value parameters[2];
  for (unsigned i = 1; i < 3; ++i) {
    node.requireSameElementType(0, i);
    int64_t count = isPerGroup ? groups : channels;
    if (node.shape(i) != ArrayRef<int64_t>{count})
      node.invalid("has a parameter of shape " + shapeText(node.shape(i)) +
                   " for " + llvm::Twine(count) +
                   (isPerGroup ? " groups" : " channels"));
    Value value = node.input(i);
    if (isPerGroup) {
      value = node.reshape(value, {groups, 1});
      value = node.broadcast(value, {groups, channels / groups});
      value = node.reshape(value, {channels});
    }
    parameters[i - 1] = value;
  }
  node.setOutput(0, node.make<fuse::GroupNormOp>(node.type(0), node.input(0),
                                                 parameters[0], parameters[1],
                                                 uint64_t(groups), epsilon));
}

void convertGroupNorm(Node &node) {
  node.requireInputs(3, 3);
  node.requireFloat(0);
  requireChannels(node);
  int64_t groups = node.intAttribute("num_groups");
  readStashType(node);
  if (groups < 1 || node.shape(0)[1] % groups != 0)
    node.invalid("cannot split " + llvm::Twine(node.shape(0)[1]) +
                 " channels into " + llvm::Twine(groups) + " groups");
  groupNorm(node, groups, node.opset() < 21);
}

void convertInstanceNorm(Node &node) {
  node.requireInputs(3, 3);
  node.requireFloat(0);
  node.ignoreAttributes({"consumed_inputs"});
  requireChannels(node);
  groupNorm(node, node.shape(0)[1], false);
}

//===- Others -------------------------------------------------------------===//

/// ONNX's function body adds 1e-9 to the deviation.
void convertMeanVarianceNorm(Node &node) {
  node.requireInputs(1, 1);
  node.requireFloat(0);
  std::vector<int64_t> axes = node.intsAttribute("axes");
  if (axes.empty() && !node.hasAttribute("axes"))
    axes = {0, 2, 3};
  axes = node.normalizeAxes(axes, node.rank(0));
  llvm::sort(axes);
  node.setOutput(0, node.make<fuse::MeanVarianceNormOp>(node.type(0),
                                                        node.input(0), axes,
                                                        llvm::APFloat(1e-9)));
}

void convertLpNorm(Node &node) {
  node.requireInputs(1, 1);
  node.requireFloat(0);
  int64_t axis =
      node.normalizeAxis(node.intAttribute("axis", -1), node.rank(0));
  int64_t p = node.intAttribute("p", 2);
  if (p != 1 && p != 2)
    node.invalid("has the order p=" + llvm::Twine(p) + "; ONNX has 1 and 2");
  node.setOutput(0, node.make<fuse::LpNormOp>(node.type(0), node.input(0),
                                              uint64_t(axis), uint64_t(p)));
}

void convertLocalResponseNorm(Node &node) {
  node.requireInputs(1, 1);
  node.requireFloat(0);
  llvm::APFloat alpha(node.floatAttribute("alpha", 1e-4f));
  llvm::APFloat beta(node.floatAttribute("beta", 0.75));
  llvm::APFloat bias(node.floatAttribute("bias", 1.0));
  int64_t size = node.intAttribute("size");
  requireChannels(node);
  if (size < 1)
    node.invalid("needs a positive size");
  // What lies beyond all channels adds nothing.
  node.setOutput(
      0, node.make<fuse::LocalResponseNormOp>(
             node.type(0), node.input(0), uint64_t(size), alpha, beta, bias));
}

} // namespace

void registerNorm(Registry &r) {
  r.add("BatchNormalization", 1, convertBatchNorm);
  r.add("LRN", 1, convertLocalResponseNorm);
  // ONNX Runtime had these two in ONNX's domain before ONNX did, and its
  // optimiser writes them into models of any version.
  r.add("LayerNormalization", 1, convertLayerNorm);
  r.add("SimplifiedLayerNormalization", 1, convertSimplifiedLayerNorm);
  r.add("RMSNormalization", 23, convertRmsNorm);
  r.add("GroupNormalization", 18, convertGroupNorm);
  r.add("InstanceNormalization", 1, convertInstanceNorm);
  r.add("LpNormalization", 1, convertLpNorm);
  r.add("MeanVarianceNormalization", 9, convertMeanVarianceNorm);
}

} // namespace fusec
