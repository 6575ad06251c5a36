// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations.
#include "compiler/export/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

LogicalResult writeBatchNorm(fuse::BatchNormOp op, Writer &w) {
  w.node("BatchNormalization", w.names(op->getOperands()), op->getResults())
      .real("epsilon", op.getEpsilon());
  return success();
}

/// Whether ONNX has the statistics of a norm in that type.
bool isStatistic(Value value) {
  return !value || elementOf(value).isF32() || elementOf(value).isF64();
}

LogicalResult writeLayerNorm(fuse::LayerNormOp op, Writer &w) {
  if (!isStatistic(op.getMean()) || !isStatistic(op.getInvStdDev()))
    return failure();
  Writer::Names operands{w.name(op.getInput()), w.repeated(op.getScale())};
  if (op.getBias())
    operands.push_back(w.repeated(op.getBias()));
  NodeHandle node = w.node("LayerNormalization", operands, op->getResults());
  node.integer("axis", op.getAxis()).real("epsilon", op.getEpsilon());
  Value statistic = op.getMean() ? op.getMean() : op.getInvStdDev();
  if (statistic && !elementOf(statistic).isF32())
    node.integer("stash_type", w.codeOf(elementOf(statistic)));
  return success();
}

LogicalResult writeRmsNorm(fuse::RmsNormOp op, Writer &w) {
  constexpr int64_t kSince = 23;
  if (w.opset() < kSince)
    return failure();
  w.node("RMSNormalization", {w.name(op.getInput()), w.repeated(op.getScale())},
         op->getResults())
      .integer("axis", op.getAxis())
      .real("epsilon", op.getEpsilon());
  return success();
}

/// Before operator set 21 scale and bias had an element for each group.
LogicalResult writeGroupNorm(fuse::GroupNormOp op, Writer &w) {
  constexpr int64_t kSince = 21;
  bool isInstance = int64_t(op.getGroups()) == shapeOf(op.getInput())[1];
  if (!isInstance && w.opset() < kSince)
    return failure();
  NodeHandle node =
      w.node(isInstance ? "InstanceNormalization" : "GroupNormalization",
             w.names(op->getOperands()), op->getResults());
  node.real("epsilon", op.getEpsilon());
  if (!isInstance)
    node.integer("num_groups", op.getGroups());
  return success();
}

/// ONNX's adds 1e-9 to the deviation, always; its function has constants of
/// f32.
LogicalResult writeMeanVarianceNorm(fuse::MeanVarianceNormOp op, Writer &w) {
  if (op.getEpsilon().convertToDouble() != 1e-9 || op.getDims().empty() ||
      !elementOf(op.getResult()).isF32())
    return failure();
  w.node("MeanVarianceNormalization", {w.name(op.getOperand())},
         op->getResults())
      .integers("axes", op.getDims());
  return success();
}

LogicalResult writeLpNorm(fuse::LpNormOp op, Writer &w) {
  w.node("LpNormalization", {w.name(op.getOperand())}, op->getResults())
      .integer("axis", op.getAxis())
      .integer("p", op.getP());
  return success();
}

LogicalResult writeLocalResponseNorm(fuse::LocalResponseNormOp op, Writer &w) {
  w.node("LRN", {w.name(op.getOperand())}, op->getResults())
      .integer("size", op.getSize())
      .real("alpha", op.getAlpha())
      .real("beta", op.getBeta())
      .real("bias", op.getBias());
  return success();
}

} // namespace

void registerExportNorms(ExportRegistry &r) {
  r.add<fuse::BatchNormOp>(writeBatchNorm);
  r.add<fuse::LayerNormOp>(writeLayerNorm);
  r.add<fuse::RmsNormOp>(writeRmsNorm);
  r.add<fuse::GroupNormOp>(writeGroupNorm);
  r.add<fuse::MeanVarianceNormOp>(writeMeanVarianceNorm);
  r.add<fuse::LpNormOp>(writeLpNorm);
  r.add<fuse::LocalResponseNormOp>(writeLocalResponseNorm);
}

} // namespace fusec
