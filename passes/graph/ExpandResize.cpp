// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Resizing, one dimension after the other: each position is a weighted sum of a
// few elements, and which ones with which weights is known here.
#include "passes/graph/ConstantData.h"
#include "passes/graph/ExpandComposites.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

namespace {
/// Position o of a resized dimension is the sum over t of weights[t][o] times
/// the element at indices[t][o].
struct Taps {
  int64_t dim;
  SmallVector<std::vector<int32_t>> indices;
  SmallVector<std::vector<double>> weights;
  /// Whether the coordinate of position o lies inside; empty if all do.
  std::vector<char> inside;

  bool isPick() const {
    return weights.size() == 1 &&
           llvm::all_of(weights[0], [](double w) { return w == 1; });
  }
};

/// One dimension of a resize.
class Dimension {
public:
  Dimension(ResizeOp op, int64_t dim)
      : op(op), dim(dim), from(getTensorType(op.getInput()).getDimSize(dim)),
        to(getTensorType(op.getResult()).getDimSize(dim)),
        length(op.getLengths()[dim]), scale(float(length / double(from))) {}

  bool isKept();
  Taps getTaps();

private:
  float getRoi(unsigned end) {
    return float((*op.getRoi())[end * op.getLengths().size() + dim]);
  }
  float getCoordinate(int64_t at);
  int64_t round(float coordinate);
  double getKernel(double distance);
  std::map<int64_t, double> getWeights(float coordinate);

  ResizeOp op;
  int64_t dim, from, to;
  double length;
  float scale;
};
} // namespace

bool Dimension::isKept() {
  bool isWhole = !op.getRoi() || (getRoi(0) == 0 && getRoi(1) == 1);
  return from == to && length == double(from) && isWhole;
}

/// The formulas of the operation, in its precision and order of steps.
float Dimension::getCoordinate(int64_t at) {
  auto o = float(at), n = float(from), m = float(to);
  switch (op.getCoordinates()) {
  case Coordinates::half_pixel:
    return (o + 0.5f) / scale - 0.5f;
  case Coordinates::half_pixel_symmetric:
    return n / 2 * (1 - m / float(length)) + (o + 0.5f) / scale - 0.5f;
  case Coordinates::pytorch_half_pixel:
    return to == 1 ? 0 : (o + 0.5f) / scale - 0.5f;
  case Coordinates::align_corners:
    return to == 1 ? 0 : o * (n - 1) / (m - 1);
  case Coordinates::asymmetric:
    return o / scale;
  case Coordinates::tf_half_pixel_for_nn:
    return (o + 0.5f) / scale;
  case Coordinates::tf_crop_and_resize: {
    float a = getRoi(0), b = getRoi(1);
    return to == 1 ? (a + b) / 2 * (n - 1)
                   : a * (n - 1) + o * (b - a) * (n - 1) / (m - 1);
  }
  }
  llvm_unreachable("unknown coordinates");
}

int64_t Dimension::round(float coordinate) {
  double below = std::floor(double(coordinate));
  double above = coordinate - below;
  bool isHalf = std::fabs(above - 0.5) <= 1e-6;
  auto low = int64_t(below);
  switch (op.getRounding()) {
  case NearestRounding::round_prefer_floor:
    return !isHalf && above > 0.5 ? low + 1 : low;
  case NearestRounding::round_prefer_ceil:
    return isHalf || above > 0.5 ? low + 1 : low;
  case NearestRounding::floor:
    return low;
  case NearestRounding::ceil:
    return above > 0 ? low + 1 : low;
  }
  llvm_unreachable("unknown rounding");
}

double Dimension::getKernel(double distance) {
  double t = std::fabs(distance);
  if (op.getMode() == SampleMode::linear)
    return std::max(0.0, 1 - t);
  double a = op.getCubicA().convertToDouble();
  if (t <= 1)
    return ((a + 2) * t - (a + 3)) * t * t + 1;
  return t < 2 ? ((a * t - 5 * a) * t + 8 * a) * t - 4 * a : 0;
}

/// The elements that make up the value at a coordinate, with their weights.
std::map<int64_t, double> Dimension::getWeights(float coordinate) {
  auto clamp = [&](int64_t at) { return std::clamp<int64_t>(at, 0, from - 1); };
  if (op.getMode() == SampleMode::nearest)
    return {{clamp(round(coordinate)), 1}};
  std::map<int64_t, double> weights;
  double stretch = op.getAntialias() ? std::min<double>(scale, 1) : 1;
  double radius = (op.getMode() == SampleMode::linear ? 1 : 2) / stretch;
  double total = 0;
  for (auto p = int64_t(std::ceil(coordinate - radius));
       double(p) <= coordinate + radius; ++p) {
    double weight = getKernel((double(p) - coordinate) * stretch);
    if (weight == 0 || (op.getExcludeOutside() && clamp(p) != p))
      continue;
    weights[clamp(p)] += weight;
    total += weight;
  }
  for (auto &entry : weights)
    entry.second /= total;
  return weights;
}

Taps Dimension::getTaps() {
  Taps taps{dim, {}, {}, {}};
  std::vector<std::map<int64_t, double>> positions;
  size_t most = 1;
  std::vector<char> inside(to, 1);
  for (int64_t o = 0; o < to; ++o) {
    float x = getCoordinate(o);
    bool crops = op.getCoordinates() == Coordinates::tf_crop_and_resize;
    // Written so that it holds for no NaN either.
    inside[o] = !crops || (x >= 0 && x <= float(from - 1));
    positions.push_back(getWeights(inside[o] ? x : 0));
    most = std::max(most, positions.back().size());
  }
  if (llvm::is_contained(inside, 0))
    taps.inside = std::move(inside);
  taps.indices.assign(most, std::vector<int32_t>(to));
  taps.weights.assign(most, std::vector<double>(to));
  for (auto [o, position] : llvm::enumerate(positions)) {
    size_t t = 0;
    for (auto [index, weight] : position) {
      taps.indices[t][o] = int32_t(index);
      taps.weights[t++][o] = weight;
    }
    // What has fewer elements takes its last one again, and none of it.
    for (; t < most && !position.empty(); ++t)
      taps.indices[t][o] = int32_t(position.rbegin()->first);
  }
  return taps;
}

//===- Building ----------------------------------------------------------===//

/// A constant of `shape` from numbers in memory.
template <typename T>
static Value buildConstant(ArrayRef<T> values, ArrayRef<int64_t> shape,
                           Type elementType, StringRef hint, TensorBuilder &b) {
  return createConstant(b.builder, b.loc,
                        RankedTensorType::get(shape, elementType),
                        {reinterpret_cast<const char *>(values.data()),
                         values.size() * sizeof(T)},
                        hint);
}

static Value buildWeights(ArrayRef<double> weights, ArrayRef<int64_t> shape,
                          Type elementType, TensorBuilder &b) {
  if (elementType.isF64())
    return buildConstant(weights, shape, elementType, "resize_weights", b);
  std::vector<float> narrow(weights.begin(), weights.end());
  return buildConstant<float>(narrow, shape, elementType, "resize_weights", b);
}

/// `value` with `shape` in place of dimension `dim`, whose elements `indices`
/// name.
static Value buildGather(Value value, int64_t dim, ArrayRef<int32_t> indices,
                         ArrayRef<int64_t> shape, TensorBuilder &b) {
  auto type = getTensorType(value);
  SmallVector<int64_t> result(type.getShape().take_front(dim));
  llvm::append_range(result, shape);
  llvm::append_range(result, type.getShape().drop_front(dim + 1));
  Value constant = buildConstant(indices, shape, b.builder.getI32Type(),
                                 "resize_indices", b);
  return b.make<GatherOp>(type.clone(result), value, constant, dim);
}

/// How many times each element of a dimension of `extent` is repeated, if
/// `indices` do nothing else; 0 if they do.
static int64_t getRepetition(ArrayRef<int32_t> indices, int64_t extent) {
  int64_t count = int64_t(indices.size()) / extent;
  for (auto [position, index] : llvm::enumerate(indices))
    if (count == 0 || index != int64_t(position) / count)
      return 0;
  return count * extent == int64_t(indices.size()) ? count : 0;
}

/// Repeats each element of the dimensions of `all`, of which there is one tap.
static Value buildRepeated(Value value, ArrayRef<Taps> all, TensorBuilder &b) {
  auto type = getTensorType(value);
  SmallVector<int64_t> split, dims, shape(type.getShape());
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    dims.push_back(int64_t(split.size()));
    split.push_back(extent);
    for (const Taps &taps : all)
      if (taps.dim == int64_t(dim)) {
        shape[dim] = int64_t(taps.indices[0].size());
        split.push_back(shape[dim] / extent);
      }
  }
  return b.reshape(b.broadcast(value, split, dims), shape);
}

/// The elements of a dimension that tap number `t` takes.
static Value buildTap(Value value, const Taps &taps, size_t t,
                      TensorBuilder &b) {
  ArrayRef<int32_t> indices(taps.indices[t]);
  return buildGather(value, taps.dim, indices, {int64_t(indices.size())}, b);
}

/// What weighted sums of `elementType` are computed in.
static Type getSumType(Type elementType) {
  return isa<FloatType>(elementType)
             ? getComputeType(elementType)
             : Float64Type::get(elementType.getContext());
}

// sum_t w_t[o] x[i_t[o]], written out.
static Value buildFewTaps(Value x, const Taps &taps, TensorBuilder &b) {
  Value sum;
  for (size_t t = 0; t < taps.weights.size(); ++t) {
    Value part = buildTap(x, taps, t, b);
    part = b.cast(part, getSumType(getTensorType(part).getElementType()));
    auto type = getTensorType(part);
    ArrayRef<double> weights(taps.weights[t]);
    if (llvm::all_equal(weights)) {
      part = b.mul(part, weights[0]);
    } else {
      Value vector = buildWeights(weights, {int64_t(weights.size())},
                                  type.getElementType(), b);
      part = b.mul(part, b.broadcast(vector, type.getShape(), {taps.dim}));
    }
    sum = sum ? b.add(sum, part) : part;
  }
  return sum;
}

// The same as a reduction over t.
static Value buildManyTaps(Value x, const Taps &taps, TensorBuilder &b) {
  int64_t count = taps.weights.size(), extent = taps.weights[0].size();
  std::vector<int32_t> indices;
  std::vector<double> weights;
  for (int64_t o = 0; o < extent; ++o)
    for (int64_t t = 0; t < count; ++t) {
      indices.push_back(taps.indices[t][o]);
      weights.push_back(taps.weights[t][o]);
    }
  Value parts = buildGather(x, taps.dim, indices, {extent, count}, b);
  parts = b.cast(parts, getSumType(getTensorType(parts).getElementType()));
  auto type = getTensorType(parts);
  Value matrix =
      buildWeights(weights, {extent, count}, type.getElementType(), b);
  parts = b.mul(parts,
                b.broadcast(matrix, type.getShape(), {taps.dim, taps.dim + 1}));
  return b.reduce(Combiner::Add, parts, {taps.dim + 1});
}

/// Wider integers need not be numbers of f64.
static constexpr unsigned kExactBits = 53;

/// Sums in f64 as integers: rounded, ties up, or cut off towards zero, and no
/// farther from where they are exact than f64 puts them.
static Value buildIntegers(Value sum, IntegerType to, bool rounds, bool clamps,
                           TensorBuilder &b) {
  constexpr double kNear = 1e-6;
  if (rounds) {
    sum = b.unary<FloorOp>(b.add(sum, 0.5 + kNear));
  } else {
    Value zero = b.splatLike(0, sum);
    Value isNegative = b.compare(CmpPredicate::lt, sum, zero);
    Value down = b.splatLike(-kNear, sum), up = b.splatLike(kNear, sum);
    sum = b.add(sum, b.select(isNegative, down, up));
  }
  if (clamps) {
    int bits = int(to.getWidth()) - (to.isUnsigned() ? 0 : 1);
    double end = std::ldexp(1, bits);
    double last = to.getWidth() > kExactBits ? std::nextafter(end, 0) : end - 1;
    sum = b.max(sum, to.isUnsigned() ? 0 : -end);
    sum = b.min(sum, last);
  }
  return b.cast(sum, to);
}

/// `value` where the coordinates of all dimensions lie inside.
static Value buildExtrapolation(Value value, ArrayRef<Taps> all, double outside,
                                TensorBuilder &b) {
  auto type = getTensorType(value);
  Value inside;
  for (const Taps &taps : all) {
    if (taps.inside.empty())
      continue;
    Value here = buildConstant<char>(taps.inside, {int64_t(taps.inside.size())},
                                     b.builder.getI1Type(), "resize_inside", b);
    here = b.broadcast(here, type.getShape(), {taps.dim});
    inside = inside ? b.binary<AndOp>(inside, here) : here;
  }
  return inside ? b.select(inside, value, b.splat(outside, type)) : value;
}

/// The most taps that are written out.
static constexpr size_t kMaxWritten = 4;

static SmallVector<Value> expandResize(ResizeOp op, TensorBuilder &b) {
  auto type = getTensorType(op.getResult());
  if (type.getNumElements() == 0)
    return {b.splat(0, type)};
  SmallVector<Taps> all, repeated;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (Dimension dimension(op, dim); !dimension.isKept())
      all.push_back(dimension.getTaps());
  // What shrinks most leaves the least to do for the others.
  ArrayRef<int64_t> from = getTensorType(op.getInput()).getShape();
  auto growth = [&](const Taps &taps) {
    return double(type.getDimSize(taps.dim)) / double(from[taps.dim]);
  };
  llvm::sort(all, [&](const Taps &a, const Taps &b) {
    return std::pair(growth(a), a.dim) < std::pair(growth(b), b.dim);
  });
  Value value = op.getInput();
  for (const Taps &taps : all) {
    if (!taps.isPick())
      value = taps.weights.size() <= kMaxWritten
                  ? buildFewTaps(value, taps, b)
                  : buildManyTaps(value, taps, b);
    else if (getRepetition(taps.indices[0], from[taps.dim]))
      repeated.push_back(taps);
    else
      value = buildTap(value, taps, 0, b);
  }
  if (!repeated.empty())
    value = buildRepeated(value, repeated, b);
  auto integer = dyn_cast<IntegerType>(type.getElementType());
  if (integer && getTensorType(value).getElementType() != integer)
    value = buildIntegers(value, integer, op.getAntialias(),
                          op.getMode() == SampleMode::cubic ||
                              integer.getWidth() > kExactBits,
                          b);
  value = b.cast(value, type.getElementType());
  return {buildExtrapolation(value, all,
                             op.getExtrapolation().convertToDouble(), b)};
}

void fusec::fuse::populateExpandResize(RewritePatternSet &patterns) {
  patterns.add<Expansion<ResizeOp>>(patterns.getContext(), expandResize);
}
