// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling: reductions over fuse.window.
#include "passes/graph/ExpandComposites.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// The positions [low, high) of dimension `dim` that an average counts.
struct Counted {
  int64_t low, high;
};
static Counted getCounted(PoolOp op, int64_t dim) {
  size_t outer = getTensorType(op.getInput()).getRank() - op.getSizes().size();
  int64_t extent = getTensorType(op.getInput()).getDimSize(outer + dim);
  if (!op.getCountPad())
    return {0, extent};
  return {-op.getPadLow()[dim], extent + op.getPadHigh()[dim]};
}

/// The number of window positions w in [0, size) with
/// low <= out stride + w dilation - pad_low < high.
static int64_t countAt(PoolOp op, int64_t dim, int64_t out) {
  Counted counted = getCounted(op, dim);
  int64_t count = 0;
  for (int64_t w = 0; w < op.getSizes()[dim]; ++w) {
    int64_t position = out * op.getStrides()[dim] + w * op.getDilations()[dim] -
                       op.getPadLow()[dim];
    count += position >= counted.low && position < counted.high;
  }
  return count;
}

bool fusec::fuse::countsAlike(PoolOp op, int64_t dim) {
  auto type = getTensorType(op.getResult());
  int64_t extent = type.getDimSize(type.getRank() - op.getSizes().size() + dim);
  return llvm::all_of(llvm::seq<int64_t>(0, extent), [&](int64_t out) {
    return countAt(op, dim, out) == countAt(op, dim, 0);
  });
}

/// max(0, ceil((bound - start) / dilation)): the first window position at or
/// after `bound`.
static Value firstAtOrAfter(double bound, Value start, double dilation,
                            TensorBuilder &b) {
  Value distance = b.binary<MaximumOp>(b.binary<SubOp>(bound, start), 0.0);
  if (dilation == 1)
    return distance;
  return b.binary<DivOp>(b.binary<AddOp>(distance, dilation - 1), dilation);
}

/// countAt as a tensor of the dimension's result extent:
/// min(size, first at or after high) - min(size, first at or after low).
static Value buildCount(PoolOp op, int64_t dim, int64_t extent,
                        TensorBuilder &b) {
  auto type = RankedTensorType::get({extent}, b.builder.getI32Type());
  Counted counted = getCounted(op, dim);
  double dilation = op.getDilations()[dim], size = op.getSizes()[dim];
  Value start = b.binary<SubOp>(
      b.binary<MulOp>(b.iota(type, 0), double(op.getStrides()[dim])),
      double(op.getPadLow()[dim]));
  auto bounded = [&](double bound) {
    return b.binary<MinimumOp>(firstAtOrAfter(bound, start, dilation, b), size);
  };
  Value end = bounded(counted.high);
  Value begin = bounded(counted.low);
  return b.sub(end, begin);
}

/// What the sums of an average are divided by: a number where all windows
/// count alike along a dimension, a formula of the index elsewhere.
static Value buildDivisor(PoolOp op, RankedTensorType type, TensorBuilder &b) {
  double common = 1;
  Value divisor;
  int64_t outer = type.getRank() - op.getSizes().size();
  for (int64_t dim = 0, e = op.getSizes().size(); dim < e; ++dim) {
    int64_t extent = type.getDimSize(outer + dim);
    if (countsAlike(op, dim)) {
      common *= extent == 0 ? 1 : countAt(op, dim, 0);
      continue;
    }
    Value count = b.cast(buildCount(op, dim, extent, b), type.getElementType());
    count = b.broadcast(count, type.getShape(), {outer + dim});
    divisor = divisor ? b.mul(divisor, count) : count;
  }
  if (!divisor)
    return b.splat(common, type);
  return common == 1 ? divisor : b.binary<MulOp>(divisor, common);
}

// max_w x[o strides + w dilations - pad_low], or their sum over the number of
// counted positions.
static SmallVector<Value> expandPool(PoolOp op, TensorBuilder &b) {
  auto x = getTensorType(op.getInput()), y = getTensorType(op.getResult());
  bool isMax = op.getKind() == PoolKind::max;
  TypedAttr fill = isMax ? getLowest(x.getElementType())
                         : b.builder.getZeroAttr(x.getElementType());
  SmallVector<int64_t> shape(y.getShape());
  llvm::append_range(shape, op.getSizes());
  Value windows = WindowOp::create(
      b.builder, b.loc, x.clone(shape), op.getInput(), op.getSizes(),
      op.getStrides(), op.getDilations(), op.getPadLow(), fill);
  auto dims = llvm::to_vector(
      llvm::seq<int64_t>(y.getRank(), int64_t(shape.size())));
  Value result =
      b.reduce(isMax ? Combiner::max : Combiner::add, windows, dims);
  if (!isMax)
    result = b.div(result, buildDivisor(op, getTensorType(result), b));
  return {b.cast(result, y.getElementType())};
}

void fusec::fuse::populateExpandPooling(RewritePatternSet &patterns) {
  patterns.add<Expansion<PoolOp>>(patterns.getContext(), expandPool);
}
