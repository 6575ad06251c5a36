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
  Value deviation =
      b.unary<SqrtOp>(b.add(variance, op.getEpsilon().convertToDouble()));
  Value factor = b.div(b.castToCompute(op.getScale()), deviation);
  Value shift = b.mul(b.castToCompute(op.getMean()), factor);
  Value offset = b.sub(b.castToCompute(op.getBias()), shift);
  ArrayRef<int64_t> shape = getTensorType(x).getShape();
  Value scaled = b.mul(x, b.broadcast(factor, shape, {1}));
  return {b.cast(b.add(scaled, b.broadcast(offset, shape, {1})), type)};
}

/// x - mean x and the mean of its square, over `dims`. Two passes:
/// mean x^2 - (mean x)^2 would cancel.
struct Centred {
  Value mean, difference, variance;
};
static Centred centre(Value x, ArrayRef<int64_t> dims, TensorBuilder &b) {
  Value mean = b.mean(x, dims);
  Value d = b.sub(x, b.broadcastBack(mean, getTensorType(x).getShape(), dims));
  return {mean, d, b.mean(b.mul(d, d), dims)};
}

/// sqrt(square + epsilon)
static Value buildRoot(Value square, APFloat epsilon, TensorBuilder &b) {
  return b.unary<SqrtOp>(b.add(square, epsilon.convertToDouble()));
}

/// The dimensions of `shape` from `first` on.
static SmallVector<int64_t> dimsFrom(int64_t first, ArrayRef<int64_t> shape) {
  return llvm::to_vector(llvm::seq<int64_t>(first, int64_t(shape.size())));
}

// d / sqrt(mean d^2 + epsilon) scale + bias with d = x - mean x, the means over
// dimensions axis and up.
static SmallVector<Value> expandLayerNorm(LayerNormOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<int64_t> dims = dimsFrom(op.getAxis(), shape);
  auto [mean, d, variance] = centre(b.castToCompute(op.getInput()), dims, b);
  Value deviation = buildRoot(variance, op.getEpsilon(), b);
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
    results.push_back(finish(b.div(1.0, deviation), op.getInvStdDev()));
  return results;
}

// d / sqrt(mean d^2 + epsilon) scale + bias over the channels of a group and
// all dimensions behind, as [N, groups, channels, ...]. The dimension of the
// channels is left out where each group has one.
static SmallVector<Value> expandGroupNorm(GroupNormOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  int64_t groups = op.getGroups(), perGroup = type.getDimSize(1) / groups;
  SmallVector<int64_t> shape = {type.getDimSize(0), groups}, own = {groups},
                       channels = {1};
  if (perGroup != 1) {
    shape.push_back(perGroup);
    own.push_back(perGroup);
    channels.push_back(2);
  }
  llvm::append_range(shape, type.getShape().drop_front(2));
  SmallVector<int64_t> dims = dimsFrom(2, shape);
  Value x = b.castToCompute(b.reshape(op.getInput(), shape));
  auto [mean, d, variance] = centre(x, dims, b);
  (void)mean;
  Value deviation = buildRoot(variance, op.getEpsilon(), b);
  Value y = b.div(d, b.broadcastBack(deviation, shape, dims));
  auto parameter = [&](Value value) {
    value = b.castToCompute(b.reshape(value, own));
    return b.broadcast(value, shape, channels);
  };
  y = b.mul(y, parameter(op.getScale()));
  y = b.add(y, parameter(op.getBias()));
  y = b.cast(y, type.getElementType());
  return {b.reshape(y, type.getShape())};
}

// x / sqrt(mean x^2 + epsilon) scale
static SmallVector<Value> expandRmsNorm(RmsNormOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  ArrayRef<int64_t> shape = type.getShape();
  SmallVector<int64_t> dims = dimsFrom(op.getAxis(), shape);
  Value x = b.castToCompute(op.getInput());
  Value root = buildRoot(b.mean(b.mul(x, x), dims), op.getEpsilon(), b);
  Value y = b.div(x, b.broadcastBack(root, shape, dims));
  y = b.mul(y, b.broadcast(b.castToCompute(op.getScale()), shape, dims));
  return {b.cast(y, type.getElementType())};
}

// d / (sqrt(mean d^2) + epsilon) with d = x - mean x
static SmallVector<Value> expandMeanVarianceNorm(MeanVarianceNormOp op,
                                                 TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  Value x = b.castToCompute(op.getOperand());
  auto [mean, d, variance] = centre(x, op.getDims(), b);
  (void)mean;
  Value deviation =
      b.add(b.unary<SqrtOp>(variance), op.getEpsilon().convertToDouble());
  Value y = b.div(d, b.broadcastBack(deviation, type.getShape(), op.getDims()));
  return {b.cast(y, type.getElementType())};
}

// x / norm. A norm of 0 means that x is 0 all along: dividing by 1 keeps it.
static SmallVector<Value> expandLpNorm(LpNormOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  int64_t axis = op.getAxis();
  Value x = b.castToCompute(op.getOperand());
  Value powers = op.getP() == 1 ? b.unary<AbsOp>(x) : b.mul(x, x);
  Value norm = b.reduce(Combiner::Add, powers, {axis});
  if (op.getP() == 2)
    norm = b.unary<SqrtOp>(norm);
  Value isZero = b.compare(CmpPredicate::eq, norm, 0);
  norm = b.select(isZero, b.splatLike(1, norm), norm);
  Value y = b.div(x, b.broadcastBack(norm, type.getShape(), {axis}));
  return {b.cast(y, type.getElementType())};
}

// x / (bias + alpha / size sum x^2)^beta, the sum over a window of channels
static SmallVector<Value> expandLocalResponseNorm(LocalResponseNormOp op,
                                                  TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  int64_t rank = type.getRank(), size = op.getSize();
  SmallVector<int64_t> ones(rank - 1, 1), sizes = ones, low(rank - 1, 0);
  // The window of the first channel and that of the last one reach over all.
  int64_t others = std::max<int64_t>(0, type.getDimSize(1) - 1);
  low[0] = std::min((size - 1) / 2, others);
  sizes[0] = low[0] + 1 + std::min(size / 2, others);
  SmallVector<int64_t> shape(type.getShape());
  llvm::append_range(shape, sizes);
  TypedAttr zero = b.builder.getZeroAttr(type.getElementType());
  Value windows = b.make<WindowOp>(type.clone(shape), op.getOperand(), sizes,
                                   ones, ones, low, zero);
  windows = b.castToCompute(windows);
  Value sum =
      b.reduce(Combiner::Add, b.mul(windows, windows), dimsFrom(rank, shape));
  double factor = op.getAlpha().convertToDouble() / double(size);
  Value base = b.add(b.mul(sum, factor), op.getBias().convertToDouble());
  Value power = b.binary<PowOp>(base, op.getBeta().convertToDouble());
  Value x = b.castToCompute(op.getOperand());
  return {b.cast(b.div(x, power), type.getElementType())};
}

// The position of a first maximum is the least one whose element is the
// maximum.
static SmallVector<Value> expandHardmax(HardmaxOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  int64_t axis = op.getAxis();
  ArrayRef<int64_t> shape = type.getShape();
  Value x = b.castToCompute(op.getOperand());
  Value max =
      b.broadcastBack(b.reduce(Combiner::Max, x, {axis}), shape, {axis});
  Value position = b.iota(type.clone(b.builder.getI32Type()), axis);
  Value isMax = b.compare(CmpPredicate::eq, x, max);
  Value candidate = b.select(isMax, position, double(shape[axis]));
  Value first = b.reduce(Combiner::Min, candidate, {axis});
  Value hit = b.compare(CmpPredicate::eq, position,
                        b.broadcastBack(first, shape, {axis}));
  Value one = b.splat(1, type), zero = b.splat(0, type);
  return {b.select(hit, one, zero)};
}

void fusec::fuse::populateExpandNorms(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expansion<BatchNormOp>>(context, expandBatchNorm);
  patterns.add<Expansion<LayerNormOp>>(context, expandLayerNorm);
  patterns.add<Expansion<GroupNormOp>>(context, expandGroupNorm);
  patterns.add<Expansion<RmsNormOp>>(context, expandRmsNorm);
  patterns.add<Expansion<MeanVarianceNormOp>>(context, expandMeanVarianceNorm);
  patterns.add<Expansion<LpNormOp>>(context, expandLpNorm);
  patterns.add<Expansion<LocalResponseNormOp>>(context,
                                               expandLocalResponseNorm);
  patterns.add<Expansion<HardmaxOp>>(context, expandHardmax);
}
