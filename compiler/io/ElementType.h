// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The element types that tensor files hold. More than the compiler computes
// with (fusec::TypeInfo): a file may be converted, compared or refused.
#ifndef FUSEC_COMPILER_IO_ELEMENTTYPE_H
#define FUSEC_COMPILER_IO_ELEMENTTYPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>

namespace fusec::io {

/// Enumerators equal the codes of onnx.TensorProto.DataType.
enum class ElementType : uint8_t {
  F32 = 1,
  U8 = 2,
  I8 = 3,
  U16 = 4,
  I16 = 5,
  I32 = 6,
  I64 = 7,
  Bool = 9,
  F16 = 10,
  F64 = 11,
  U32 = 12,
  U64 = 13,
  BF16 = 16,
};

/// What files call an element type. A bool takes one byte.
struct ElementTypeInfo {
  ElementType type;
  llvm::StringLiteral name; ///< "f32", "u8", "bool"
  unsigned bytes;
  /// Kind and size in NumPy's type string ("f4"). NumPy has no bfloat16;
  /// ml_dtypes, which adds it, writes "V2".
  llvm::StringLiteral npy;
};

const ElementTypeInfo &getInfo(ElementType type);

/// All rows, for look-ups by another key.
llvm::ArrayRef<ElementTypeInfo> allElementTypes();

/// The element type of the ONNX code, or nullopt (strings, complex, float 8,
/// sub-byte types).
std::optional<ElementType> elementTypeFromOnnx(int code);

/// The element type called `name` ("f32", "ui8" and "i1" as MLIR spells them
/// are accepted too), or nullopt.
std::optional<ElementType> elementTypeFromName(llvm::StringRef name);

/// ONNX's name of any element type code ("FLOAT8E5M2"), for messages.
llvm::StringRef onnxTypeName(int code);

} // namespace fusec::io

#endif // FUSEC_COMPILER_IO_ELEMENTTYPE_H
