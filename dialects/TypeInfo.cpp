// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TypeInfo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace fusec {

namespace {

/// A type of floats, as a row asks for it.
template <typename FloatOfKind> struct Float {
  static bool is(Type type) { return isa<FloatOfKind>(type); }
  static Type get(MLIRContext *context) { return FloatOfKind::get(context); }
};

/// The integers of so many bits.
template <unsigned bits, bool isUnsigned = false> struct Integer {
  static constexpr auto signedness =
      isUnsigned ? IntegerType::Unsigned : IntegerType::Signless;
  static bool is(Type type) {
    auto integer = dyn_cast<IntegerType>(type);
    return integer && integer.getWidth() == bits &&
           integer.getSignedness() == signedness;
  }
  static Type get(MLIRContext *context) {
    return IntegerType::get(context, bits, signedness);
  }
};

template <typename Kind>
constexpr TypeInfo makeRow(llvm::StringLiteral name, int onnxCode,
                           unsigned storageBits, llvm::StringLiteral cName,
                           llvm::StringLiteral computeName) {
  return {name, onnxCode, storageBits, cName, computeName, Kind::is, Kind::get};
}

constexpr TypeInfo kTypes[] = {
    // name, ONNX, bits, C++, compute
    makeRow<Float<Float32Type>>("f32", 1, 32, "float", "f32"),
    makeRow<Integer<8, true>>("ui8", 2, 8, "uint8_t", "i32"),
    makeRow<Integer<8>>("i8", 3, 8, "int8_t", "i32"),
    makeRow<Integer<16, true>>("ui16", 4, 16, "uint16_t", "i32"),
    makeRow<Integer<16>>("i16", 5, 16, "int16_t", "i32"),
    makeRow<Integer<32>>("i32", 6, 32, "int32_t", "i32"),
    makeRow<Integer<64>>("i64", 7, 64, "int64_t", "i64"),
    makeRow<Integer<1>>("i1", 9, 8, "bool", "i1"),
    makeRow<Float<Float16Type>>("f16", 10, 16, "fusec::f16", "f32"),
    makeRow<Float<Float64Type>>("f64", 11, 64, "double", "f64"),
    makeRow<Integer<32, true>>("ui32", 12, 32, "uint32_t", "i64"),
    makeRow<Integer<64, true>>("ui64", 13, 64, "uint64_t", "i64"),
    makeRow<Float<BFloat16Type>>("bf16", 16, 16, "fusec::bf16", "f32"),
    makeRow<Float<Float8E4M3FNType>>("f8E4M3FN", 17, 8, "uint8_t", "i32"),
    makeRow<Float<Float8E4M3FNUZType>>("f8E4M3FNUZ", 18, 8, "uint8_t", "i32"),
    makeRow<Float<Float8E5M2Type>>("f8E5M2", 19, 8, "uint8_t", "i32"),
    makeRow<Float<Float8E5M2FNUZType>>("f8E5M2FNUZ", 20, 8, "uint8_t", "i32"),
    makeRow<Integer<4, true>>("ui4", 21, 8, "uint8_t", "i32"),
    makeRow<Integer<4>>("i4", 22, 8, "int8_t", "i32"),
    makeRow<Float<Float4E2M1FNType>>("f4E2M1FN", 23, 8, "uint8_t", "i32"),
    makeRow<Float<Float8E8M0FNUType>>("f8E8M0FNU", 24, 8, "uint8_t", "i32"),
    makeRow<Integer<2, true>>("ui2", 25, 8, "uint8_t", "i32"),
    makeRow<Integer<2>>("i2", 26, 8, "int8_t", "i32"),
    makeRow<Float<Float6E2M3FNType>>("f6E2M3FN", 27, 8, "uint8_t", "i32"),
    makeRow<Float<Float6E3M2FNType>>("f6E3M2FN", 28, 8, "uint8_t", "i32"),
};

} // namespace

const TypeInfo *getTypeInfo(Type type) {
  for (const TypeInfo &info : kTypes)
    if (info.is(type))
      return &info;
  return nullptr;
}

const TypeInfo *getTypeInfoForOnnx(int code) {
  for (const TypeInfo &info : kTypes)
    if (info.onnxCode == code)
      return &info;
  return nullptr;
}

Type getComputeType(Type type) {
  const TypeInfo *info = getTypeInfo(type);
  assert(info && "element type without a row in the table");
  for (const TypeInfo &row : kTypes)
    if (row.name == info->computeName)
      return row.get(type.getContext());
  llvm_unreachable("compute type without a row");
}

bool isComputeType(Type type) {
  return getTypeInfo(type) && getComputeType(type) == type;
}

int64_t getLaneBytes(Type type) {
  // An array may be one of vectors.
  Type element = getElementTypeOrSelf(getElementTypeOrSelf(type));
  const TypeInfo *info = getTypeInfo(getComputeType(element));
  return std::max<int64_t>(sizeof(float), info->storageBytes());
}

bool isPartOfByte(Type type) {
  type = getElementTypeOrSelf(type);
  return type.isInteger() && !type.isInteger(1) &&
         type.getIntOrFloatBitWidth() < 8;
}

bool isWideUnsigned(Type type) {
  return type.isUnsignedInteger() &&
         type.getIntOrFloatBitWidth() ==
             getComputeType(type).getIntOrFloatBitWidth();
}

} // namespace fusec
