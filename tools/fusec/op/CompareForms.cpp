// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fusec op test, in the child: the numbers that operators are tested with, and
// what is the same up to rounding.
#include "dialects/TypeInfo.h"
#include "tools/fusec/op/Library.h"

#include "llvm/ADT/APFloat.h"
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <random>

namespace fusec::tool::op {

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

std::string findDifference(const TypeInfo &type, llvm::StringRef given,
                           llvm::StringRef expected, llvm::StringRef whose) {
  const size_t width = type.storageBytes();
  const std::optional<Floats> floats = getFloats(type.onnxCode);
  for (size_t at = 0; at + width <= given.size(); at += width) {
    if (given.substr(at, width) == expected.substr(at, width))
      continue;
    const std::string place =
        fmt::format("element {} of {}", at / width, given.size() / width);
    if (!floats)
      return fmt::format("gives another integer than {} that {} gives", place,
                         whose.str());
    const double a = readFloat(*floats, given.data() + at, width),
                 b = readFloat(*floats, expected.data() + at, width);
    if (!areClose(a, b, floats->tolerance))
      return fmt::format("gives {:g} where {} gives {:g}, as {}", a,
                         whose.str(), b, place);
  }
  return "";
}

} // namespace fusec::tool::op
