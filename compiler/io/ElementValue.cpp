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

/// A float of 8 bits or fewer: the numbers that its codes stand for, in their
/// order, are searched. Bits of exponent and mantissa, the bias, and the code
/// of NaN (0 if there is none); with `Infinity`, the code below the NaNs is
/// that.
template <int Mantissa, int Bias, int Bits, int Nan, bool Infinity>
struct Tiny {
  static constexpr int kSign = 1 << (Bits - 1);
  static constexpr bool kUnsignedZero = Nan == kSign;
  static constexpr int kEnd = Infinity ? 0x7c : Nan == 0x7f ? Nan : kSign;
  uint8_t bits = 0;

  Tiny() = default;
  explicit Tiny(double value) {
    int sign = std::signbit(value) ? kSign : 0;
    if (std::isnan(value)) {
      bits = Nan ? Nan | sign : 0;
      return;
    }
    double magnitude = std::fabs(value);
    int above = 0; // the first code that is not smaller, or kEnd
    while (above < kEnd && valueOf(above) < magnitude)
      ++above;
    int code = above;
    if (above > 0 && (above == kEnd || valueOf(above) != magnitude)) {
      // Half way, and beyond the last, as if the codes went on.
      double low = valueOf(above - 1), high = valueOf(above);
      double middle = low + (high - low) / 2;
      bool down = magnitude < middle || (magnitude == middle && above % 2);
      code = down ? above - 1 : above;
    }
    if (code == kEnd)
      code = Infinity ? kEnd : Nan ? Nan : kEnd - 1;
    bits = uint8_t(code == 0 && kUnsignedZero ? 0 : code | sign);
  }
  explicit operator double() const {
    int code = bits & (kSign - 1);
    double magnitude = valueOf(code);
    if (kUnsignedZero ? bits == Nan
                      : Nan && code > (Infinity ? kEnd : kEnd - 1))
      magnitude = std::numeric_limits<double>::quiet_NaN();
    else if (Infinity && code == kEnd)
      magnitude = std::numeric_limits<double>::infinity();
    return bits & kSign ? -magnitude : magnitude;
  }

private:
  static double valueOf(int code) {
    int field = code >> Mantissa, low = code & ((1 << Mantissa) - 1);
    return field ? std::ldexp(low + (1 << Mantissa), field - Bias - Mantissa)
                 : std::ldexp(low, 1 - Bias - Mantissa);
  }
};

/// 2^(code - 127), the nearest one, ties up; what has a sign or is too large is
/// NaN.
struct Exponent {
  static constexpr int kNan = 255, kBias = 127;
  uint8_t bits = 0;

  Exponent() = default;
  explicit Exponent(double value) {
    if (!std::isfinite(value) || std::signbit(value)) {
      bits = kNan;
    } else if (value != 0) {
      int exponent = 0;
      double fraction = std::frexp(value, &exponent); // [0.5, 1)
      int code = exponent - (fraction < 0.75) + kBias;
      bits = uint8_t(std::min(std::max(code, 0), kNan));
    }
  }
  explicit operator double() const {
    return bits == kNan ? std::numeric_limits<double>::quiet_NaN()
                        : std::ldexp(1, bits - kBias);
  }
};

/// An integer of fewer bits than a byte, which wraps.
template <int Bits, bool Signed> struct Part {
  int8_t value = 0;

  Part() = default;
  explicit Part(int64_t number) {
    int low = int(number & ((1 << Bits) - 1));
    bool negative = Signed && low >> (Bits - 1);
    value = int8_t(negative ? low - (1 << Bits) : low);
  }
};
template <typename T> struct IsPart : std::false_type {};
template <int Bits, bool Signed>
struct IsPart<Part<Bits, Signed>> : std::true_type {};

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
  else if constexpr (IsPart<T>::value)
    return element.value;
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
  else if constexpr (IsPart<T>::value && std::is_same_v<Number, double>)
    return T(truncate(value));
  else if constexpr (IsPart<T>::value)
    return T(value);
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
  case ElementType::F8E4M3FN:
    return f(Tiny<3, 7, 8, 0x7f, false>());
  case ElementType::F8E4M3FNUZ:
    return f(Tiny<3, 8, 8, 0x80, false>());
  case ElementType::F8E5M2:
    return f(Tiny<2, 15, 8, 0x7e, true>());
  case ElementType::F8E5M2FNUZ:
    return f(Tiny<2, 16, 8, 0x80, false>());
  case ElementType::F4E2M1FN:
    return f(Tiny<1, 1, 4, 0, false>());
  case ElementType::F8E8M0FNU:
    return f(Exponent());
  case ElementType::F6E2M3FN:
    return f(Tiny<3, 1, 6, 0, false>());
  case ElementType::F6E3M2FN:
    return f(Tiny<2, 3, 6, 0, false>());
  case ElementType::U4:
    return f(Part<4, false>());
  case ElementType::I4:
    return f(Part<4, true>());
  case ElementType::U2:
    return f(Part<2, false>());
  case ElementType::I2:
    return f(Part<2, true>());
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
  switch (type) {
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::F32:
  case ElementType::F64:
    return true;
  default:
    return isCoded(type);
  }
}

bool isCoded(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3FN:
  case ElementType::F8E4M3FNUZ:
  case ElementType::F8E5M2:
  case ElementType::F8E5M2FNUZ:
  case ElementType::F4E2M1FN:
  case ElementType::F8E8M0FNU:
  case ElementType::F6E2M3FN:
  case ElementType::F6E3M2FN:
    return true;
  default:
    return false;
  }
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
