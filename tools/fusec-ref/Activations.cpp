// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Composites that map each element by a formula with scalar parameters.
#include "tools/fusec-ref/Evaluator.h"
#include "tools/fusec-ref/Numbers.h"

using namespace fusec::fuse;
using fusec::io::OpClass;
using llvm::Error;

namespace fusec::ref {
namespace {

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// log(1 + exp(x)) without overflow for large x, exact for very negative x.
double softplus(double x) {
  return maximum(x, 0.0) + std::log1p(std::exp(-std::fabs(x)));
}

double gelu(double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }

double geluTanh(double x) {
  const double pi = std::acos(-1.0);
  return x / 2 *
         (1 + std::tanh(std::sqrt(2 / pi) * (x + 0.044715 * x * x * x)));
}

double clamp01(double x) { return maximum(0.0, minimum(1.0, x)); }

/// Registers an activation: `bind(op)` gives the function of one element.
template <typename Op, typename Bind>
void addActivation(Registry &registry, Bind bind) {
  registry.add<Op>(OpClass::Elementwise, [bind](Op op, Evaluation &e) -> Error {
    if (!e.isFloat())
      return e.fail("has no form for integers");
    auto f = bind(op);
    std::vector<double> values = e.load<double>(0);
    for (double &value : values)
      value = f(value);
    return e.store(values);
  });
}

Error evaluateRelu(ReluOp, Evaluation &e) {
  return e.withNumber([&](auto zero) {
    auto values = e.load<decltype(zero)>(0);
    for (auto &value : values)
      value = maximum(value, zero);
    return e.store(values);
  });
}

Error evaluatePRelu(PReluOp, Evaluation &e) {
  return e.withNumber([&](auto zero) {
    auto values = e.load<decltype(zero)>(0), slope = e.load<decltype(zero)>(1);
    for (size_t i = 0; i < values.size(); ++i)
      if (values[i] < 0)
        values[i] = multiply(values[i], slope[i]);
    return e.store(values);
  });
}

Error evaluateClip(ClipOp op, Evaluation &e) {
  return e.withNumber([&](auto zero) {
    using T = decltype(zero);
    std::vector<T> values = e.load<T>(0);
    // The order of u64 is that of int64_t with the highest bit flipped.
    auto flipOrder = [&](T number) -> T {
      if constexpr (std::is_same_v<T, int64_t>)
        return e.resultType() == io::ElementType::U64 ? number ^ INT64_MIN
                                                      : number;
      return number;
    };
    for (T &value : values)
      value = flipOrder(value);
    if (op.getLow()) {
      T low = flipOrder(e.load<T>(1)[0]);
      for (T &value : values)
        value = maximum(value, low);
    }
    if (op.getHigh()) {
      T high = flipOrder(e.load<T>(op.getLow() ? 2 : 1)[0]);
      for (T &value : values)
        value = minimum(value, high);
    }
    for (T &value : values)
      value = flipOrder(value);
    return e.store(values);
  });
}

double number(const llvm::APFloat &value) { return value.convertToDouble(); }

} // namespace

void addActivations(Registry &registry) {
  registry.add<ReluOp>(OpClass::Exact, evaluateRelu);
  registry.add<PReluOp>(OpClass::Elementwise, evaluatePRelu);
  registry.add<ClipOp>(OpClass::Exact, evaluateClip);
  addActivation<LeakyReluOp>(registry, [](LeakyReluOp op) {
    return [a = number(op.getAlpha())](double x) { return x < 0 ? a * x : x; };
  });
  addActivation<EluOp>(registry, [](EluOp op) {
    return [a = number(op.getAlpha())](double x) {
      return x < 0 ? a * std::expm1(x) : x;
    };
  });
  addActivation<SeluOp>(registry, [](SeluOp op) {
    return [a = number(op.getAlpha()), g = number(op.getGamma())](double x) {
      return g * (x <= 0 ? a * std::expm1(x) : x);
    };
  });
  addActivation<CeluOp>(registry, [](CeluOp op) {
    return [a = number(op.getAlpha())](double x) {
      return maximum(x, 0.0) + minimum(0.0, a * std::expm1(x / a));
    };
  });
  addActivation<SigmoidOp>(registry, [](SigmoidOp) { return sigmoid; });
  addActivation<HardSigmoidOp>(registry, [](HardSigmoidOp op) {
    return [a = number(op.getAlpha()), b = number(op.getBeta())](double x) {
      return clamp01(a * x + b);
    };
  });
  addActivation<HardSwishOp>(registry, [](HardSwishOp) {
    return [](double x) { return x * clamp01(x / 6 + 0.5); };
  });
  addActivation<SwishOp>(registry, [](SwishOp op) {
    return [a = number(op.getAlpha())](double x) { return x * sigmoid(a * x); };
  });
  addActivation<MishOp>(registry, [](MishOp) {
    return [](double x) { return x * std::tanh(softplus(x)); };
  });
  addActivation<SoftplusOp>(registry, [](SoftplusOp) { return softplus; });
  addActivation<SoftsignOp>(registry, [](SoftsignOp) {
    return [](double x) { return x / (1 + std::fabs(x)); };
  });
  addActivation<ThresholdedReluOp>(registry, [](ThresholdedReluOp op) {
    // NaN is no more than alpha and becomes 0, as in ONNX's definition.
    return [a = number(op.getAlpha())](double x) { return x > a ? x : 0; };
  });
  addActivation<ShrinkOp>(registry, [](ShrinkOp op) {
    return [l = number(op.getLambda()), b = number(op.getBias())](double x) {
      return x < -l ? x + b : x > l ? x - b : 0;
    };
  });
  addActivation<ReciprocalOp>(
      registry, [](ReciprocalOp) { return [](double x) { return 1 / x; }; });
  addActivation<GeluOp>(
      registry, [](GeluOp op) { return op.getTanh() ? geluTanh : gelu; });
}

} // namespace fusec::ref
