// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pooling: reductions over fuse.window.
#include "passes/graph/ExpandComposites.h"

#include "llvm/Support/MathExtras.h"

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
  int64_t start = out * op.getStrides()[dim] - op.getPadLow()[dim];
  auto firstAtOrAfter = [&](int64_t bound) {
    int64_t distance = std::max<int64_t>(0, bound - start);
    return std::min<int64_t>(
        op.getSizes()[dim],
        llvm::divideCeil(uint64_t(distance), op.getDilations()[dim]));
  };
  return firstAtOrAfter(counted.high) - firstAtOrAfter(counted.low);
}

bool fusec::fuse::countsAlike(PoolOp op, int64_t dim) {
  auto type = getTensorType(op.getResult());
  int64_t extent = type.getDimSize(type.getRank() - op.getSizes().size() + dim);
  int64_t size = op.getSizes()[dim];
  // Where the first and the last window are whole, so are those between them.
  if (extent == 0 ||
      (countAt(op, dim, 0) == size && countAt(op, dim, extent - 1) == size))
    return true;
  // Others are looked at one by one, as far as a constant of them would reach;
  // the formula of longer ones is right, too, if they are alike after all.
  return extent <= ConstantOp::kMaxElements &&
         llvm::all_of(llvm::seq<int64_t>(1, extent), [&](int64_t out) {
           return countAt(op, dim, out) == countAt(op, dim, 0);
         });
}

/// max(0, ceil((bound - start) / dilation)): the first window position at or
/// after `bound`.
static Value firstAtOrAfter(double bound, Value start, double dilation,
                            TensorBuilder &b) {
  Value distance = b.max(b.sub(bound, start), 0.0);
  if (dilation == 1)
    return distance;
  return b.div(b.add(distance, dilation - 1), dilation);
}

/// countAt as a tensor of the dimension's result extent:
/// min(size, first at or after high) - min(size, first at or after low).
static Value buildCount(PoolOp op, int64_t dim, int64_t extent,
                        TensorBuilder &b) {
  Counted counted = getCounted(op, dim);
  double dilation = op.getDilations()[dim], size = op.getSizes()[dim];
  double stride = op.getStrides()[dim], low = op.getPadLow()[dim];
  double reach = extent * stride + std::abs(low) + dilation +
                 std::max(std::abs(counted.low), std::abs(counted.high));
  auto type =
      RankedTensorType::get({extent}, b.getInteger(std::max(reach, size)));
  Value start = b.sub(b.mul(b.iota(type, 0), stride), low);
  auto bounded = [&](double bound) {
    return b.min(firstAtOrAfter(bound, start, dilation, b), size);
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
  return common == 1 ? divisor : b.mul(divisor, common);
}

/// The windows of a pooling operation as [outer..., out..., window...], and
/// the dimensions of the window in it.
struct Windows {
  Value value;
  SmallVector<int64_t> dims;
};
template <typename Op>
static Windows buildWindows(Op op, TypedAttr fill, TensorBuilder &b) {
  auto x = getTensorType(op.getInput()), y = getTensorType(op.getResult());
  SmallVector<int64_t> shape(y.getShape());
  llvm::append_range(shape, op.getSizes());
  Value windows = b.make<WindowOp>(x.clone(shape), op.getInput(), op.getSizes(),
                                   op.getStrides(), op.getDilations(),
                                   op.getPadLow(), fill);
  return {windows, llvm::to_vector(
                       llvm::seq<int64_t>(y.getRank(), int64_t(shape.size())))};
}

// max_w x[o strides + w dilations - pad_low], or their sum over the number of
// counted positions.
static SmallVector<Value> expandPool(PoolOp op, TensorBuilder &b) {
  auto x = getTensorType(op.getInput()), y = getTensorType(op.getResult());
  bool isMax = op.getKind() == PoolKind::max;
  TypedAttr fill = isMax ? getLowest(x.getElementType())
                         : b.builder.getZeroAttr(x.getElementType());
  Windows windows = buildWindows(op, fill, b);
  Value result = b.reduce(isMax ? Combiner::Max : Combiner::Add, windows.value,
                          windows.dims);
  if (!isMax)
    result = b.div(result, buildDivisor(op, getTensorType(result), b));
  return {b.cast(result, y.getElementType())};
}

// (sum_w |x|^p)^(1/p)
static SmallVector<Value> expandLpPool(LpPoolOp op, TensorBuilder &b) {
  auto y = getTensorType(op.getResult());
  double p = op.getP();
  TypedAttr zero =
      b.builder.getZeroAttr(getTensorType(op.getInput()).getElementType());
  Windows windows = buildWindows(op, zero, b);
  Value x = b.castToCompute(windows.value);
  Value powers = p == 2 ? b.mul(x, x) : b.unary<AbsOp>(x);
  if (p > 2)
    powers = b.binary<PowOp>(powers, p);
  Value result = b.reduce(Combiner::Add, powers, windows.dims);
  if (p == 2)
    result = b.unary<SqrtOp>(result);
  else if (p > 2)
    result = b.binary<PowOp>(result, 1 / p);
  return {b.cast(result, y.getElementType())};
}

/// Where in the input the element at each point of `type`, the type of windows,
/// lies: its row-major number in the windowed dimensions, and whether it lies
/// inside (null if all do).
struct WindowPositions {
  Value number, inside;
};
static WindowPositions buildPositions(MaxPoolIndicesOp op,
                                      RankedTensorType type, TensorBuilder &b) {
  ArrayRef<int64_t> in = getTensorType(op.getInput()).getShape().drop_front(2);
  WindowPositions result;
  int64_t count = in.size(), stride = 1;
  for (int64_t d = count - 1; d >= 0; stride *= in[d--]) {
    int64_t low = op.getPadLow()[d];
    Value out = b.mul(b.iota(type, 2 + d), double(op.getStrides()[d]));
    Value offset =
        b.mul(b.iota(type, 2 + count + d), double(op.getDilations()[d]));
    Value position = b.add(out, offset);
    int64_t last = (type.getDimSize(2 + d) - 1) * op.getStrides()[d] +
                   (op.getSizes()[d] - 1) * op.getDilations()[d] - low;
    auto require = [&](CmpPredicate predicate, int64_t bound) {
      Value holds =
          b.compare(predicate, position, b.splat(double(bound), type));
      result.inside =
          result.inside ? b.binary<AndOp>(result.inside, holds) : holds;
    };
    if (low > 0)
      require(CmpPredicate::ge, low);
    if (last >= in[d])
      require(CmpPredicate::lt, in[d] + low);
    position = b.sub(position, double(low));
    Value part = stride == 1 ? position : b.mul(position, double(stride));
    result.number = result.number ? b.add(part, result.number) : part;
  }
  return result;
}

/// A row-major number in dimensions of extents `shape` as a column-major one.
static Value toColumnMajor(Value number, ArrayRef<int64_t> shape,
                           TensorBuilder &b) {
  Value result;
  int64_t column = 1, row = 1;
  for (int64_t extent : shape)
    row *= extent;
  for (int64_t extent : shape) {
    row /= extent;
    Value position =
        b.binary<ModOp>(b.div(number, double(row)), double(extent));
    position = b.mul(position, double(column));
    result = result ? b.add(result, position) : position;
    column *= extent;
  }
  return result;
}

// max_w x[w], and the least position of an element of that value: two
// reductions over one window, where a pair of accumulators would have to branch
// at each step. What is not below the maximum equals it, or either is NaN.
static SmallVector<Value> expandMaxPoolIndices(MaxPoolIndicesOp op,
                                               TensorBuilder &b) {
  auto x = getTensorType(op.getInput()), y = getTensorType(op.getResult());
  ArrayRef<int64_t> in = x.getShape().drop_front(2);
  int64_t slice = 1;
  for (int64_t extent : in)
    slice *= extent;
  Windows windows = buildWindows(op, getLowest(x.getElementType()), b);
  Value max = b.reduce(Combiner::Max, windows.value, windows.dims);
  Value element = b.castToCompute(windows.value);
  auto type = getTensorType(element);
  Value below = b.compare(CmpPredicate::lt, element,
                          b.broadcastBack(max, type.getShape(), windows.dims));
  Value candidate = b.unary<NotOp>(below);
  double reach = slice; // of numbers, and of positions from the padding's begin
  for (int64_t d = 0, e = in.size(); d < e; ++d)
    reach =
        std::max(reach, double(op.getStrides()[d]) * y.getDimSize(2 + d) +
                            double(op.getDilations()[d]) * op.getSizes()[d]);
  WindowPositions at = buildPositions(op, type.clone(b.getInteger(reach)), b);
  if (at.inside)
    candidate = b.binary<AndOp>(candidate, at.inside);
  Value first =
      b.reduce(Combiner::Min, b.select(candidate, at.number, double(slice)),
               windows.dims);
  if (op.getColumnMajor())
    first = toColumnMajor(first, in, b);
  // Slices follow one another.
  auto wide = y.clone(b.builder.getI64Type());
  Value batch = b.mul(b.iota(wide, 0), double(x.getDimSize(1) * slice));
  Value image = b.add(batch, b.mul(b.iota(wide, 1), double(slice)));
  Value index = b.add(b.cast(first, wide.getElementType()), image);
  return {b.cast(max, y.getElementType()), index};
}

void fusec::fuse::populateExpandPooling(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expansion<PoolOp>>(context, expandPool);
  patterns.add<Expansion<LpPoolOp>>(context, expandLpPool);
  patterns.add<Expansion<MaxPoolIndicesOp>>(context, expandMaxPoolIndices);
}
