// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// contract, matmul, gemm and conv: each states its loops and strides, and one
// kernel (Contract.h) sums.
#include "tools/fusec-ref/Contract.h"
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Indexing.h"
#include "tools/fusec-ref/Numbers.h"

#include <cstring>

using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::Error;

namespace fusec::ref {
namespace {

std::vector<double> contractNumbers(const std::vector<Iterator> &iterators,
                                    const std::vector<double> &lhs,
                                    const std::vector<double> &rhs,
                                    int64_t count) {
  std::vector<double> sums(count);
  contract(iterators, lhs.data(), rhs.data(), sums.data());
  return sums;
}

std::vector<int64_t> contractNumbers(const std::vector<Iterator> &iterators,
                                     const std::vector<int64_t> &lhs,
                                     const std::vector<int64_t> &rhs,
                                     int64_t count) {
  std::vector<int64_t> sums(count);
  // The unsigned type of the same width may alias it.
  contract(iterators, reinterpret_cast<const uint64_t *>(lhs.data()),
           reinterpret_cast<const uint64_t *>(rhs.data()),
           reinterpret_cast<uint64_t *>(sums.data()));
  return sums;
}

template <typename T> std::vector<T> magnitudes(std::vector<T> values) {
  for (T &value : values)
    value = value < 0 ? subtract(T(0), value) : value;
  return values;
}

/// Sums lhs * rhs along `iterators`, passes the sums through `finish` and
/// stores them. `finish` also sees the sums of |products|, with every addend by
/// its magnitude, where those are wanted: finish(sums, isMagnitude).
template <typename T, typename Finish>
Error storeContraction(Evaluation &e, const std::vector<Iterator> &iterators,
                       const std::vector<T> &lhs, const std::vector<T> &rhs,
                       Finish finish) {
  int64_t count = product(e.resultShape());
  std::vector<T> sums = contractNumbers(iterators, lhs, rhs, count);
  finish(sums, false);
  if (e.wantsScale && e.isFloat()) {
    std::vector<T> scale =
        contractNumbers(iterators, magnitudes(lhs), magnitudes(rhs), count);
    finish(scale, true);
    e.scale.assign(scale.begin(), scale.end());
  }
  return e.store(sums);
}

constexpr auto kNothing = [](auto &, bool) {};

Error evaluateContract(ContractOp op, Evaluation &e) {
  std::vector<Iterator> iterators;
  auto visit = [&](unsigned tensor, int64_t Iterator::*step,
                   const std::vector<int64_t> &shape) {
    auto map = llvm::cast<mlir::AffineMapAttr>(op.getMaps()[tensor]).getValue();
    iterators.resize(map.getNumDims(), Iterator{1, 0, 0, 0, true});
    std::vector<int64_t> strides = rowMajorStrides(shape);
    for (unsigned i = 0; i < map.getNumResults(); ++i) {
      Iterator &iterator = iterators[map.getDimPosition(i)];
      iterator.extent = shape[i];
      iterator.*step = strides[i];
      if (tensor == 2)
        iterator.reduces = false;
    }
  };
  visit(0, &Iterator::lhs, e.operands[0]->shape);
  visit(1, &Iterator::rhs, e.operands[1]->shape);
  visit(2, &Iterator::result, e.resultShape());
  return e.withNumber([&](auto zero) {
    using T = decltype(zero);
    return storeContraction(e, iterators, e.load<T>(0), e.load<T>(1), kNothing);
  });
}

Error evaluateMatmul(MatmulOp, Evaluation &e) {
  const std::vector<int64_t> &a = e.operands[0]->shape;
  const std::vector<int64_t> &b = e.operands[1]->shape;
  std::vector<int64_t> as = rowMajorStrides(a), bs = rowMajorStrides(b);
  std::vector<int64_t> y = e.resultShape(), ys = rowMajorStrides(y);
  bool isRow = a.size() == 1, isColumn = b.size() == 1; // vectors
  size_t batchRank = y.size() - !isRow - !isColumn;

  // A leading dimension is aligned to the right; extent 1 repeats.
  auto batchStride = [&](const std::vector<int64_t> &shape,
                         const std::vector<int64_t> &strides, size_t i) {
    size_t own = shape.size() < 2 ? 0 : shape.size() - 2;
    size_t skip = batchRank - own;
    return i < skip || shape[i - skip] == 1 ? 0 : strides[i - skip];
  };
  std::vector<Iterator> iterators;
  for (size_t i = 0; i < batchRank; ++i)
    iterators.push_back(
        {y[i], batchStride(a, as, i), batchStride(b, bs, i), ys[i], false});
  if (!isRow)
    iterators.push_back(
        {a[a.size() - 2], as[a.size() - 2], 0, ys[batchRank], false});
  if (!isColumn)
    iterators.push_back({b.back(), 0, bs.back(), ys.back(), false});
  iterators.push_back(
      {a.back(), as.back(), isColumn ? bs[0] : bs[b.size() - 2], 0, true});
  return e.withNumber([&](auto zero) {
    using T = decltype(zero);
    return storeContraction(e, iterators, e.load<T>(0), e.load<T>(1), kNothing);
  });
}

/// `factor * value`; integers take part as such if the factor is whole.
double scaleBy(double factor, double value) { return factor * value; }
int64_t scaleBy(double factor, int64_t value) {
  if (factor == std::nearbyint(factor))
    return multiply(static_cast<int64_t>(factor), value);
  return static_cast<int64_t>(factor * static_cast<double>(value));
}

Error evaluateGemm(GemmOp op, Evaluation &e) {
  std::vector<int64_t> as = rowMajorStrides(e.operands[0]->shape);
  std::vector<int64_t> bs = rowMajorStrides(e.operands[1]->shape);
  std::vector<int64_t> y = e.resultShape();
  bool ta = op.getTransLhs(), tb = op.getTransRhs();
  std::vector<Iterator> iterators = {
      {y[0], as[ta], 0, y[1], false},
      {y[1], 0, bs[!tb], 1, false},
      {e.operands[0]->shape[!ta], as[!ta], bs[tb], 0, true}};
  double alpha = op.getAlpha().convertToDouble();
  double beta = op.getBeta().convertToDouble();

  Offsets biasAt;
  if (op.getBias()) {
    std::vector<int64_t> shape = e.operands[2]->shape;
    shape.insert(shape.begin(), 2 - shape.size(), 1);
    biasAt = combine({line(y[0], shape[0] == 1 ? 0 : shape[1]),
                      line(y[1], shape[1] == 1 ? 0 : 1)});
  }
  return e.withNumber([&](auto zero) {
    using T = decltype(zero);
    std::vector<T> bias;
    if (op.getBias())
      bias = e.load<T>(2);
    auto finish = [&](std::vector<T> &sums, bool isMagnitude) {
      for (size_t i = 0; i < sums.size(); ++i) {
        T scaled = scaleBy(isMagnitude ? std::fabs(alpha) : alpha, sums[i]);
        T addend = bias.empty() ? T(0) : scaleBy(beta, bias[biasAt[i]]);
        if (isMagnitude && addend < 0)
          addend = subtract(T(0), addend);
        sums[i] = add(scaled, addend);
      }
    };
    return storeContraction(e, iterators, e.load<T>(0), e.load<T>(1), finish);
  });
}

/// The convolution's input with exactly the margins that its windows read.
template <typename T> struct PaddedInput {
  std::vector<int64_t> shape;
  std::vector<T> values;
};

template <typename T>
PaddedInput<T> padInput(ConvOp op, Evaluation &e,
                        const std::vector<int64_t> &window,
                        const std::vector<int64_t> &result) {
  const std::vector<int64_t> &from = e.operands[0]->shape;
  std::vector<int64_t> strides = rowMajorStrides(from);
  PaddedInput<T> padded{from, {}};
  std::vector<Offsets> lines = {line(from[0], strides[0]),
                                line(from[1], strides[1])};
  for (size_t i = 2; i < from.size(); ++i) {
    size_t s = i - 2;
    int64_t extent = std::max<int64_t>(result[i] - 1, 0) * op.getStrides()[s] +
                     (window[i] - 1) * op.getDilations()[s] + 1;
    Offsets offsets;
    for (int64_t at = 0; at < extent; ++at) {
      int64_t position = at - op.getPadLow()[s];
      offsets.push_back(position < 0 || position >= from[i]
                            ? kOutside
                            : position * strides[i]);
    }
    padded.shape[i] = extent;
    lines.push_back(std::move(offsets));
  }
  std::vector<T> values = e.load<T>(0);
  for (int64_t offset : combine(lines))
    padded.values.push_back(offset == kOutside ? T(0) : values[offset]);
  return padded;
}

Error evaluateConv(ConvOp op, Evaluation &e) {
  return e.withNumber([&](auto zero) {
    using T = decltype(zero);
    const std::vector<int64_t> &w = e.operands[1]->shape;
    std::vector<int64_t> y = e.resultShape(), ys = rowMajorStrides(y);
    PaddedInput<T> input = padInput<T>(op, e, w, y);
    std::vector<int64_t> xs = rowMajorStrides(input.shape);
    std::vector<int64_t> ws = rowMajorStrides(w);
    int64_t groups = op.getGroups(), perGroup = w[0] / groups;

    // lhs is the weight, rhs the padded input.
    std::vector<Iterator> iterators = {
        {groups, perGroup * ws[0], w[1] * xs[1], perGroup * ys[1], false},
        {perGroup, ws[0], 0, ys[1], false},
        {y[0], 0, xs[0], ys[0], false},
        {w[1], ws[1], xs[1], 0, true}};
    for (size_t i = 2; i < w.size(); ++i) {
      iterators.push_back(
          {y[i], 0, op.getStrides()[i - 2] * xs[i], ys[i], false});
      iterators.push_back(
          {w[i], ws[i], op.getDilations()[i - 2] * xs[i], 0, true});
    }
    std::vector<T> bias;
    if (op.getBias())
      bias = e.load<T>(2);
    auto finish = [&](std::vector<T> &sums, bool isMagnitude) {
      if (bias.empty())
        return;
      for (size_t i = 0; i < sums.size(); ++i) {
        T addend = bias[i / ys[1] % y[1]];
        sums[i] =
            add(sums[i],
                isMagnitude && addend < 0 ? subtract(T(0), addend) : addend);
      }
    };
    return storeContraction(e, iterators, e.load<T>(1), input.values, finish);
  });
}

} // namespace

void addContractions(Registry &registry) {
  registry.add<ContractOp>(OpClass::Contraction, evaluateContract);
  registry.add<MatmulOp>(OpClass::Contraction, evaluateMatmul);
  registry.add<GemmOp>(OpClass::Contraction, evaluateGemm);
  registry.add<ConvOp>(OpClass::Contraction, evaluateConv);
}

} // namespace fusec::ref
