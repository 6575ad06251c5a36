// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// conv_transpose and the poolings that look at more than a sum or a maximum,
// point by point from their definitions.
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Indexing.h"

using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::Error;

namespace fusec::ref {
namespace {

/// Calls f(point) for every point of a box, in row-major order.
template <typename F> void forEachPoint(llvm::ArrayRef<int64_t> extents, F f) {
  std::vector<int64_t> strides = rowMajorStrides(extents),
                       point(extents.size());
  for (int64_t i = 0, e = product(extents); i < e; ++i) {
    for (size_t d = 0; d < extents.size(); ++d)
      point[d] = i / strides[d] % extents[d];
    f(point);
  }
}

/// Where one element of the input and one of the window meet in the output:
/// output offset and weight offset, within an image and within a filter.
struct Meeting {
  int64_t input, weight, output;
};

std::vector<Meeting> meetings(ConvTransposeOp op, llvm::ArrayRef<int64_t> in,
                              llvm::ArrayRef<int64_t> window,
                              llvm::ArrayRef<int64_t> out) {
  std::vector<Meeting> result;
  std::vector<int64_t> box(in.begin(), in.end());
  box.insert(box.end(), window.begin(), window.end());
  size_t rank = in.size();
  forEachPoint(box, [&](llvm::ArrayRef<int64_t> point) {
    Meeting m{0, 0, 0};
    for (size_t d = 0; d < rank; ++d) {
      int64_t position = point[d] * op.getStrides()[d] +
                         point[rank + d] * op.getDilations()[d] -
                         op.getPadLow()[d];
      if (position < 0 || position >= out[d])
        return;
      m.input = m.input * in[d] + point[d];
      m.weight = m.weight * window[d] + point[rank + d];
      m.output = m.output * out[d] + position;
    }
    result.push_back(m);
  });
  return result;
}

/// Scatters each input element times each filter; `bias` may be empty.
template <typename T>
std::vector<T> transposedConv(ConvTransposeOp op, Evaluation &e,
                              const std::vector<T> &x, const std::vector<T> &w,
                              const std::vector<T> &bias) {
  llvm::ArrayRef<int64_t> xs(e.operands[0]->shape), ws(e.operands[1]->shape);
  std::vector<int64_t> ys = e.resultShape();
  llvm::ArrayRef<int64_t> out = llvm::ArrayRef<int64_t>(ys).drop_front(2);
  std::vector<Meeting> pairs =
      meetings(op, xs.drop_front(2), ws.drop_front(2), out);
  int64_t image = product(xs.drop_front(2)), filter = product(ws.drop_front(2));
  int64_t size = product(out), perGroup = ws[1];
  int64_t channels = xs[1] / int64_t(op.getGroups());
  std::vector<T> y(product(ys));
  if (!bias.empty())
    for (size_t i = 0; i < y.size(); ++i)
      y[i] = bias[i / size % ys[1]];
  forEachPoint({xs[0], xs[1], perGroup}, [&](llvm::ArrayRef<int64_t> p) {
    int64_t o = p[1] / channels * perGroup + p[2];
    const T *from = &x[(p[0] * xs[1] + p[1]) * image];
    const T *by = &w[(p[1] * perGroup + p[2]) * filter];
    T *to = &y[(p[0] * ys[1] + o) * size];
    for (const Meeting &m : pairs)
      to[m.output] = to[m.output] + from[m.input] * by[m.weight];
  });
  return y;
}

std::vector<double> magnitudes(std::vector<double> values) {
  for (double &value : values)
    value = std::fabs(value);
  return values;
}

Error evaluateConvTranspose(ConvTransposeOp op, Evaluation &e) {
  if (!e.isFloat()) {
    auto bias = op.getBias() ? e.load<int64_t>(2) : std::vector<int64_t>();
    return e.store(
        transposedConv(op, e, e.load<int64_t>(0), e.load<int64_t>(1), bias));
  }
  std::vector<double> x = e.load<double>(0), w = e.load<double>(1);
  auto bias = op.getBias() ? e.load<double>(2) : std::vector<double>();
  if (e.wantsScale)
    e.scale =
        transposedConv(op, e, magnitudes(x), magnitudes(w), magnitudes(bias));
  return e.store(transposedConv(op, e, x, w, bias));
}

/// Calls f(slice, result index, offsets within the slice in row-major order)
/// for each window; elements outside the input are left out.
template <typename Op, typename F>
void forEachWindow(Op op, Evaluation &e, F f) {
  llvm::ArrayRef<int64_t> from(e.operands[0]->shape);
  std::vector<int64_t> shape = e.resultShape();
  size_t count = op.getSizes().size();
  llvm::ArrayRef<int64_t> in = from.take_back(count);
  llvm::ArrayRef<int64_t> out = llvm::ArrayRef<int64_t>(shape).take_back(count);
  std::vector<int64_t> strides = rowMajorStrides(in);
  int64_t next = 0;
  for (int64_t slice = 0; slice < product(from.drop_back(count)); ++slice)
    forEachPoint(out, [&](llvm::ArrayRef<int64_t> at) {
      Offsets offsets;
      forEachPoint(op.getSizes(), [&](llvm::ArrayRef<int64_t> w) {
        int64_t offset = 0;
        for (size_t d = 0; d < count; ++d) {
          int64_t position = at[d] * op.getStrides()[d] +
                             w[d] * op.getDilations()[d] - op.getPadLow()[d];
          if (position < 0 || position >= in[d])
            return;
          offset += position * strides[d];
        }
        offsets.push_back(offset);
      });
      f(slice, next++, offsets);
    });
}

Error evaluateLpPool(LpPoolOp op, Evaluation &e) {
  std::vector<double> x = e.load<double>(0), y(product(e.resultShape()));
  llvm::ArrayRef<int64_t> from(e.operands[0]->shape);
  int64_t size = product(from.take_back(op.getSizes().size()));
  auto p = double(op.getP());
  forEachWindow(op, e, [&](int64_t slice, int64_t at, const Offsets &offsets) {
    double sum = 0;
    for (int64_t offset : offsets)
      sum += std::pow(std::fabs(x[slice * size + offset]), p);
    y[at] = std::pow(sum, 1 / p);
  });
  return e.store(y);
}

/// The number of an element at row-major `offset` when the first dimension of
/// `shape` counts fastest.
int64_t columnMajor(int64_t offset, llvm::ArrayRef<int64_t> shape) {
  int64_t result = 0, step = 1;
  std::vector<int64_t> strides = rowMajorStrides(shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    result += offset / strides[d] % shape[d] * step;
    step *= shape[d];
  }
  return result;
}

template <typename T> Error maxPoolIndices(MaxPoolIndicesOp op, Evaluation &e) {
  std::vector<T> x = e.load<T>(0), y(product(e.resultShape()));
  std::vector<int64_t> indices(y.size());
  llvm::ArrayRef<int64_t> from(e.operands[0]->shape);
  llvm::ArrayRef<int64_t> in = from.drop_front(2);
  int64_t size = product(in);
  bool isEmpty = false;
  forEachWindow(op, e, [&](int64_t slice, int64_t at, const Offsets &offsets) {
    isEmpty |= offsets.empty();
    if (offsets.empty())
      return;
    const T *values = &x[slice * size];
    int64_t best = offsets[0];
    for (int64_t offset : offsets)
      if (values[offset] > values[best])
        best = offset;
    y[at] = values[best];
    indices[at] =
        slice * size + (op.getColumnMajor() ? columnMajor(best, in) : best);
  });
  if (isEmpty)
    return e.fail("has a window that lies outside the input");
  if (Error error = e.store(y, 0))
    return error;
  return e.store(indices, 1);
}

} // namespace

void addWindows(Registry &registry) {
  registry.add<ConvTransposeOp>(OpClass::Contraction, evaluateConvTranspose);
  registry.add<LpPoolOp>(OpClass::Reduction, evaluateLpPool);
  registry.add<MaxPoolIndicesOp>(
      OpClass::Exact, [](MaxPoolIndicesOp op, Evaluation &e) {
        return e.isFloat() ? maxPoolIndices<double>(op, e)
                           : maxPoolIndices<int64_t>(op, e);
      });
}

} // namespace fusec::ref
