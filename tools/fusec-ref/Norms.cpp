// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norms over groups, windows and single axes, and hardmax.
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Indexing.h"

using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::Error;

namespace fusec::ref {
namespace {

struct Moments {
  double mean, variance;
};

/// Of the elements at start + along[...].
Moments moments(const std::vector<double> &values, int64_t start,
                const Offsets &along) {
  double sum = 0, squares = 0, count = double(along.size());
  for (int64_t offset : along)
    sum += values[start + offset];
  double mean = sum / count;
  for (int64_t offset : along)
    squares +=
        (values[start + offset] - mean) * (values[start + offset] - mean);
  return {mean, squares / count};
}

/// Calls f(start, along) for each set of elements that differ in `dims` only.
template <typename F>
void forEachRow(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims,
                F f) {
  Offsets along = offsetsAlong(shape, dims);
  for (int64_t start : offsetsAlong(shape, otherDims(shape.size(), dims)))
    f(start, along);
}

Error evaluateGroupNorm(GroupNormOp op, Evaluation &e) {
  std::vector<double> x = e.load<double>(0);
  std::vector<double> scale = e.load<double>(1), bias = e.load<double>(2);
  std::vector<int64_t> shape = e.resultShape();
  double epsilon = op.getEpsilon().convertToDouble();
  int64_t inner = rowMajorStrides(shape)[1];
  int64_t perGroup = shape[1] / int64_t(op.getGroups()) * inner;
  Offsets along = line(perGroup, 1);
  for (int64_t start = 0; start < int64_t(x.size()); start += perGroup) {
    Moments m = moments(x, start, along);
    for (int64_t i = start; i < start + perGroup; ++i) {
      int64_t channel = i / inner % shape[1];
      x[i] =
          (x[i] - m.mean) / std::sqrt(m.variance + epsilon) * scale[channel] +
          bias[channel];
    }
  }
  return e.store(x);
}

Error evaluateRmsNorm(RmsNormOp op, Evaluation &e) {
  std::vector<double> x = e.load<double>(0), scale = e.load<double>(1);
  auto inner = int64_t(scale.size());
  for (int64_t start = 0; start < int64_t(x.size()); start += inner) {
    double squares = 0;
    for (int64_t i = 0; i < inner; ++i)
      squares += x[start + i] * x[start + i];
    double root =
        std::sqrt(squares / double(inner) + op.getEpsilon().convertToDouble());
    for (int64_t i = 0; i < inner; ++i)
      x[start + i] = x[start + i] / root * scale[i];
  }
  return e.store(x);
}

Error evaluateMeanVarianceNorm(MeanVarianceNormOp op, Evaluation &e) {
  std::vector<double> x = e.load<double>(0);
  double epsilon = op.getEpsilon().convertToDouble();
  forEachRow(e.resultShape(), op.getDims(),
             [&](int64_t start, const Offsets &along) {
               Moments m = moments(x, start, along);
               for (int64_t offset : along)
                 x[start + offset] = (x[start + offset] - m.mean) /
                                     (std::sqrt(m.variance) + epsilon);
             });
  return e.store(x);
}

Error evaluateLpNorm(LpNormOp op, Evaluation &e) {
  std::vector<double> x = e.load<double>(0);
  auto p = double(op.getP());
  forEachRow(e.resultShape(), {int64_t(op.getAxis())},
             [&](int64_t start, const Offsets &along) {
               double sum = 0;
               for (int64_t offset : along)
                 sum += std::pow(std::fabs(x[start + offset]), p);
               double norm = std::pow(sum, 1 / p);
               for (int64_t offset : along)
                 x[start + offset] = norm == 0 ? 0 : x[start + offset] / norm;
             });
  return e.store(x);
}

Error evaluateLocalResponseNorm(LocalResponseNormOp op, Evaluation &e) {
  std::vector<double> x = e.load<double>(0), y(x.size());
  std::vector<int64_t> shape = e.resultShape();
  int64_t inner = rowMajorStrides(shape)[1], size = op.getSize();
  double alpha = op.getAlpha().convertToDouble() / double(size);
  double beta = op.getBeta().convertToDouble();
  for (int64_t i = 0; i < int64_t(x.size()); ++i) {
    int64_t channel = i / inner % shape[1];
    double sum = 0;
    int64_t first = std::max<int64_t>(0, channel - (size - 1) / 2);
    int64_t last = std::min(shape[1] - 1, channel + size / 2);
    for (int64_t c = first; c <= last; ++c) {
      double value = x[i + (c - channel) * inner];
      sum += value * value;
    }
    y[i] = x[i] / std::pow(op.getBias().convertToDouble() + alpha * sum, beta);
  }
  return e.store(y);
}

Error evaluateHardmax(HardmaxOp op, Evaluation &e) {
  std::vector<double> x = e.load<double>(0), y(x.size());
  forEachRow(e.resultShape(), {int64_t(op.getAxis())},
             [&](int64_t start, const Offsets &along) {
               if (along.empty())
                 return;
               int64_t best = along[0];
               for (int64_t offset : along)
                 if (x[start + offset] > x[start + best])
                   best = offset;
               y[start + best] = 1;
             });
  return e.store(y);
}

} // namespace

void addNorms(Registry &registry) {
  registry.add<GroupNormOp>(OpClass::Reduction, evaluateGroupNorm);
  registry.add<RmsNormOp>(OpClass::Reduction, evaluateRmsNorm);
  registry.add<MeanVarianceNormOp>(OpClass::Reduction,
                                   evaluateMeanVarianceNorm);
  registry.add<LpNormOp>(OpClass::Reduction, evaluateLpNorm);
  registry.add<LocalResponseNormOp>(OpClass::Reduction,
                                    evaluateLocalResponseNorm);
  registry.add<HardmaxOp>(OpClass::Reduction, evaluateHardmax);
}

} // namespace fusec::ref
