// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/io/ElementValue.h"

#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>

namespace fusec::io {
namespace {

/// A 16-bit float with `Mantissa` stored bits and the exponents of IEEE 754.
template <int Mantissa> struct Small {
  static constexpr int kExponentBits = 15 - Mantissa;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  uint16_t bits = 0;

  Small() = default;
  explicit Small(double value) {
    uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    uint16_t infinity = ((1 << kExponentBits) - 1) << Mantissa;
    if (std::isnan(value)) {
      bits = sign | infinity | (1 << (Mantissa - 1));
      return;
    }
    if (std::isinf(value) || value == 0) { // frexp has no exponent for them.
      bits = sign | (value == 0 ? 0 : infinity);
      return;
    }
    int exponent = 0;
    std::frexp(value, &exponent); // value = [0.5, 1) * 2^exponent
    int lowest = 1 - kBias;
    exponent = std::max(exponent - 1, lowest);
    // The multiple of the last place; a carry out of the mantissa moves on
    // into the exponent field by itself.
    auto units = static_cast<uint32_t>(
        std::nearbyint(std::ldexp(std::fabs(value), Mantissa - exponent)));
    uint32_t field =
        units + (static_cast<uint32_t>(exponent - lowest) << Mantissa);
    bits = sign | static_cast<uint16_t>(std::min<uint32_t>(field, infinity));
  }
  explicit operator double() const {
    int field = (bits & 0x7fff) >> Mantissa;
    int mantissa = bits & ((1 << Mantissa) - 1);
    double magnitude;
    if (field == (1 << kExponentBits) - 1)
      magnitude = mantissa ? std::numeric_limits<double>::quiet_NaN()
                           : std::numeric_limits<double>::infinity();
    else if (field == 0)
      magnitude = std::ldexp(mantissa, 1 - kBias - Mantissa);
    else
      magnitude =
          std::ldexp(mantissa + (1 << Mantissa), field - kBias - Mantissa);
    return bits & 0x8000 ? -magnitude : magnitude;
  }
};
using Half = Small<10>;
using BFloat = Small<7>;

struct Boolean {
  uint8_t byte = 0;
};

int64_t truncate(double value) {
  // 2^63 is the first double that int64 lacks.
  if (!(value >= -0x1p63 && value < 0x1p63))
    return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(value);
}

template <typename Number, typename T> Number read(T element) {
  if constexpr (std::is_same_v<T, Boolean>)
    return element.byte != 0;
  else if constexpr (std::is_same_v<Number, double>)
    return static_cast<double>(element);
  else if constexpr (std::is_integral_v<T>)
    return static_cast<int64_t>(element);
  else
    return truncate(static_cast<double>(element));
}

template <typename T, typename Number> T write(Number value) {
  if constexpr (std::is_same_v<T, Boolean>)
    return Boolean{value != 0};
  else if constexpr (std::is_same_v<T, float>)
    return static_cast<float>(value); // Not by way of double: one rounding.
  else if constexpr (!std::is_integral_v<T>)
    return static_cast<T>(static_cast<double>(value));
  else if constexpr (std::is_same_v<Number, double>)
    return static_cast<T>(truncate(value));
  else
    return static_cast<T>(value);
}

/// Calls `f` with a value of the C++ type of `type`.
template <typename F> auto withType(ElementType type, F f) {
  switch (type) {
  case ElementType::F32:
    return f(float());
  case ElementType::U8:
    return f(uint8_t());
  case ElementType::I8:
    return f(int8_t());
  case ElementType::U16:
    return f(uint16_t());
  case ElementType::I16:
    return f(int16_t());
  case ElementType::I32:
    return f(int32_t());
  case ElementType::I64:
    return f(int64_t());
  case ElementType::Bool:
    return f(Boolean());
  case ElementType::F16:
    return f(Half());
  case ElementType::F64:
    return f(double());
  case ElementType::U32:
    return f(uint32_t());
  case ElementType::U64:
    return f(uint64_t());
  case ElementType::BF16:
    return f(BFloat());
  }
  llvm_unreachable("element type without a C++ type");
}

template <typename Number> std::vector<Number> readAll(const Tensor &tensor) {
  return withType(tensor.type, [&](auto element) {
    using T = decltype(element);
    std::vector<Number> values(tensor.numElements());
    const char *from = tensor.bytes.data();
    for (Number &value : values) {
      std::memcpy(&element, from, sizeof(T));
      value = read<Number>(element);
      from += sizeof(T);
    }
    return values;
  });
}

template <typename Number>
Tensor writeAll(ElementType type, std::vector<int64_t> shape,
                llvm::ArrayRef<Number> values) {
  Tensor tensor = Tensor::zeros(type, std::move(shape));
  assert(static_cast<int64_t>(values.size()) == tensor.numElements());
  withType(type, [&](auto element) {
    char *to = tensor.bytes.data();
    for (Number value : values) {
      element = write<decltype(element)>(value);
      std::memcpy(to, &element, sizeof(element));
      to += sizeof(element);
    }
  });
  return tensor;
}

} // namespace

bool isFloat(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 ||
         type == ElementType::F32 || type == ElementType::F64;
}

double roundTo(ElementType type, double value) {
  assert(isFloat(type));
  return withType(type, [&](auto element) {
    return read<double>(write<decltype(element)>(value));
  });
}

std::vector<double> toDoubles(const Tensor &tensor) {
  return readAll<double>(tensor);
}

std::vector<int64_t> toInts(const Tensor &tensor) {
  return readAll<int64_t>(tensor);
}

Tensor fromDoubles(ElementType type, std::vector<int64_t> shape,
                   llvm::ArrayRef<double> values) {
  return writeAll(type, std::move(shape), values);
}

Tensor fromInts(ElementType type, std::vector<int64_t> shape,
                llvm::ArrayRef<int64_t> values) {
  return writeAll(type, std::move(shape), values);
}

} // namespace fusec::io
