// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Normalisations.
#include "passes/graph/ExpandComposites.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

// x a + (bias - mean a) with a = scale / sqrt(variance + epsilon), per channel.
// Both factors are constants in a frozen model, where this is one multiply-add.
static SmallVector<Value> expandBatchNorm(BatchNormOp op, TensorBuilder &b) {
  Type type = getTensorType(op.getResult()).getElementType();
  Value x = b.castToCompute(op.getInput());
  Value variance = b.castToCompute(op.getVariance());
  Value deviation = b.unary<SqrtOp>(
      b.binary<AddOp>(variance, op.getEpsilon().convertToDouble()));
  Value factor = b.div(b.castToCompute(op.getScale()), deviation);
  Value shift = b.mul(b.castToCompute(op.getMean()), factor);
  Value offset = b.sub(b.castToCompute(op.getBias()), shift);
  ArrayRef<int64_t> shape = getTensorType(x).getShape();
  Value scaled = b.mul(x, b.broadcast(factor, shape, {1}));
  return {b.cast(b.add(scaled, b.broadcast(offset, shape, {1})), type)};
}

// d / sqrt(mean d^2 + epsilon) scale + bias with d = x - mean x, the means over
// dimensions axis and up. Two passes: mean x^2 - (mean x)^2 would cancel.
static SmallVector<Value> expandLayerNorm(LayerNormOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  ArrayRef<int64_t> shape = type.getShape();
  auto dims = llvm::to_vector(
      llvm::seq<int64_t>(op.getAxis(), int64_t(shape.size())));
  Value x = b.castToCompute(op.getInput());
  Value mean = b.mean(x, dims);
  Value d = b.sub(x, b.broadcastBack(mean, shape, dims));
  Value variance = b.mean(b.mul(d, d), dims);
  Value deviation = b.unary<SqrtOp>(
      b.binary<AddOp>(variance, op.getEpsilon().convertToDouble()));
  Value y = b.div(d, b.broadcastBack(deviation, shape, dims));
  y = b.mul(y, b.broadcast(b.castToCompute(op.getScale()), shape, dims));
  if (Value bias = op.getBias())
    y = b.add(y, b.broadcast(b.castToCompute(bias), shape, dims));
  SmallVector<Value> results = {b.cast(y, type.getElementType())};
  // The statistics keep the reduced dimensions as 1.
  auto finish = [&](Value statistic, Value result) {
    auto to = getTensorType(result);
    return b.cast(b.reshape(statistic, to.getShape()), to.getElementType());
  };
  if (op.getMean())
    results.push_back(finish(mean, op.getMean()));
  if (op.getInvStdDev())
    results.push_back(
        finish(b.binary<DivOp>(1.0, deviation), op.getInvStdDev()));
  return results;
}

void fusec::fuse::populateExpandNorms(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expansion<BatchNormOp>>(context, expandBatchNorm);
  patterns.add<Expansion<LayerNormOp>>(context, expandLayerNorm);
}
