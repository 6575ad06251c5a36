// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one table of element types: what is stored, what is computed, and how
// ONNX and C++ call it. A new element type is a row here.
#ifndef FUSEC_DIALECTS_TYPEINFO_H
#define FUSEC_DIALECTS_TYPEINFO_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace fusec {

/// One row of the element type table.
struct TypeInfo {
  /// The spelling of the MLIR type ("f32", "ui8", "i1").
  llvm::StringLiteral name;
  /// The code of onnx.TensorProto.DataType.
  int onnxCode;
  /// Bits of one element in memory (a bool takes a byte).
  unsigned storageBits;
  /// The element type in emitted C++ ("float", "fusec::f16", "int64_t").
  llvm::StringLiteral cName;
  /// The name of the row whose type scalars of this type are computed in:
  /// f16 and bf16 compute in f32, 8- and 16-bit integers in i32, ui32 in i64.
  llvm::StringLiteral computeName;
  /// Whether a type is the row's, and that type.
  bool (*is)(mlir::Type type);
  mlir::Type (*get)(mlir::MLIRContext *context);

  unsigned storageBytes() const { return (storageBits + 7) / 8; }
};

/// The row of `type`, or null if fusec has no such element type.
const TypeInfo *getTypeInfo(mlir::Type type);

/// The row of the ONNX element type `code`, or null.
const TypeInfo *getTypeInfoForOnnx(int code);

/// The type in which scalars loaded from memory of element type `type` are
/// computed. `type` must have a row.
mlir::Type getComputeType(mlir::Type type);

/// Whether `type` is the compute type of an element type.
bool isComputeType(mlir::Type type);

/// Bytes that a lane of a vector takes which computes values of `type`. What is
/// narrower than an f32 takes as many: indices and masks of 32 bits go with it.
int64_t getLaneBytes(mlir::Type type);

/// Whether `type`, or the element type of a tensor or array, is an integer of
/// less than a byte; a boolean is a byte.
bool isPartOfByte(mlir::Type type);

/// Whether elements of `type` are unsigned and fill the signless integers that
/// compute them: ui64. Order, division and conversions then need the unsigned
/// operations; narrower types are zero-extended, and signed ones do.
bool isWideUnsigned(mlir::Type type);

} // namespace fusec

#endif // FUSEC_DIALECTS_TYPEINFO_H
