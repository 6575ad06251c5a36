// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fuse.resize, position by position from its definition: each result is a sum
// over all elements that have a weight along every dimension.
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Indexing.h"

using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::Error;

namespace fusec::ref {
namespace {

/// An element along one dimension and its share in a result.
struct Share {
  int64_t at;
  double weight;
};

/// What one position along a dimension is made of.
struct Position {
  std::vector<Share> shares;
  bool isInside = true;
};

/// x(o) of the definition.
float coordinateOf(ResizeOp op, size_t dim, float o, float n, float m) {
  auto s = float(op.getLengths()[dim] / double(n));
  float centred = (o + 0.5f) / s - 0.5f;
  switch (op.getCoordinates()) {
  case Coordinates::half_pixel:
    return centred;
  case Coordinates::half_pixel_symmetric: {
    float shift = n / 2 * (1 - m / float(op.getLengths()[dim]));
    return shift + (o + 0.5f) / s - 0.5f;
  }
  case Coordinates::pytorch_half_pixel:
    return m > 1 ? centred : 0.0f;
  case Coordinates::align_corners:
    return m > 1 ? o * (n - 1) / (m - 1) : 0.0f;
  case Coordinates::asymmetric:
    return o / s;
  case Coordinates::tf_half_pixel_for_nn:
    return (o + 0.5f) / s;
  case Coordinates::tf_crop_and_resize: {
    llvm::ArrayRef<double> roi = *op.getRoi();
    auto a = float(roi[dim]), b = float(roi[roi.size() / 2 + dim]);
    if (m == 1)
      return (a + b) / 2 * (n - 1);
    return a * (n - 1) + o * (b - a) * (n - 1) / (m - 1);
  }
  }
  llvm_unreachable("unknown coordinates");
}

/// The nearest position by the rule; halves and what is near go down or up.
double roundBy(NearestRounding rule, double x) {
  constexpr double kNear = 1e-6;
  double low = std::floor(x);
  switch (rule) {
  case NearestRounding::round_prefer_floor:
    return x > low + 0.5 + kNear ? low + 1 : low;
  case NearestRounding::round_prefer_ceil:
    return x >= low + 0.5 - kNear ? low + 1 : low;
  case NearestRounding::floor:
    return low;
  case NearestRounding::ceil:
    return x == low ? low : low + 1;
  }
  llvm_unreachable("unknown rounding");
}

double kernelOf(ResizeOp op, double t) {
  t = std::fabs(t);
  if (op.getMode() == SampleMode::linear)
    return t < 1 ? 1 - t : 0;
  double a = op.getCubicA().convertToDouble();
  double t2 = t * t, t3 = t2 * t;
  if (t <= 1)
    return (a + 2) * t3 - (a + 3) * t2 + 1;
  return t < 2 ? a * t3 - 5 * a * t2 + 8 * a * t - 4 * a : 0;
}

Position positionOf(ResizeOp op, size_t dim, int64_t o, int64_t n, int64_t m) {
  double x = coordinateOf(op, dim, float(o), float(n), float(m));
  double last = double(n - 1);
  if (op.getRoi() && !(x >= 0 && x <= last))
    return {{}, false};
  if (op.getMode() == SampleMode::nearest) {
    double at = std::min(std::max(roundBy(op.getRounding(), x), 0.0), last);
    return {{{int64_t(at), 1}}};
  }
  double stretch = 1;
  if (op.getAntialias())
    stretch = std::min<double>(float(op.getLengths()[dim] / double(n)), 1);
  // Every element that the kernel could reach, and those beyond the borders.
  auto reach = int64_t(2 / stretch) + 2;
  Position position;
  double total = 0;
  for (int64_t p = int64_t(std::floor(x)) - reach; double(p) <= x + reach;
       ++p) {
    bool isOutside = p < 0 || p >= n;
    if (isOutside && op.getExcludeOutside())
      continue;
    double weight = kernelOf(op, (double(p) - x) * stretch);
    if (weight != 0)
      position.shares.push_back(
          {std::min(std::max<int64_t>(p, 0), n - 1), weight});
    total += weight;
  }
  for (Share &share : position.shares)
    share.weight /= total;
  return position;
}

/// The positions along each dimension; one that is kept is read as it is.
std::vector<std::vector<Position>> positionsOf(ResizeOp op,
                                               llvm::ArrayRef<int64_t> from,
                                               llvm::ArrayRef<int64_t> to) {
  std::vector<std::vector<Position>> result(from.size());
  for (size_t dim = 0; dim < from.size(); ++dim) {
    bool isKept =
        from[dim] == to[dim] && op.getLengths()[dim] == double(from[dim]);
    if (op.getRoi())
      isKept &=
          (*op.getRoi())[dim] == 0 && (*op.getRoi())[from.size() + dim] == 1;
    for (int64_t o = 0; o < to[dim]; ++o)
      result[dim].push_back(isKept
                                ? Position{{{o, 1}}}
                                : positionOf(op, dim, o, from[dim], to[dim]));
  }
  return result;
}

/// Sum over all combinations of shares from dimension `dim` on.
double sumOf(llvm::ArrayRef<const Position *> positions,
             llvm::ArrayRef<int64_t> strides, const double *x) {
  if (positions.empty())
    return *x;
  double sum = 0;
  for (const Share &share : positions.front()->shares)
    sum += share.weight * sumOf(positions.drop_front(), strides.drop_front(),
                                x + share.at * strides.front());
  return sum;
}

/// An interpolated number as the bits of an integer of the result.
int64_t toInteger(ResizeOp op, double sum, const io::ElementTypeInfo &type) {
  constexpr double kNear = 1e-6;
  double number = op.getAntialias()
                      ? std::floor(sum + 0.5 + kNear)
                      : std::trunc(sum + std::copysign(kNear, sum));
  bool isUnsigned = type.name.front() == 'u';
  int bits = type.packedBits ? int(type.packedBits) : int(type.bytes) * 8;
  double end = std::ldexp(1, bits - (isUnsigned ? 0 : 1));
  double last = bits == 64 ? std::nextafter(end, 0) : end - 1;
  number = std::min(std::max(number, isUnsigned ? 0 : -end), last);
  return number < 0x1p63 ? int64_t(number) : int64_t(uint64_t(number));
}

Error evaluateResize(ResizeOp op, Evaluation &e) {
  const std::vector<int64_t> &from = e.operands[0]->shape;
  std::vector<int64_t> to = e.resultShape();
  auto all = positionsOf(op, from, to);
  std::vector<int64_t> strides = rowMajorStrides(from),
                       steps = rowMajorStrides(to);
  auto select = [&](int64_t i) {
    std::vector<const Position *> chosen;
    for (size_t d = 0; d < to.size(); ++d)
      chosen.push_back(&all[d][i / steps[d] % to[d]]);
    return chosen;
  };
  auto isOutside = [](const Position *position) { return !position->isInside; };
  double outside = op.getExtrapolation().convertToDouble();
  if (e.isFloat() || op.getMode() != SampleMode::nearest) {
    std::vector<double> x = e.load<double>(0), y;
    for (int64_t i = 0, end = product(to); i < end; ++i) {
      auto chosen = select(i);
      y.push_back(llvm::any_of(chosen, isOutside)
                      ? outside
                      : sumOf(chosen, strides, x.data()));
    }
    if (e.isFloat())
      return e.store(y);
    std::vector<int64_t> integers;
    for (double sum : y)
      integers.push_back(toInteger(op, sum, io::getInfo(e.resultType())));
    return e.store(integers);
  }
  std::vector<int64_t> x = e.load<int64_t>(0), y;
  for (int64_t i = 0, end = product(to); i < end; ++i) {
    auto chosen = select(i);
    int64_t offset = 0;
    bool isInside = llvm::none_of(chosen, isOutside);
    for (size_t d = 0; isInside && d < to.size(); ++d)
      offset += chosen[d]->shares[0].at * strides[d];
    y.push_back(isInside ? x[offset] : int64_t(outside));
  }
  return e.store(y);
}

} // namespace

void addResize(Registry &registry) {
  registry.add<ResizeOp>(OpClass::Reduction, evaluateResize);
}

} // namespace fusec::ref
