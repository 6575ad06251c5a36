// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sampling at coordinates that are computed: gathers of the elements around
// each, times their weights.
#include "passes/graph/ExpandComposites.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

namespace {
/// One of the elements along a dimension that a sample is made of. All values
/// have one shape; null where nothing is to be done.
struct Tap {
  Value index;  ///< in [0, extent)
  Value weight; ///< none: 1
  Value inside; ///< none: always
};
using TapList = SmallVector<Tap>;
} // namespace

static Value clamp(Value value, double low, double high, TensorBuilder &b) {
  return b.min(b.max(value, low), high);
}

static Value compareWith(CmpPredicate predicate, Value value, double bound,
                         TensorBuilder &b) {
  return b.compare(predicate, value, bound);
}

/// Calls f(taps) with each choice of one tap per dimension, the last dimension
/// fastest.
template <typename F>
static void forEachChoice(ArrayRef<TapList> dims, SmallVector<Tap> chosen,
                          F f) {
  if (chosen.size() == dims.size())
    return f(chosen);
  for (const Tap &tap : dims[chosen.size()]) {
    chosen.push_back(tap);
    forEachChoice(dims, chosen, f);
    chosen.pop_back();
  }
}

//===- grid_sample -------------------------------------------------------===//

namespace {
/// One dimension of a grid_sample. Values are [N, 1, out_1..out_k].
class GridDimension {
public:
  GridDimension(GridSampleOp op, int64_t dim, TensorBuilder &b)
      : op(op), b(b), dim(dim),
        extent(getTensorType(op.getInput()).getDimSize(dim + 2)) {
    bool corners = op.getAlignCorners();
    low = corners ? 0 : -0.5;
    high = double(extent) - (corners ? 1 : 0.5);
  }

  TapList getTaps();

private:
  Value getCoordinate();
  Value pad(Value x);
  Value mirror(Value index);
  Tap getTap(Value first, int64_t offset, Value weight);
  SmallVector<Value> getWeights(Value fraction);

  GridSampleOp op;
  TensorBuilder &b;
  int64_t dim, extent;
  double low, high;
};
} // namespace

/// The number of the grid in elements of the input.
Value GridDimension::getCoordinate() {
  auto type = getTensorType(op.getGrid());
  int64_t rank = type.getRank();
  SmallVector<int64_t> shape(type.getShape()), offsets(rank, 0),
      strides(rank, 1), perm = {0, rank - 1};
  shape.back() = 1;
  offsets.back() = rank - 3 - dim;
  Value g = b.make<SliceOp>(type.clone(shape), op.getGrid(), offsets, strides);
  for (int64_t d = 1; d < rank - 1; ++d)
    perm.push_back(d);
  g = b.add(b.castToCompute(b.transpose(g, perm)), 1.0);
  auto n = double(extent);
  if (op.getAlignCorners())
    return b.mul(b.mul(g, 0.5), n - 1);
  g = b.sub(b.mul(g, n), 1.0);
  return b.mul(g, 0.5);
}

/// Moves a coordinate to where the same is read: mirrored, or near enough to be
/// a number of i32.
Value GridDimension::pad(Value x) {
  if (op.getPadding() != GridPadding::reflection)
    return clamp(x, -3, double(extent) + 2, b);
  double range = high - low;
  if (range == 0)
    return b.splatLike(low, x);
  // low + (distance folded into [0, range])
  Value distance = b.unary<AbsOp>(b.sub(x, low));
  Value t = b.binary<FmodOp>(distance, 2 * range);
  t = b.min(t, b.sub(2 * range, t));
  Value below = compareWith(CmpPredicate::lt, x, low, b),
        above = compareWith(CmpPredicate::gt, x, high, b);
  Value outside = b.binary<OrOp>(below, above);
  return b.select(outside, b.add(t, low), x);
}

/// The position inside that an index at most two elements outside mirrors.
Value GridDimension::mirror(Value index) {
  double past = op.getAlignCorners() ? 0 : 1; // how far -1 - p is from -p
  auto n = double(extent);
  // In less than three elements, mirrors are mirrored again.
  for (int turn = 0; turn < (extent < 3 ? 2 : 1); ++turn) {
    index = b.max(index, b.sub(-past, index));
    index = b.min(index, b.sub(2 * n - 2 + past, index));
  }
  return index;
}

Tap GridDimension::getTap(Value first, int64_t offset, Value weight) {
  Value index = offset == 0 ? first : b.add(first, double(offset));
  Value inside;
  auto last = double(extent - 1);
  if (op.getPadding() == GridPadding::zeros) {
    Value behindFirst = compareWith(CmpPredicate::ge, index, 0, b),
          beforeLast = compareWith(CmpPredicate::le, index, last, b);
    inside = b.binary<AndOp>(behindFirst, beforeLast);
  } else if (op.getPadding() == GridPadding::reflection) {
    index = mirror(index);
  }
  // Also for coordinates that are NaN: what is read must exist.
  return {clamp(index, 0, last, b), weight, inside};
}

/// The weights of the elements around a coordinate by its fraction.
SmallVector<Value> GridDimension::getWeights(Value f) {
  Value rest = b.sub(1.0, f);
  if (op.getMode() == SampleMode::linear)
    return {rest, f};
  constexpr double a = -0.75;
  // k(t) for t <= 1, and k(1 + t)
  auto near = [&](Value t) {
    Value k = b.sub(b.mul(t, a + 2), a + 3);
    return b.add(b.mul(b.mul(k, t), t), 1.0);
  };
  auto far = [&](Value t) { // a t^3 - 2 a t^2 + a t = a t (t - 1)^2
    Value back = b.sub(t, 1.0);
    return b.mul(b.mul(b.mul(t, a), back), back);
  };
  return {far(f), near(f), near(rest), far(rest)};
}

TapList GridDimension::getTaps() {
  Value x = getCoordinate();
  Type i32 = b.builder.getI32Type();
  if (op.getMode() == SampleMode::nearest)
    return {getTap(b.cast(pad(b.unary<RoundOp>(x)), i32), 0, {})};
  x = pad(x);
  Value floor = b.unary<FloorOp>(x);
  Value first = b.cast(floor, i32);
  SmallVector<Value> weights = getWeights(b.sub(x, floor));
  int64_t offset = weights.size() == 4 ? -1 : 0;
  TapList taps;
  for (Value weight : weights)
    taps.push_back(getTap(first, offset++, weight));
  return taps;
}

/// input[n, c, i_1, ..., i_k] at each point (n, c, o_1, ..., o_k).
static Value buildGridGather(GridSampleOp op, ArrayRef<Tap> taps,
                             TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  int64_t rank = type.getRank();
  SmallVector<AffineExpr> place,
      from = {b.builder.getAffineDimExpr(0), b.builder.getAffineDimExpr(1)};
  SmallVector<Value> indices;
  for (int64_t d = 0; d < rank; ++d)
    place.push_back(d == 1 ? b.builder.getAffineConstantExpr(0)
                           : b.builder.getAffineDimExpr(d));
  for (auto [k, tap] : llvm::enumerate(taps)) {
    from.push_back(b.builder.getAffineSymbolExpr(k));
    indices.push_back(tap.index);
  }
  MLIRContext *context = b.builder.getContext();
  SmallVector<AffineMap> maps(taps.size() + 1,
                              AffineMap::get(rank, 0, place, context));
  maps[0] = AffineMap::get(rank, taps.size(), from, context);
  return b.make<GatherOp>(type, op.getInput(), indices,
                          b.builder.getAffineMapArrayAttr(maps));
}

static SmallVector<Value> expandGridSample(GridSampleOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  if (type.getNumElements() == 0)
    return {b.splat(0, type)};
  SmallVector<TapList> dims;
  for (int64_t d = 0; d < type.getRank() - 2; ++d)
    dims.push_back(GridDimension(op, d, b).getTaps());
  auto spread = [&](Value value, Type elementType) {
    SmallVector<int64_t> all = llvm::to_vector(llvm::seq(type.getRank()));
    return b.broadcast(b.cast(value, elementType), type.getShape(), all);
  };
  bool isPick = op.getMode() == SampleMode::nearest;
  Value sum;
  forEachChoice(dims, {}, [&](ArrayRef<Tap> taps) {
    Value part = buildGridGather(op, taps, b);
    if (!isPick)
      part = b.castToCompute(part);
    Type elementType = getTensorType(part).getElementType();
    Value inside, weight;
    for (const Tap &tap : taps) {
      if (tap.inside)
        inside = inside ? b.binary<AndOp>(inside, tap.inside) : tap.inside;
      if (tap.weight)
        weight = weight ? b.mul(weight, tap.weight) : tap.weight;
    }
    if (inside)
      part = b.select(spread(inside, b.builder.getI1Type()), part, 0);
    if (weight)
      part = b.mul(part, spread(weight, elementType));
    sum = sum ? b.add(sum, part) : part;
  });
  return {b.cast(sum, type.getElementType())};
}

//===- roi_align ---------------------------------------------------------===//

// The points of all bins are [R, 1, bins_y, bins_x, points, points]; along y,
// the extents of x are 1.
static TapList buildRoiTaps(RoiAlignOp op, bool isX, TensorBuilder &b) {
  auto rois = getTensorType(op.getRois()), y = getTensorType(op.getResult());
  int64_t regions = rois.getDimSize(0), points = op.getPoints();
  int64_t bins = y.getDimSize(isX ? 3 : 2);
  int64_t extent = getTensorType(op.getInput()).getDimSize(isX ? 3 : 2);
  SmallVector<int64_t> shape = {regions, 1, 1, 1, 1, 1};
  shape[isX ? 3 : 2] = bins;
  shape[isX ? 5 : 4] = points;
  auto corner = [&](int64_t column) {
    Value value =
        b.make<SliceOp>(rois.clone({regions, 1}), op.getRois(),
                        ArrayRef<int64_t>{0, column}, ArrayRef<int64_t>{1, 1});
    value = b.mul(b.castToCompute(value), op.getScale().convertToDouble());
    return op.getHalfPixel() ? b.sub(value, 0.5) : value;
  };
  Value start = corner(isX ? 0 : 1);
  Value size = b.sub(corner(isX ? 2 : 3), start);
  if (!op.getHalfPixel())
    size = b.max(size, 1.0);
  size = b.broadcast(b.div(size, double(bins)), shape, {0, 1});
  auto type = getTensorType(size);
  Value bin = b.iota(type, isX ? 3 : 2), point = b.iota(type, isX ? 5 : 4);
  point = b.mul(b.add(point, 0.5), size);
  Value begin = b.broadcast(start, shape, {0, 1});
  Value at = b.add(begin, b.mul(bin, size));
  at = b.add(at, b.div(point, double(points)));
  Value below = compareWith(CmpPredicate::lt, at, -1, b),
        above = compareWith(CmpPredicate::gt, at, double(extent), b);
  Value outside = b.binary<OrOp>(below, above);
  auto last = double(extent - 1);
  at = clamp(at, 0, last, b);
  Value floor = b.unary<FloorOp>(at);
  Value low = clamp(b.cast(floor, b.builder.getI32Type()), 0, last, b);
  Value high = b.min(b.add(low, 1.0), last);
  Value fraction = b.sub(at, floor), zero = b.splatLike(0, at);
  Value rest = b.sub(1.0, fraction);
  return {{low, b.select(outside, zero, rest), {}},
          {high, b.select(outside, zero, fraction), {}}};
}

/// input[image[r], c, y, x] at each point (r, c, bin, bin, point, point).
static Value buildRoiGather(RoiAlignOp op, Value image, Value y, Value x,
                            RankedTensorType type, TensorBuilder &b) {
  auto dim = [&](unsigned d) { return b.builder.getAffineDimExpr(d); };
  auto symbol = [&](unsigned s) { return b.builder.getAffineSymbolExpr(s); };
  AffineExpr zero = b.builder.getAffineConstantExpr(0);
  MLIRContext *context = b.builder.getContext();
  AffineMap maps[] = {
      AffineMap::get(6, 3, {symbol(0), dim(1), symbol(1), symbol(2)}, context),
      AffineMap::get(6, 0, {dim(0)}, context),
      AffineMap::get(6, 0, {dim(0), zero, dim(2), zero, dim(4), zero}, context),
      AffineMap::get(6, 0, {dim(0), zero, zero, dim(3), zero, dim(5)},
                     context)};
  return b.make<GatherOp>(type, op.getInput(), ValueRange{image, y, x},
                          b.builder.getAffineMapArrayAttr(maps));
}

static SmallVector<Value> expandRoiAlign(RoiAlignOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  if (type.getNumElements() == 0)
    return {b.splat(0, type)};
  auto x = getTensorType(op.getInput());
  auto points = int64_t(op.getPoints());
  SmallVector<int64_t> shape(type.getShape());
  shape.append({points, points});
  Value image = clamp(op.getImage(), 0, double(x.getDimSize(0) - 1), b);
  TapList dims[] = {buildRoiTaps(op, false, b), buildRoiTaps(op, true, b)};
  Value all;
  forEachChoice(dims, {}, [&](ArrayRef<Tap> taps) {
    Value part = buildRoiGather(op, image, taps[0].index, taps[1].index,
                                x.clone(shape), b);
    part = b.castToCompute(part);
    Type elementType = getTensorType(part).getElementType();
    for (const Tap &tap : taps)
      part = b.mul(part, b.broadcast(b.cast(tap.weight, elementType), shape,
                                     {0, 1, 2, 3, 4, 5}));
    if (!all)
      all = part;
    else
      all = op.getMaximum() ? b.max(all, part) : b.add(all, part);
  });
  Combiner combiner = op.getMaximum() ? Combiner::Max : Combiner::Add;
  Value result = b.reduce(combiner, all, {4, 5});
  if (!op.getMaximum())
    result = b.div(result, double(points * points));
  return {b.cast(result, type.getElementType())};
}

void fusec::fuse::populateExpandSampling(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<Expansion<GridSampleOp>>(context, expandGridSample);
  patterns.add<Expansion<RoiAlignOp>>(context, expandRoiAlign);
}
