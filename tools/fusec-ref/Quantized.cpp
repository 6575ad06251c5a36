// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quantised operations by their formulas. Sums are exact integers; scales are
// applied in the precision that the formulas state, f32 (f64 where the scale is
// one), because another one would round ties differently.
#include "tools/fusec-ref/Codes.h"
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Indexing.h"
#include "tools/fusec-ref/Numbers.h"

using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::Error;

namespace fusec::ref {
namespace {

/// For each element of `to`, the one that broadcasting reads of `from`.
Offsets repeated(const std::vector<int64_t> &from,
                 const std::vector<int64_t> &to) {
  std::vector<int64_t> strides = rowMajorStrides(from);
  std::vector<Offsets> lines;
  size_t skip = to.size() - from.size();
  for (size_t d = 0; d < to.size(); ++d)
    lines.push_back(
        line(to[d], d < skip || from[d - skip] == 1 ? 0 : strides[d - skip]));
  return combine(lines);
}

/// An operand as numbers that broadcast over `shape`.
template <typename T> struct Repeated {
  std::vector<T> values;
  Offsets at;

  Repeated(Evaluation &e, unsigned operand, const std::vector<int64_t> &shape)
      : values(e.load<T>(operand)),
        at(repeated(e.operands[operand]->shape, shape)) {}
  T operator[](size_t i) const { return values[at[i]]; }
};

struct CodeRange {
  double low, high;
};

CodeRange codesOf(io::ElementType type) {
  const io::ElementTypeInfo &info = io::getInfo(type);
  int bits = info.packedBits ? int(info.packedBits) : int(info.bytes) * 8;
  bool isSigned = type == io::ElementType::I8 || type == io::ElementType::I16 ||
                  type == io::ElementType::I32 || type == io::ElementType::I4 ||
                  type == io::ElementType::I2;
  if (isSigned)
    return {-std::ldexp(1, bits - 1), std::ldexp(1, bits - 1) - 1};
  return {0, std::ldexp(1, bits) - 1};
}

/// round(x) + zero, clamped.
double encode(double x, double zero, CodeRange range) {
  return std::min(std::max(std::nearbyint(x) + zero, range.low), range.high);
}

/// The largest number of a float type of 8, 6 or 4 bits.
double largestOf(io::ElementType type) {
  switch (type) {
  case io::ElementType::F8E4M3FN:
    return 448;
  case io::ElementType::F8E4M3FNUZ:
    return 240;
  case io::ElementType::F4E2M1FN:
    return 6;
  case io::ElementType::F6E2M3FN:
    return 7.5;
  case io::ElementType::F6E3M2FN:
    return 28;
  default: // of the two with 5 bits of exponent
    return 57344;
  }
}

Error evaluateQuantize(QuantizeOp op, Evaluation &e) {
  std::vector<int64_t> shape = e.resultShape();
  std::vector<double> x = e.load<double>(0), codes(x.size());
  Repeated<double> scale(e, 1, shape);
  bool isDouble = e.operands[1]->type == io::ElementType::F64;
  CodeRange range = codesOf(e.resultType());
  std::vector<double> zeros(x.size(), 0);
  if (op.getZeroPoint()) {
    Repeated<double> zero(e, 2, shape);
    for (size_t i = 0; i < zeros.size(); ++i)
      zeros[i] = zero[i];
  }
  for (size_t i = 0; i < x.size(); ++i) {
    double quotient =
        isDouble ? x[i] / scale[i] : double(float(x[i]) / float(scale[i]));
    if (op.getUnsaturated()) {
      codes[i] = quotient + zeros[i];
    } else if (io::isCoded(e.resultType())) {
      double largest = largestOf(e.resultType());
      codes[i] = minimum(maximum(quotient + zeros[i], -largest), largest);
    } else {
      codes[i] = encode(quotient, zeros[i], range);
    }
  }
  return e.store(codes);
}

Error evaluateDequantize(DequantizeOp op, Evaluation &e) {
  std::vector<int64_t> shape = e.resultShape();
  std::vector<double> x = e.load<double>(0); // Integers of 32 bits fit.
  Repeated<double> scale(e, 1, shape);
  if (op.getZeroPoint()) {
    Repeated<double> zero(e, 2, shape);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] -= zero[i];
  }
  std::vector<double> numbers(x.size());
  for (size_t i = 0; i < x.size(); ++i)
    numbers[i] = x[i] * scale[i];
  return e.store(numbers);
}

Error evaluateDynamicQuantize(DynamicQuantizeOp, Evaluation &e) {
  std::vector<double> x = e.load<double>(0), codes;
  RangeCodes range(x);
  for (double value : x)
    codes.push_back(range.encode(value));
  if (Error error = e.store(codes))
    return error;
  if (Error error = e.store(llvm::ArrayRef<double>(double(range.scale)), 1))
    return error;
  return e.store(llvm::ArrayRef<double>(range.zero), 2);
}

/// Operand `index` less its zero point, which is operand `zero` if that is one.
std::vector<int64_t> shifted(Evaluation &e, unsigned index, int zero) {
  std::vector<int64_t> values = e.load<int64_t>(index);
  if (zero < 0)
    return values;
  Repeated<int64_t> zeros(e, zero, e.operands[index]->shape);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] -= zeros[i];
  return values;
}

/// numpy.matmul, element by element.
std::vector<int64_t> matmul(const std::vector<int64_t> &lhs,
                            std::vector<int64_t> a,
                            const std::vector<int64_t> &rhs,
                            std::vector<int64_t> b,
                            std::vector<int64_t> result) {
  // A vector is a matrix whose added dimension the result lacks.
  if (b.size() == 1) {
    b.push_back(1);
    result.push_back(1);
  }
  if (a.size() == 1) {
    a.insert(a.begin(), 1);
    result.insert(result.end() - 1, 1);
  }
  int64_t m = a[a.size() - 2], k = a.back(), n = b.back();
  auto batchOf = [](const std::vector<int64_t> &shape) {
    return std::vector<int64_t>(shape.begin(), shape.end() - 2);
  };
  Offsets lhsBatch = repeated(batchOf(a), batchOf(result));
  Offsets rhsBatch = repeated(batchOf(b), batchOf(result));
  std::vector<int64_t> sums;
  for (size_t batch = 0; batch < lhsBatch.size(); ++batch)
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        int64_t sum = 0;
        for (int64_t p = 0; p < k; ++p)
          sum += lhs[(lhsBatch[batch] * m + i) * k + p] *
                 rhs[(rhsBatch[batch] * k + p) * n + j];
        sums.push_back(sum);
      }
  return sums;
}

/// The convolution of `x` with `w`, both less their zero points, element by
/// element.
template <typename Op>
std::vector<int64_t>
convolve(Op op, Evaluation &e, const std::vector<int64_t> &x,
         const std::vector<int64_t> &w, unsigned weightOperand) {
  const std::vector<int64_t> &xShape = e.operands[0]->shape;
  const std::vector<int64_t> &wShape = e.operands[weightOperand]->shape;
  std::vector<int64_t> y = e.resultShape(), xs = rowMajorStrides(xShape);
  int64_t perGroup = wShape[0] / int64_t(op.getGroups());
  int64_t window = product(llvm::ArrayRef(wShape).drop_front(2));
  int64_t positions = product(llvm::ArrayRef(y).drop_front(2));
  // Where each tap of each position lies in a channel, or kOutside.
  Offsets taps;
  for (int64_t p = 0; p < positions; ++p)
    for (int64_t t = 0; t < window; ++t) {
      int64_t offset = 0, restP = p, restT = t;
      for (size_t d = y.size(); d-- > 2;) {
        int64_t at = restP % y[d] * op.getStrides()[d - 2] +
                     restT % wShape[d] * op.getDilations()[d - 2] -
                     op.getPadLow()[d - 2];
        restP /= y[d];
        restT /= wShape[d];
        if (offset == kOutside || at < 0 || at >= xShape[d])
          offset = kOutside;
        else
          offset += at * xs[d];
      }
      taps.push_back(offset);
    }
  std::vector<int64_t> sums;
  for (int64_t n = 0; n < y[0]; ++n)
    for (int64_t o = 0; o < y[1]; ++o)
      for (int64_t p = 0; p < positions; ++p) {
        int64_t sum = 0;
        for (int64_t c = 0; c < wShape[1]; ++c) {
          int64_t channel = o / perGroup * wShape[1] + c;
          const int64_t *from = &x[n * xs[0] + channel * xs[1]];
          const int64_t *taken = &w[(o * wShape[1] + c) * window];
          for (int64_t t = 0; t < window; ++t)
            if (int64_t offset = taps[p * window + t]; offset != kOutside)
              sum += from[offset] * taken[t];
        }
        sums.push_back(sum);
      }
  return sums;
}

Error evaluateMatmulInteger(MatmulIntegerOp op, Evaluation &e) {
  int next = 2;
  int lhsZero = op.getLhsZero() ? next++ : -1;
  int rhsZero = op.getRhsZero() ? next++ : -1;
  return e.store(matmul(shifted(e, 0, lhsZero), e.operands[0]->shape,
                        shifted(e, 1, rhsZero), e.operands[1]->shape,
                        e.resultShape()));
}

Error evaluateConvInteger(ConvIntegerOp op, Evaluation &e) {
  int next = 2;
  int inputZero = op.getInputZero() ? next++ : -1;
  int weightZero = op.getWeightZero() ? next++ : -1;
  return e.store(
      convolve(op, e, shifted(e, 0, inputZero), shifted(e, 1, weightZero), 1));
}

/// Codes of `sums`; lhs, rhs, result are f32 scales that broadcast over them.
template <typename Scale>
Error requantize(Evaluation &e, const std::vector<int64_t> &sums, Scale scale,
                 unsigned zeroOperand) {
  Repeated<double> zero(e, zeroOperand, e.resultShape());
  CodeRange range = codesOf(e.resultType());
  std::vector<double> codes(sums.size());
  for (size_t i = 0; i < sums.size(); ++i)
    codes[i] = encode(float(int32_t(sums[i])) * scale(i), zero[i], range);
  return e.store(codes);
}

Error evaluateQLinearMatmul(QLinearMatmulOp, Evaluation &e) {
  std::vector<int64_t> shape = e.resultShape();
  std::vector<int64_t> sums =
      matmul(shifted(e, 0, 2), e.operands[0]->shape, shifted(e, 3, 5),
             e.operands[3]->shape, shape);
  Repeated<double> a(e, 1, shape), b(e, 4, shape), y(e, 6, shape);
  return requantize(
      e, sums,
      [&](size_t i) { return float(a[i]) * float(b[i]) / float(y[i]); }, 7);
}

Error evaluateQLinearConv(QLinearConvOp op, Evaluation &e) {
  std::vector<int64_t> shape = e.resultShape();
  std::vector<int64_t> sums =
      convolve(op, e, shifted(e, 0, 2), shifted(e, 3, 5), 3);
  std::vector<int64_t> strides = rowMajorStrides(shape);
  auto channelOf = [&](size_t i) { return int64_t(i) / strides[1] % shape[1]; };
  if (op.getBias()) {
    std::vector<int64_t> bias = e.load<int64_t>(8);
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += bias[channelOf(i)];
  }
  Repeated<double> x(e, 1, shape), y(e, 6, shape);
  std::vector<double> w = e.load<double>(4);
  auto scale = [&](size_t i) {
    double weight = w.size() == 1 ? w[0] : w[channelOf(i)];
    return float(x[i]) * float(weight) / float(y[i]);
  };
  return requantize(e, sums, scale, 7);
}

} // namespace

void addQuantized(Registry &registry) {
  registry.add<QuantizeOp>(OpClass::Exact, evaluateQuantize);
  registry.add<DequantizeOp>(OpClass::Elementwise, evaluateDequantize);
  registry.add<DynamicQuantizeOp>(OpClass::Elementwise,
                                  evaluateDynamicQuantize);
  registry.add<MatmulIntegerOp>(OpClass::Exact, evaluateMatmulInteger);
  registry.add<ConvIntegerOp>(OpClass::Exact, evaluateConvInteger);
  registry.add<QLinearMatmulOp>(OpClass::Exact, evaluateQLinearMatmul);
  registry.add<QLinearConvOp>(OpClass::Exact, evaluateQLinearConv);
}

} // namespace fusec::ref
