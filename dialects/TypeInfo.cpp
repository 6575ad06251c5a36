// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TypeInfo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace fusec {

static constexpr TypeInfo kTypes[] = {
    // name, ONNX, bits, C++, ABI, compute
    {"f32", 1, 32, "float", "FUSEC_TYPE_F32", "f32"},
    {"ui8", 2, 8, "uint8_t", "FUSEC_TYPE_U8", "i32"},
    {"i8", 3, 8, "int8_t", "FUSEC_TYPE_I8", "i32"},
    {"ui16", 4, 16, "uint16_t", "FUSEC_TYPE_U16", "i32"},
    {"i16", 5, 16, "int16_t", "FUSEC_TYPE_I16", "i32"},
    {"i32", 6, 32, "int32_t", "FUSEC_TYPE_I32", "i32"},
    {"i64", 7, 64, "int64_t", "FUSEC_TYPE_I64", "i64"},
    {"i1", 9, 8, "bool", "FUSEC_TYPE_BOOL", "i1"},
    {"f16", 10, 16, "fusec::f16", "FUSEC_TYPE_F16", "f32"},
    {"f64", 11, 64, "double", "FUSEC_TYPE_F64", "f64"},
    {"ui32", 12, 32, "uint32_t", "FUSEC_TYPE_U32", "i64"},
    {"ui64", 13, 64, "uint64_t", "FUSEC_TYPE_U64", "i64"},
    {"bf16", 16, 16, "fusec::bf16", "FUSEC_TYPE_BF16", "f32"},
    {"f8E4M3FN", 17, 8, "uint8_t", "FUSEC_TYPE_F8E4M3FN", "i32"},
    {"f8E4M3FNUZ", 18, 8, "uint8_t", "FUSEC_TYPE_F8E4M3FNUZ", "i32"},
    {"f8E5M2", 19, 8, "uint8_t", "FUSEC_TYPE_F8E5M2", "i32"},
    {"f8E5M2FNUZ", 20, 8, "uint8_t", "FUSEC_TYPE_F8E5M2FNUZ", "i32"},
    {"ui4", 21, 8, "uint8_t", "FUSEC_TYPE_U4", "i32"},
    {"i4", 22, 8, "int8_t", "FUSEC_TYPE_I4", "i32"},
    {"f4E2M1FN", 23, 8, "uint8_t", "FUSEC_TYPE_F4E2M1FN", "i32"},
    {"f8E8M0FNU", 24, 8, "uint8_t", "FUSEC_TYPE_F8E8M0FNU", "i32"},
    {"ui2", 25, 8, "uint8_t", "FUSEC_TYPE_U2", "i32"},
    {"i2", 26, 8, "int8_t", "FUSEC_TYPE_I2", "i32"},
    {"f6E2M3FN", 27, 8, "uint8_t", "FUSEC_TYPE_F6E2M3FN", "i32"},
    {"f6E3M2FN", 28, 8, "uint8_t", "FUSEC_TYPE_F6E3M2FN", "i32"},
};

const TypeInfo *getTypeInfo(Type type) {
  SmallString<16> name;
  llvm::raw_svector_ostream(name) << type;
  for (const TypeInfo &info : kTypes)
    if (info.name == name)
      return &info;
  return nullptr;
}

const TypeInfo *getTypeInfoForOnnx(int code) {
  for (const TypeInfo &info : kTypes)
    if (info.onnxCode == code)
      return &info;
  return nullptr;
}

Type getStorageType(const TypeInfo &info, MLIRContext *context) {
  StringRef width = info.name;
  bool isUnsigned = width.consume_front("u");
  unsigned bits = 0;
  if (width.consume_front("i") && !width.getAsInteger(10, bits))
    return IntegerType::get(context, bits,
                            isUnsigned ? IntegerType::Unsigned
                                       : IntegerType::Signless);
  return llvm::StringSwitch<Type>(info.name)
      .Case("f16", Float16Type::get(context))
      .Case("bf16", BFloat16Type::get(context))
      .Case("f32", Float32Type::get(context))
      .Case("f64", Float64Type::get(context))
      .Case("f8E4M3FN", Float8E4M3FNType::get(context))
      .Case("f8E4M3FNUZ", Float8E4M3FNUZType::get(context))
      .Case("f8E5M2", Float8E5M2Type::get(context))
      .Case("f8E5M2FNUZ", Float8E5M2FNUZType::get(context))
      .Case("f8E8M0FNU", Float8E8M0FNUType::get(context))
      .Case("f6E2M3FN", Float6E2M3FNType::get(context))
      .Case("f6E3M2FN", Float6E3M2FNType::get(context))
      .Case("f4E2M1FN", Float4E2M1FNType::get(context));
}

Type getComputeType(Type type) {
  const TypeInfo *info = getTypeInfo(type);
  assert(info && "element type without a row in the table");
  for (const TypeInfo &row : kTypes)
    if (row.name == info->computeName)
      return getStorageType(row, type.getContext());
  llvm_unreachable("compute type without a row");
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
