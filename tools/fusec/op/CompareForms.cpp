// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec op test, in the child: an operator's function of elements against how
// the operator computes itself.
#include "dialects/TypeInfo.h"
#include "tools/fusec/op/Library.h"

#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <random>
#include <stdexcept>

namespace fusec::tool::op {

using operators::Answer;
using operators::byteSize;
using operators::Parameter;
using operators::TensorType;

void fillWithNumbers(llvm::MutableArrayRef<char> memory, const TypeInfo &type,
                     uint64_t seed) {
  std::mt19937_64 random(seed);
  size_t width = type.storageBytes();
  for (size_t at = 0; at + width <= memory.size(); at += width) {
    uint64_t bits = random() % 8;
    auto encode = [&](const llvm::fltSemantics &semantics) {
      llvm::APFloat number((double(random() % 33) - 16) / 8);
      bool isInexact = false;
      number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &isInexact);
      return number.bitcastToAPInt().getZExtValue();
    };
    switch (type.onnxCode) {
    case FUSEC_OP_F32:
      bits = encode(llvm::APFloat::IEEEsingle());
      break;
    case FUSEC_OP_F64:
      bits = encode(llvm::APFloat::IEEEdouble());
      break;
    case FUSEC_OP_F16:
      bits = encode(llvm::APFloat::IEEEhalf());
      break;
    case FUSEC_OP_BF16:
      bits = encode(llvm::APFloat::BFloat());
      break;
    case FUSEC_OP_BOOL:
      bits %= 2;
      break;
    }
    std::memcpy(memory.data() + at, &bits, width);
  }
}

using Bytes = std::vector<char>;

static Bytes compute(const fusec_op_form &form, AbiCall &call, Bytes &result) {
  call.tensors.back().data = result.data();
  void *state = nullptr;
  if (form.create(form.self, &call.call, &state))
    throw std::runtime_error(call.failure);
  const int32_t status = form.compute(form.self, state, &call.call);
  form.destroy(form.self, state);
  if (status)
    throw std::runtime_error(call.failure);
  return result;
}

namespace {
/// A type of floats: how its elements are read, and how far two results may be
/// apart that are rounded in different ways.
struct Floats {
  const llvm::fltSemantics *semantics;
  double tolerance;
};
} // namespace

static std::optional<Floats> getFloats(int onnxCode) {
  switch (onnxCode) {
  case FUSEC_OP_F32:
    return Floats{&llvm::APFloat::IEEEsingle(), 1e-5};
  case FUSEC_OP_F64:
    return Floats{&llvm::APFloat::IEEEdouble(), 1e-10};
  case FUSEC_OP_F16:
    return Floats{&llvm::APFloat::IEEEhalf(), 0x1p-9};
  case FUSEC_OP_BF16:
    return Floats{&llvm::APFloat::BFloat(), 0x1p-6};
  default:
    return std::nullopt;
  }
}

static double readFloat(const Floats &floats, const char *at, size_t width) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, width);
  return llvm::APFloat(*floats.semantics,
                       llvm::APInt(unsigned(width) * 8, bits))
      .convertToDouble();
}

static bool areClose(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= tolerance * std::max(1.0, std::fabs(b));
}

std::string findDifference(const fusec_op_desc &op, const fusec_op_form &form,
                           const fusec_op_form &scalar,
                           const std::vector<TensorType> &inputs,
                           const Answer &answer,
                           const std::vector<Parameter> &parameters,
                           uint64_t seed) {
  AbiCall call(inputs, answer.outputs, parameters, {});
  std::vector<Bytes> operands;
  for (size_t i = 0; i < inputs.size(); ++i) {
    Bytes &bytes = operands.emplace_back(*byteSize(inputs[i]));
    fillWithNumbers(bytes, *getTypeInfoForOnnx(int(call.tensors[i].dtype)),
                    seed + i);
    call.tensors[i].data = bytes.data();
  }
  const TypeInfo &type = *getTypeInfoForOnnx(int(call.tensors.back().dtype));
  const size_t width = type.storageBytes();
  const std::optional<Floats> floats = getFloats(type.onnxCode);
  Bytes memory(*byteSize(answer.outputs[0]));
  const Bytes expected = compute(form, call, memory);
  const Bytes given = compute(scalar, call, memory);
  for (size_t at = 0; at + width <= given.size(); at += width) {
    if (!std::memcmp(&given[at], &expected[at], width))
      continue;
    std::string how = "another integer than";
    if (floats) {
      const double a = readFloat(*floats, &given[at], width),
                   b = readFloat(*floats, &expected[at], width);
      if (areClose(a, b, floats->tolerance))
        continue;
      how = fmt::format("{:g} where compute gives {:g}, as", a, b);
    }
    return fmt::format(
        "its function {} gives {} element {} of {}{}", op.scalar->function, how,
        at / width, given.size() / width, floats ? "" : " that compute gives");
  }
  return "";
}

} // namespace fusec::tool::op
