// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TypeInfo.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/SmallString.h"
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
  switch (info.name[0]) {
  case 'f':
    if (info.storageBits == 64)
      return Float64Type::get(context);
    return info.storageBits == 32 ? Type(Float32Type::get(context))
                                  : Type(Float16Type::get(context));
  case 'b':
    return BFloat16Type::get(context);
  case 'u':
    return IntegerType::get(context, info.storageBits, IntegerType::Unsigned);
  default:
    return IntegerType::get(context,
                            info.name == "i1" ? 1 : info.storageBits);
  }
}

Type getComputeType(Type type) {
  const TypeInfo *info = getTypeInfo(type);
  assert(info && "element type without a row in the table");
  for (const TypeInfo &row : kTypes)
    if (row.name == info->computeName)
      return getStorageType(row, type.getContext());
  llvm_unreachable("compute type without a row");
}

bool isWideUnsigned(Type type) {
  return type.isUnsignedInteger() &&
         type.getIntOrFloatBitWidth() ==
             getComputeType(type).getIntOrFloatBitWidth();
}

} // namespace fusec
