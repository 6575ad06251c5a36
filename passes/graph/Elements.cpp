// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/Elements.h"

#include "dialects/coded/CodedFloats.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

namespace {
/// What C++ has a type for: the number itself.
template <typename T> struct Plain {
  using Storage = T;
  static T decode(T value) { return value; }
  template <typename V> static T encode(V value) {
    return static_cast<T>(value);
  }
};

struct Boolean {
  using Storage = uint8_t;
  static uint8_t decode(uint8_t value) { return value; }
  static uint8_t encode(int64_t value) { return value != 0; }
};

/// Integers of fewer bits than a byte, each in a byte.
template <unsigned Bits, bool Signed> struct Part {
  using Storage = std::conditional_t<Signed, int8_t, uint8_t>;
  static Storage decode(Storage value) { return value; }
  template <typename V> static Storage encode(V value) {
    auto bits = static_cast<int64_t>(value);
    if (Signed)
      return static_cast<Storage>(llvm::SignExtend64<Bits>(bits));
    return static_cast<Storage>(bits & ((1 << Bits) - 1));
  }
};

/// Floats of 16 bits.
template <const llvm::fltSemantics &(*Semantics)()> struct Narrow {
  using Storage = uint16_t;
  static double decode(uint16_t bits) {
    return APFloat(Semantics(), APInt(16, bits)).convertToDouble();
  }
  static uint16_t encode(double number) {
    APFloat value(number);
    bool losesInfo;
    value.convert(Semantics(), APFloat::rmNearestTiesToEven, &losesInfo);
    return value.bitcastToAPInt().getZExtValue();
  }
};
} // namespace

template <typename Coding>
static void readAs(const char *from, int64_t step, size_t count, Column &to,
                   size_t at) {
  auto fill = [&](auto *values) {
    for (size_t i = 0; i < count; ++i, from += step) {
      typename Coding::Storage stored;
      std::memcpy(&stored, from, sizeof(stored));
      values[i] = Coding::decode(stored);
    }
  };
  if (to.isFloat)
    fill(to.floats.data() + at);
  else
    fill(to.ints.data() + at);
}

template <typename Coding>
static void writeAs(const Column &from, size_t count, char *to) {
  auto drain = [&](const auto *values) {
    for (size_t i = 0; i < count; ++i) {
      typename Coding::Storage stored = Coding::encode(values[i]);
      std::memcpy(to + i * sizeof(stored), &stored, sizeof(stored));
    }
  };
  if (from.isFloat)
    drain(from.floats.data());
  else
    drain(from.ints.data());
}

/// Calls `use` with the coding of `type`.
template <typename Use> static void withCoding(Type type, Use use) {
  if (type.isF64())
    return use(Plain<double>());
  if (type.isF32())
    return use(Plain<float>());
  if (type.isF16())
    return use(Narrow<APFloat::IEEEhalf>());
  if (type.isBF16())
    return use(Narrow<APFloat::BFloat>());
  if (isCoded(type))
    return use(Plain<uint8_t>());
  bool isUnsigned = type.isUnsignedInteger();
  switch (type.getIntOrFloatBitWidth()) {
  case 1:
    return use(Boolean());
  case 2:
    return isUnsigned ? use(Part<2, false>()) : use(Part<2, true>());
  case 4:
    return isUnsigned ? use(Part<4, false>()) : use(Part<4, true>());
  case 8:
    return isUnsigned ? use(Plain<uint8_t>()) : use(Plain<int8_t>());
  case 16:
    return isUnsigned ? use(Plain<uint16_t>()) : use(Plain<int16_t>());
  case 32:
    return isUnsigned ? use(Plain<uint32_t>()) : use(Plain<int32_t>());
  default: // Columns hold 64 bits whatever their sign.
    return use(Plain<int64_t>());
  }
}

ElementAccess::ElementAccess(Type type)
    : bytes(getTypeInfo(type)->storageBytes()) {
  withCoding(type, [&](auto coding) {
    reader = readAs<decltype(coding)>;
    writer = writeAs<decltype(coding)>;
  });
}
