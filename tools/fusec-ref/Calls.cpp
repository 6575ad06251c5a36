// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Routines of the library, each from the definition of its operator, in the
// plainest way: whole lines are sorted, every point is visited.
#include "dialects/library/Declared.h"
#include "tools/fusec-ref/Contract.h"
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Indexing.h"
#include "tools/fusec-ref/Numbers.h"

#include <algorithm>
#include <numeric>

using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::ArrayRef;
using llvm::Error;
using llvm::StringRef;

namespace fusec::ref {
namespace {

int64_t intOf(CallOp op, StringRef name) {
  return op.getParameters().getAs<mlir::IntegerAttr>(name).getInt();
}
bool flagOf(CallOp op, StringRef name) {
  return op.getParameters().getAs<mlir::BoolAttr>(name).getValue();
}

/// Order of elements: NaN is above all numbers, 64-bit unsigned integers lie in
/// signed ones.
struct Less {
  bool isUnsigned;

  bool operator()(double a, double b) const {
    return std::isnan(b) ? !std::isnan(a) : a < b;
  }
  bool operator()(int64_t a, int64_t b) const {
    return isUnsigned ? uint64_t(a) < uint64_t(b) : a < b;
  }
};

Less lessOf(Evaluation &e) {
  return {e.operands[0]->type == io::ElementType::U64};
}

Error evaluateTopK(CallOp op, Evaluation &e) {
  return e.withNumber([&](auto zero) -> Error {
    using T = decltype(zero);
    std::vector<T> values = e.load<T>(0);
    const std::vector<int64_t> &shape = e.operands[0]->shape;
    int64_t axis = intOf(op, "axis");
    int64_t k = e.resultShape()[axis];
    Less less = lessOf(e);
    std::vector<int64_t> others = otherDims(shape.size(), {axis});
    std::vector<int64_t> indices(product(e.resultShape()));
    std::vector<T> best(indices.size());
    Offsets lines = offsetsAlong(shape, others),
            starts = offsetsAlong(e.resultShape(), others);
    int64_t step = rowMajorStrides(shape)[axis],
            resultStep = rowMajorStrides(e.resultShape())[axis];
    for (auto [line, start] : llvm::zip_equal(lines, starts)) {
      std::vector<int64_t> order(shape[axis]);
      std::iota(order.begin(), order.end(), 0);
      auto at = [&, line = line](int64_t i) { return values[line + i * step]; };
      bool largest = flagOf(op, "largest");
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        T x = at(largest ? b : a), y = at(largest ? a : b);
        return less(x, y) || (!less(y, x) && a < b);
      });
      for (int64_t i = 0; i < k; ++i) {
        best[start + i * resultStep] = at(order[i]);
        indices[start + i * resultStep] = order[i];
      }
    }
    if (Error error = e.store(ArrayRef<T>(best), 0))
      return error;
    return e.store(ArrayRef<int64_t>(indices), 1);
  });
}

/// `old` after an update.
template <typename T>
T updated(StringRef reduction, T old, T update, const Less &less) {
  if (reduction == "none")
    return update;
  if (reduction == "add")
    return add(old, update);
  if (reduction == "mul")
    return multiply(old, update);
  if (old != old || update != update) // NaN
    return old + update;
  return less(old, update) == (reduction == "max") ? update : old;
}

/// Updates the elements at `targets`, one after the other, each rounded to
/// their type; kOutside: none.
Error scatter(CallOp op, Evaluation &e, const Offsets &targets) {
  StringRef reduction =
      op.getParameters().getAs<mlir::StringAttr>("reduction").getValue();
  return e.withNumber([&](auto zero) -> Error {
    using T = decltype(zero);
    std::vector<T> result = e.load<T>(0), updates = e.load<T>(2);
    Less less = lessOf(e);
    for (auto [target, update] : llvm::zip_equal(targets, updates))
      if (target != kOutside) {
        result[target] = updated(reduction, result[target], update, less);
        if constexpr (std::is_same_v<T, double>)
          result[target] = io::roundTo(e.operands[0]->type, result[target]);
      }
    return e.store(ArrayRef<T>(result));
  });
}

/// Adds coordinate `index` of a dimension to an offset.
void step(int64_t &offset, int64_t index, int64_t extent, int64_t stride) {
  if (index < 0)
    index += extent;
  if (index < 0 || index >= extent)
    offset = kOutside;
  else if (offset != kOutside)
    offset += index * stride;
}

Error evaluateScatterElements(CallOp op, Evaluation &e) {
  const std::vector<int64_t> &shape = e.operands[0]->shape,
                             &counts = e.operands[1]->shape;
  std::vector<int64_t> strides = rowMajorStrides(shape),
                       places = rowMajorStrides(counts);
  std::vector<int64_t> indices = e.load<int64_t>(1);
  Offsets targets(indices.size(), 0);
  for (size_t p = 0; p < indices.size(); ++p)
    for (size_t d = 0; d < shape.size(); ++d)
      step(targets[p],
           int64_t(d) == intOf(op, "axis") ? indices[p]
                                           : int64_t(p) / places[d] % counts[d],
           shape[d], strides[d]);
  return scatter(op, e, targets);
}

Error evaluateScatterNd(CallOp op, Evaluation &e) {
  const std::vector<int64_t> &shape = e.operands[0]->shape;
  std::vector<int64_t> strides = rowMajorStrides(shape);
  std::vector<int64_t> indices = e.load<int64_t>(1);
  size_t depth = e.operands[1]->shape.back();
  int64_t slice = product(ArrayRef<int64_t>(shape).drop_front(depth));
  Offsets targets;
  for (size_t s = 0; s < indices.size(); s += depth) {
    int64_t start = 0;
    for (size_t d = 0; d < depth; ++d)
      step(start, indices[s + d], shape[d], strides[d]);
    for (int64_t i = 0; i < slice; ++i)
      targets.push_back(start == kOutside ? kOutside : start + i);
  }
  return scatter(op, e, targets);
}

/// A box as its lower and upper corner, exactly.
struct Box {
  double low[2], high[2];

  Box(const double *at, bool isCenter) {
    for (int d = 0; d < 2; ++d) {
      double a = at[d], b = at[d + 2];
      low[d] = isCenter ? a - b / 2 : std::min(a, b);
      high[d] = isCenter ? a + b / 2 : std::max(a, b);
    }
  }
  static double area(const double (&low)[2], const double (&high)[2]) {
    return std::max(high[0] - low[0], 0.0) * std::max(high[1] - low[1], 0.0);
  }
  /// Intersection over union.
  double overlap(const Box &other) const {
    double from[2], to[2];
    for (int d = 0; d < 2; ++d) {
      from[d] = std::max(low[d], other.low[d]);
      to[d] = std::min(high[d], other.high[d]);
    }
    double shared = area(from, to), own = area(low, high),
           its = area(other.low, other.high);
    return shared > 0 && own > 0 && its > 0 ? shared / (own + its - shared) : 0;
  }
};

Error evaluateSuppression(CallOp op, Evaluation &e) {
  std::vector<double> boxes = e.load<double>(0), scores = e.load<double>(1);
  int64_t limit = e.load<int64_t>(2)[0];
  double most = e.load<double>(3)[0], least = e.load<double>(4)[0];
  ArrayRef<int64_t> shape = e.operands[1]->shape;
  std::vector<int64_t> rows;
  for (int64_t line = 0; line < shape[0] * shape[1]; ++line) {
    // The best box that is left, again and again.
    std::vector<int64_t> left, kept;
    const double *score = scores.data() + line * shape[2];
    auto boxOf = [&](int64_t i) {
      return Box(&boxes[(line / shape[1] * shape[2] + i) * 4],
                 flagOf(op, "center_point_box"));
    };
    for (int64_t i = 0; i < shape[2]; ++i)
      if (score[i] > least)
        left.push_back(i);
    while (!left.empty() && int64_t(kept.size()) < limit) {
      int64_t best = *std::max_element(
          left.begin(), left.end(),
          [&](int64_t a, int64_t b) { return score[a] < score[b]; });
      kept.push_back(best);
      llvm::erase_if(left, [&](int64_t i) {
        return i == best || boxOf(i).overlap(boxOf(best)) > most;
      });
    }
    for (int64_t i : kept)
      rows.insert(rows.end(), {line / shape[1], line % shape[1], i});
  }
  rows.resize(product(e.resultShape()), -1);
  return e.store(ArrayRef<int64_t>(rows));
}

/// The two neighbours, with their weights, of a point that lies on a dimension
/// of extent `n`.
using Neighbours =
    std::pair<std::pair<int64_t, double>, std::pair<int64_t, double>>;

Neighbours neighboursOf(double at, int64_t n) {
  at = std::clamp(at, 0.0, double(n - 1));
  int64_t below(at);
  return {{below, double(below) + 1 - at},
          {std::min(below + 1, n - 1), at - double(below)}};
}

/// The points of a bin along a dimension, of which there may be millions, and
/// those on the image.
struct BinPoints {
  double count = 0;
  std::vector<Neighbours> onImage;
};

/// The points of a region along a dimension, for each bin. F is the type that
/// a kernel has the corners in: how many points there are, and whether one on
/// the border counts, depends on it.
template <typename F>
std::vector<BinPoints> alignedPoints(double low, double high, int64_t bins,
                                     int64_t n, bool isHalf) {
  std::vector<BinPoints> result(bins);
  F begin = F(low) - F(isHalf ? 0.5 : 0), end = F(high) - F(isHalf ? 0.5 : 0);
  F size = end - begin;
  if (!std::isfinite(size))
    return result;
  size = isHalf ? size : std::max(size, F(1));
  F width = size / F(bins), count = std::ceil(width);
  if (count > std::pow(2, 31) || count <= 0)
    return result;
  for (int64_t b = 0; b < bins; ++b) {
    F origin = begin + F(b) * width;
    result[b].count = double(count);
    // Some more than can lie on the image on either side.
    double perPixel = double(count) / double(width);
    double first = std::max((-4.0 - double(origin)) * perPixel, 0.0);
    double last =
        std::min((double(n) + 4 - double(origin)) * perPixel, double(count));
    for (double i = std::floor(first); i < last; ++i)
      if (F at = origin + (F(i) + F(0.5)) * width / count;
          at >= -1 && at <= F(n))
        result[b].onImage.push_back(neighboursOf(double(at), n));
  }
  return result;
}

/// The mean or maximum of what a bin's points are made of.
double alignedBin(const BinPoints &ys, const BinPoints &xs, const double *image,
                  int64_t width, bool isMaximum) {
  if (ys.count == 0 || xs.count == 0)
    return 0;
  // The others count as 0.
  bool allInside = double(ys.onImage.size()) == ys.count &&
                   double(xs.onImage.size()) == xs.count;
  double sum = 0, most = allInside ? -INFINITY : 0;
  for (const Neighbours &y : ys.onImage)
    for (const Neighbours &x : xs.onImage)
      for (auto row : {y.first, y.second})
        for (auto column : {x.first, x.second}) {
          double element = image[row.first * width + column.first];
          double part = row.second * column.second * element;
          sum += part;
          most = maximum(most, part);
        }
  return isMaximum ? most : sum / ys.count / xs.count;
}

template <typename F> Error evaluateRoiAlignAs(CallOp op, Evaluation &e) {
  std::vector<double> input = e.load<double>(0), corners = e.load<double>(1);
  std::vector<int64_t> images = e.load<int64_t>(2), to = e.resultShape();
  const std::vector<int64_t> &from = e.operands[0]->shape;
  bool isHalf = flagOf(op, "half_pixel");
  std::vector<double> result;
  for (int64_t r = 0; r < (product(to) ? to[0] : 0); ++r) {
    const double *at = &corners[r * 4];
    auto ys = alignedPoints<F>(at[1], at[3], to[2], from[2], isHalf),
         xs = alignedPoints<F>(at[0], at[2], to[3], from[3], isHalf);
    int64_t image = std::clamp<int64_t>(images[r], 0, from[0] - 1);
    for (int64_t c = 0; c < to[1]; ++c)
      for (const auto &y : ys)
        for (const auto &x : xs)
          result.push_back(
              alignedBin(y, x, &input[(image * to[1] + c) * from[2] * from[3]],
                         from[3], flagOf(op, "maximum")));
  }
  return e.store(result);
}

Error evaluateRoiAlign(CallOp op, Evaluation &e) {
  return e.operands[1]->type == io::ElementType::F64
             ? evaluateRoiAlignAs<double>(op, e)
             : evaluateRoiAlignAs<float>(op, e);
}

/// Whether element `at` belongs to bin `b` of a region from `low` to `high`.
template <typename F>
bool isInBin(int64_t at, double low, double high, int64_t b, int64_t bins) {
  double first = std::round(low),
         size = std::max(std::round(high) - first + 1, 1.0);
  if (!std::isfinite(low) || !std::isfinite(high) || !std::isfinite(F(size)))
    return false;
  F width = F(size) / F(bins);
  return double(at) - first >= std::floor(F(b) * width) &&
         double(at) - first < std::ceil(F(b + 1) * width);
}

template <typename F> Error evaluateMaxRoiPoolAs(CallOp op, Evaluation &e) {
  std::vector<double> input = e.load<double>(0), regions = e.load<double>(1);
  std::vector<int64_t> to = e.resultShape();
  const std::vector<int64_t> &from = e.operands[0]->shape;
  std::vector<double> result(product(to));
  for (size_t i = 0; i < result.size(); ++i) {
    int64_t at = int64_t(i), x = at % to[3], y = at / to[3] % to[2],
            c = at / to[3] / to[2] % to[1], r = at / to[3] / to[2] / to[1];
    const double *region = &regions[r * 5];
    double named = std::isnan(region[0]) ? 0 : region[0];
    auto image = int64_t(std::clamp(named, 0.0, double(from[0] - 1)));
    double most = -INFINITY;
    bool isEmpty = true;
    for (int64_t row = 0; row < from[2]; ++row)
      for (int64_t column = 0; column < from[3]; ++column)
        if (isInBin<F>(row, region[2], region[4], y, to[2]) &&
            isInBin<F>(column, region[1], region[3], x, to[3])) {
          int64_t plane = (image * from[1] + c) * from[2];
          most = maximum(most, input[(plane + row) * from[3] + column]);
          isEmpty = false;
        }
    result[i] = isEmpty ? 0 : most;
  }
  return e.store(result);
}

Error evaluateMaxRoiPool(CallOp op, Evaluation &e) {
  return e.operands[1]->type == io::ElementType::F64
             ? evaluateMaxRoiPoolAs<double>(op, e)
             : evaluateMaxRoiPoolAs<float>(op, e);
}

/// A contraction by its terms, "mk,kn->mn": a loop for each letter, which sums
/// where the result lacks it.
Error evaluateProduct(CallOp op, Evaluation &e) {
  auto [operands, of] =
      op.getParameters().getAs<mlir::StringAttr>("terms").getValue().split(
          "->");
  auto [left, right] = operands.split(',');
  std::vector<Iterator> iterators;
  std::string letters;
  auto visit = [&](StringRef term, int64_t Iterator::*step,
                   const std::vector<int64_t> &shape) {
    for (auto [letter, extent, stride] :
         llvm::zip_equal(term, shape, rowMajorStrides(shape))) {
      size_t number = letters.find(letter);
      if (number == letters.npos) {
        number = letters.size();
        letters += letter;
        iterators.push_back({extent, 0, 0, 0, true});
      }
      iterators[number].*step = stride;
      iterators[number].reduces &= step != &Iterator::result;
    }
  };
  visit(of, &Iterator::result, e.resultShape());
  visit(left, &Iterator::lhs, e.operands[0]->shape);
  visit(right, &Iterator::rhs, e.operands[1]->shape);
  std::vector<double> x = e.load<double>(0), w = e.load<double>(1),
                      sums(product(e.resultShape()));
  contract(iterators, x.data(), w.data(), sums.data());
  return e.store(sums);
}

Error evaluateCall(CallOp op, Evaluation &e) {
  if (library::isDeclared(op.getCallee()))
    return evaluateUserOperator(op, e);
  RoutineEvaluator evaluate = Registry::get().findRoutine(op.getCallee());
  return evaluate ? evaluate(op, e)
                  : e.fail("of @" + op.getCallee() + " has no evaluator");
}

} // namespace

void addCalls(Registry &registry) {
  registry.add<CallOp>(OpClass::Reduction, evaluateCall);
  registry.add<MapOp>(OpClass::Reduction, evaluateMap);
  registry.addRoutine("max_roi_pool", evaluateMaxRoiPool);
  registry.addRoutine("non_max_suppression", evaluateSuppression);
  registry.addRoutine("onednn_gemm", evaluateProduct);
  registry.addRoutine("openblas_gemm", evaluateProduct);
  registry.addRoutine("roi_align", evaluateRoiAlign);
  registry.addRoutine("scatter_elements", evaluateScatterElements);
  registry.addRoutine("scatter_nd", evaluateScatterNd);
  registry.addRoutine("top_k", evaluateTopK);
}

} // namespace fusec::ref
