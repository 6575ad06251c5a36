// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/io/ElementType.h"

#include "compiler/import/OnnxProto.h"

namespace fusec::io {

static constexpr ElementTypeInfo kTypes[] = {
    {ElementType::F32, "f32", 4, "f4"},
    {ElementType::U8, "u8", 1, "u1"},
    {ElementType::I8, "i8", 1, "i1"},
    {ElementType::U16, "u16", 2, "u2"},
    {ElementType::I16, "i16", 2, "i2"},
    {ElementType::I32, "i32", 4, "i4"},
    {ElementType::I64, "i64", 8, "i8"},
    {ElementType::Bool, "bool", 1, "b1"},
    {ElementType::F16, "f16", 2, "f2"},
    {ElementType::F64, "f64", 8, "f8"},
    {ElementType::U32, "u32", 4, "u4"},
    {ElementType::U64, "u64", 8, "u8"},
    {ElementType::BF16, "bf16", 2, "V2"},
    {ElementType::F8E4M3FN, "f8E4M3FN", 1, "V1"},
    {ElementType::F8E4M3FNUZ, "f8E4M3FNUZ", 1, "V1"},
    {ElementType::F8E5M2, "f8E5M2", 1, "V1"},
    {ElementType::F8E5M2FNUZ, "f8E5M2FNUZ", 1, "V1"},
    {ElementType::U4, "u4", 1, "V1", 4},
    {ElementType::I4, "i4", 1, "V1", 4},
    {ElementType::F4E2M1FN, "f4E2M1FN", 1, "V1", 4},
    {ElementType::F8E8M0FNU, "f8E8M0FNU", 1, "V1"},
    {ElementType::U2, "u2", 1, "V1", 2},
    {ElementType::I2, "i2", 1, "V1", 2},
    {ElementType::F6E2M3FN, "f6E2M3FN", 1, "V1", 6},
    {ElementType::F6E3M2FN, "f6E3M2FN", 1, "V1", 6}};

llvm::ArrayRef<ElementTypeInfo> allElementTypes() { return kTypes; }

const ElementTypeInfo &getInfo(ElementType type) {
  for (const ElementTypeInfo &info : kTypes)
    if (info.type == type)
      return info;
  llvm_unreachable("element type without a row");
}

std::optional<ElementType> elementTypeFromOnnx(int code) {
  for (const ElementTypeInfo &info : kTypes)
    if (static_cast<int>(info.type) == code)
      return info.type;
  return std::nullopt;
}

std::optional<ElementType> elementTypeFromName(llvm::StringRef name) {
  if (name == "i1")
    return ElementType::Bool;
  std::string spelled = name.str();
  if (name.starts_with("ui"))
    spelled = "u" + name.drop_front(2).str();
  for (const ElementTypeInfo &info : kTypes)
    if (info.name == spelled)
      return info.type;
  return std::nullopt;
}

llvm::StringRef onnxTypeName(int code) {
  if (!onnx::TensorProto_DataType_IsValid(code))
    return "an unknown element type";
  return onnx::TensorProto_DataType_Name(
      static_cast<onnx::TensorProto_DataType>(code));
}

} // namespace fusec::io
