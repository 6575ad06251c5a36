// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fuse.grid_sample and fuse.roi_align, point by point from their definitions.
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Indexing.h"

using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::Error;

namespace fusec::ref {
namespace {

/// An element along one dimension, -1 for one that counts as 0, and its weight.
struct Share {
  int64_t at;
  double weight;
};
using Shares = std::vector<Share>;

/// x mirrored at `low` and `high` until it lies between them.
double mirror(double x, double low, double high) {
  if (low == high)
    return low;
  double period = 2 * (high - low);
  double t = std::fmod(x - low, period);
  if (t < 0)
    t += period;
  return low + (t > period / 2 ? period - t : t);
}

/// Keys' kernel with A = -3/4, or the triangle.
double kernelOf(SampleMode mode, double t) {
  t = std::fabs(t);
  if (mode == SampleMode::linear)
    return t < 1 ? 1 - t : 0;
  double a = -0.75;
  if (t <= 1)
    return (a + 2) * t * t * t - (a + 3) * t * t + 1;
  return t < 2 ? a * t * t * t - 5 * a * t * t + 8 * a * t - 4 * a : 0;
}

/// The elements of a dimension of extent `n` that the number `g` of a grid
/// stands for.
Shares sharesOf(GridSampleOp op, double g, int64_t n) {
  bool corners = op.getAlignCorners();
  double low = corners ? 0 : -0.5, last = double(n - 1);
  double high = corners ? last : last + 0.5;
  double x = corners ? (g + 1) / 2 * last : ((g + 1) * double(n) - 1) / 2;
  // What a kernel computes: ties of `nearest` depend on it.
  if (op.getGrid().getType().getElementType().isF32())
    x = corners ? (float(g) + 1.0f) / 2 * float(last)
                : ((float(g) + 1.0f) * float(n) - 1) / 2;
  bool isNearest = op.getMode() == SampleMode::nearest;
  if (isNearest)
    x = std::nearbyint(x);
  if (op.getPadding() != GridPadding::reflection)
    x = std::min(std::max(x, -9.0), last + 9); // all the same from there on
  else if (x < low || x > high)
    x = mirror(x, low, high);
  Shares shares;
  int64_t reach = isNearest ? 0 : 2;
  if (std::isnan(x))
    return {{-1, 1}};
  double first = std::floor(x);
  for (double p = first - double(reach); p <= first + double(reach); ++p) {
    double weight = isNearest ? 1 : kernelOf(op.getMode(), p - x);
    if (weight == 0)
      continue;
    double at = p;
    if (op.getPadding() == GridPadding::border)
      at = std::min(std::max(at, 0.0), last);
    else if (op.getPadding() == GridPadding::reflection)
      at = std::trunc(mirror(at, low, high));
    shares.push_back({at < 0 || at > last ? -1 : int64_t(at), weight});
  }
  return shares;
}

/// Sum over all combinations of shares.
double sumOf(llvm::ArrayRef<Shares> dims, llvm::ArrayRef<int64_t> strides,
             const double *x) {
  if (dims.empty())
    return *x;
  double sum = 0;
  for (const Share &share : dims.front())
    if (share.at >= 0)
      sum += share.weight * sumOf(dims.drop_front(), strides.drop_front(),
                                  x + share.at * strides.front());
  return sum;
}

Error evaluateGridSample(GridSampleOp op, Evaluation &e) {
  if (!io::isFloat(e.operands[0]->type))
    return e.fail("samples integers");
  std::vector<double> x = e.load<double>(0), grid = e.load<double>(1);
  llvm::ArrayRef<int64_t> from(e.operands[0]->shape);
  std::vector<int64_t> to = e.resultShape(), strides = rowMajorStrides(from);
  llvm::ArrayRef<int64_t> in = from.drop_front(2);
  int64_t images = product(to) == 0 ? 0 : to[0], channels = to[1];
  int64_t count = int64_t(in.size());
  int64_t positions = product(llvm::ArrayRef<int64_t>(to).drop_front(2));
  std::vector<double> y(product(to));
  for (int64_t n = 0; n < images; ++n)
    for (int64_t o = 0; o < positions; ++o) {
      std::vector<Shares> dims;
      const double *point = &grid[(n * positions + o) * count];
      for (int64_t d = 0; d < count; ++d)
        dims.push_back(sharesOf(op, point[count - 1 - d], in[d]));
      for (int64_t c = 0; c < channels; ++c) {
        int64_t image = n * channels + c;
        y[image * positions + o] =
            sumOf(dims, llvm::ArrayRef<int64_t>(strides).drop_front(2),
                  &x[image * strides[1]]);
      }
    }
  return e.store(y);
}

//===- roi_align ---------------------------------------------------------===//

/// The two elements around a point of a region; none if it lies outside.
Shares sharesOf(double at, int64_t n) {
  if (at < -1 || at > double(n))
    return {{0, 0}};
  at = std::min(std::max(at, 0.0), double(n - 1));
  double low = std::floor(at);
  return {{int64_t(low), 1 - (at - low)},
          {std::min(int64_t(low) + 1, n - 1), at - low}};
}

/// The points of one region along a dimension, bin by bin.
std::vector<Shares> pointsOf(RoiAlignOp op, double begin, double end,
                             int64_t bins, int64_t n) {
  double scale = op.getScale().convertToDouble();
  double shift = op.getHalfPixel() ? 0.5 : 0;
  double start = begin * scale - shift, size = end * scale - shift - start;
  if (!op.getHalfPixel())
    size = std::max(size, 1.0);
  auto points = int64_t(op.getPoints());
  double bin = size / double(bins);
  std::vector<Shares> result;
  for (int64_t b = 0; b < bins; ++b)
    for (int64_t i = 0; i < points; ++i)
      result.push_back(sharesOf(start + double(b) * bin +
                                    (double(i) + 0.5) * bin / double(points),
                                n));
  return result;
}

/// The mean or the maximum of one bin; `ys` and `xs` are its points.
double poolBin(RoiAlignOp op, llvm::ArrayRef<Shares> ys,
               llvm::ArrayRef<Shares> xs, const double *image, int64_t width) {
  double sum = 0, most = -INFINITY;
  for (const Shares &y : ys)
    for (const Shares &x : xs)
      for (Share row : y)
        for (Share column : x) {
          double value =
              row.weight * column.weight * image[row.at * width + column.at];
          sum += value;
          most = std::max(most, value);
        }
  return op.getMaximum() ? most : sum / double(ys.size() * xs.size());
}

Error evaluateRoiAlign(RoiAlignOp op, Evaluation &e) {
  std::vector<double> input = e.load<double>(0), rois = e.load<double>(1);
  std::vector<int64_t> images = e.load<int64_t>(2), to = e.resultShape();
  llvm::ArrayRef<int64_t> from(e.operands[0]->shape);
  int64_t points = op.getPoints(), size = from[2] * from[3];
  std::vector<double> result;
  for (int64_t r = 0; r < to[0]; ++r) {
    if (images[r] < 0 || images[r] >= from[0])
      return e.fail("names an image that is not there");
    auto ys = pointsOf(op, rois[r * 4 + 1], rois[r * 4 + 3], to[2], from[2]);
    auto xs = pointsOf(op, rois[r * 4], rois[r * 4 + 2], to[3], from[3]);
    for (int64_t c = 0; c < to[1]; ++c)
      for (int64_t by = 0; by < to[2]; ++by)
        for (int64_t bx = 0; bx < to[3]; ++bx)
          result.push_back(
              poolBin(op, llvm::ArrayRef(ys).slice(by * points, points),
                      llvm::ArrayRef(xs).slice(bx * points, points),
                      &input[(images[r] * to[1] + c) * size], from[3]));
  }
  return e.store(result);
}

} // namespace

void addSampling(Registry &registry) {
  registry.add<GridSampleOp>(OpClass::Reduction, evaluateGridSample);
  registry.add<RoiAlignOp>(OpClass::Reduction, evaluateRoiAlign);
}

} // namespace fusec::ref
