// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators with functions of blocks (blocks.cuh), and the same for CPUs.
#include "fusec/op.h"

#include <algorithm>
#include <cmath>

using namespace fusec::op;

static int64_t countRows(const std::vector<Tensor> &in, const Param &,
                         const std::vector<Tensor> &) {
  return in[0].shape()[0];
}

static float read(uint16_t bits, DType type) {
  uint32_t whole = uint32_t(bits) << 16;
  if (type == "float16") {
    const int exponent = bits >> 10 & 31, digits = bits & 1023;
    const float value = exponent
                            ? std::ldexp(float(1024 + digits), exponent - 25)
                            : std::ldexp(float(digits), -24);
    return bits >> 15 ? -value : value;
  }
  float value;
  std::memcpy(&value, &whole, sizeof(value));
  return value;
}

/// Of numbers from 0 to 1.
static uint16_t write(float value, DType type) {
  if (type == "float16") {
    int exponent = 0;
    std::frexp(value, &exponent);
    exponent = std::max(exponent, -13);
    const int digits = int(std::nearbyint(std::ldexp(value, 11 - exponent)));
    return uint16_t(((exponent + 13) << 10) + digits);
  }
  uint32_t whole;
  std::memcpy(&whole, &value, sizeof(value));
  return uint16_t((whole + 0x7fff + (whole >> 16 & 1)) >> 16);
}

static void softmax(const std::vector<Tensor> &in, const Param &params,
                    std::vector<Tensor> &out) {
  const DType type = in[0].dtype();
  const Shape shape = in[0].shape();
  const float scale = params["scale"];
  auto get = [&](int64_t i) {
    return scale * (type == "float32" ? in[0].data<float>()[i]
                                      : read(in[0].data<uint16_t>()[i], type));
  };
  for (int64_t row = 0; row < shape[0]; ++row) {
    const int64_t begin = row * shape[1], end = begin + shape[1];
    float most = -INFINITY;
    double sum = 0;
    for (int64_t i = begin; i < end; ++i)
      most = std::max(most, get(i));
    for (int64_t i = begin; i < end; ++i)
      sum += std::exp(double(get(i)) - most);
    for (int64_t i = begin; i < end; ++i) {
      const float value = float(std::exp(double(get(i)) - most) / sum);
      if (type == "float32")
        out[0].data<float>()[i] = value;
      else
        out[0].data<uint16_t>()[i] = write(value, type);
    }
  }
}

static void largest(const std::vector<Tensor> &in, const Param &,
                    std::vector<Tensor> &out) {
  const Shape shape = in[0].shape();
  for (int64_t row = 0; row < shape[0]; ++row) {
    const int32_t *x = in[0].data<int32_t>() + row * shape[1];
    const int32_t *best = std::max_element(x, x + shape[1]);
    out[0].data<int32_t>()[row] = *best;
    out[1].data<int64_t>()[row] = best - x;
  }
}

static void parameters(const std::vector<Tensor> &, const Param &params,
                       std::vector<Tensor> &out) {
  float sum = float(int64_t(params["first"]));
  for (double step : std::vector<double>(params["steps"]))
    sum += float(step);
  if (std::string(params["mode"]) == "negative")
    sum = -sum;
  if (bool(params["doubled"]))
    sum *= 2;
  for (int64_t i = 0; i < out[0].shape().elements(); ++i)
    out[0].data<float>()[i] += sum;
}

static void copy(const std::vector<Tensor> &in, const Param &,
                 std::vector<Tensor> &out) {
  std::copy_n(in[0].data<float>(), in[0].shape().elements(),
              out[0].data<float>());
}

FUSEC_OP(Softmax)
    .inputs(
        {Operand("x").types({"float32", "float16", "bfloat16"}).ranks(2, 2)})
    .outputs(1)
    .param("scale", 1.0)
    .compute("cpu", softmax)
    .block("blocks.cuh", "blocks::softmax",
           Grid().threads(128).blocks(countRows));

FUSEC_OP(Largest)
    .inputs({Operand("x").types({"int32"}).ranks(2, 2)})
    .outputs({"value", "place"})
    .shape([](const std::vector<Shape> &in, const Param &,
              std::vector<Shape> &out) { out[0] = out[1] = {in[0][0]}; })
    .dtype([](const std::vector<DType> &, const Param &,
              std::vector<DType> &out) {
      out[0] = "int32";
      out[1] = "int64";
    })
    .compute("cpu", largest)
    .block("blocks.cuh", "blocks::largest",
           Grid().threads(64).blocks(countRows).sharedBytes(64 * 8));

FUSEC_OP(Parameters)
    .inputs({Operand("x").types({"float32"})})
    .outputs({Operand("y").mustAlias(0)})
    .param("doubled", false)
    .param("first", 1)
    .param("steps", {0.5, 0.25})
    .param("mode", "positive")
    .workspace([](const std::vector<Tensor> &in, const Param &) {
      return in[0].device() == "cuda" ? in[0].shape().elements() * 4 : 0;
    })
    .compute("cpu", parameters)
    .block("blocks.cuh", "blocks::parameters");

// What the simulator has to find.
FUSEC_OP(Racy)
    .inputs(1)
    .outputs(1)
    .compute("cpu", copy)
    .block("blocks.cuh", "blocks::racy", Grid().threads(64).blocks(countRows));
FUSEC_OP(Overrun)
    .inputs(1)
    .outputs(1)
    .compute("cpu", copy)
    .block("blocks.cuh", "blocks::overrun",
           Grid().threads(64).blocks(countRows));
FUSEC_OP(Behind)
    .inputs(1)
    .outputs(1)
    .compute("cpu", copy)
    .block("blocks.cuh", "blocks::behind",
           Grid().threads(64).blocks(countRows).sharedBytes(256));

// What no GPU runs: as many blocks, threads and bytes as the parameters say.
FUSEC_OP(Wrong)
    .inputs(1)
    .outputs(1)
    .param("blocks", 1)
    .param("threads", 64)
    .param("bytes", 0)
    .compute("cpu", copy)
    .block("blocks.cuh", "blocks::racy",
           Grid()
               .blocks([](const std::vector<Tensor> &, const Param &params,
                          const std::vector<Tensor> &) -> int64_t {
                 return params["blocks"];
               })
               .threads([](const std::vector<Tensor> &, const Param &params,
                           const std::vector<Tensor> &) -> int64_t {
                 return params["threads"];
               })
               .sharedBytes([](const std::vector<Tensor> &, const Param &params,
                               const std::vector<Tensor> &) -> int64_t {
                 return params["bytes"];
               }));

// A GPU alone has it, and its function takes matrices only.
FUSEC_OP(Alone)
    .inputs(1)
    .outputs(1)
    .param("scale", 1.0)
    .block("blocks.cuh", "blocks::softmax",
           Grid().threads(128).blocks(countRows).supports(
               [](const std::vector<Tensor> &in, const Param &,
                  const std::vector<Tensor> &) {
                 return in[0].shape().rank() == 2;
               }));

// Both: the function where it takes the call, else what it launches.
static void launch(const std::vector<Tensor> &, const Param &,
                   std::vector<Tensor> &) {
  throw std::runtime_error("has been launched");
}
FUSEC_OP(Both)
    .inputs(1)
    .outputs(1)
    .param("scale", 1.0)
    .compute("cpu", softmax)
    .compute("cuda", launch)
    .block("blocks.cuh", "blocks::softmax",
           Grid().threads(128).blocks(countRows).supports(
               [](const std::vector<Tensor> &in, const Param &,
                  const std::vector<Tensor> &) {
                 return in[0].shape()[1] < 100;
               }));
