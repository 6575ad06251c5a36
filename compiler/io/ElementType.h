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
  F8E4M3FN = 17,
  F8E4M3FNUZ = 18,
  F8E5M2 = 19,
  F8E5M2FNUZ = 20,
  U4 = 21,
  I4 = 22,
  F4E2M1FN = 23,
  F8E8M0FNU = 24,
  U2 = 25,
  I2 = 26,
  F6E2M3FN = 27,
  F6E3M2FN = 28,
};

/// What files call an element type. A bool takes one byte, and so do, in
/// memory, elements of fewer bits.
struct ElementTypeInfo {
  ElementType type;
  llvm::StringLiteral name; ///< "f32", "u8", "bool"
  unsigned bytes;
  /// Kind and size in NumPy's type string ("f4"). NumPy has no bfloat16;
  /// ml_dtypes, which adds it, writes "V2", and "V1" for what is smaller.
  llvm::StringLiteral npy;
  /// Bits of an element in ONNX's files, where they are fewer than 8; else 0.
  /// The first element lies in the lowest bits of the first byte.
  unsigned packedBits = 0;
};

const ElementTypeInfo &getInfo(ElementType type);

/// All rows, for look-ups by another key.
llvm::ArrayRef<ElementTypeInfo> allElementTypes();

/// The element type of the ONNX code, or nullopt (strings, complex).
std::optional<ElementType> elementTypeFromOnnx(int code);

/// The element type called `name` ("f32", "ui8" and "i1" as MLIR spells them
/// are accepted too), or nullopt.
std::optional<ElementType> elementTypeFromName(llvm::StringRef name);

/// ONNX's name of any element type code ("FLOAT8E5M2"), for messages.
llvm::StringRef onnxTypeName(int code);

} // namespace fusec::io

#endif // FUSEC_COMPILER_IO_ELEMENTTYPE_H
