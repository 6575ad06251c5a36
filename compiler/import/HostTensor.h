// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants that the importer computes with: shapes, axes, pads.
#ifndef FUSEC_COMPILER_IMPORT_HOSTTENSOR_H
#define FUSEC_COMPILER_IMPORT_HOSTTENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <vector>

namespace fusec {

/// What later nodes may compute shapes with: what becomes of shapes, not
/// weights.
constexpr int64_t kMaxKnownElements = 4096;

/// A tensor whose elements are known, widened: integers and booleans to
/// int64_t, floats to double. One of the two lists is used, by element type.
struct HostTensor {
  mlir::RankedTensorType type;
  std::vector<int64_t> ints;
  std::vector<double> floats;

  bool isFloat() const {
    return mlir::isa<mlir::FloatType>(type.getElementType());
  }
  int64_t size() const { return type.getNumElements(); }
  llvm::ArrayRef<int64_t> shape() const { return type.getShape(); }

  static HostTensor fromInts(mlir::RankedTensorType type,
                             std::vector<int64_t> values);
  static HostTensor fromFloats(mlir::RankedTensorType type,
                               std::vector<double> values);
  /// Widens packed little-endian elements, which need not be aligned.
  static HostTensor fromBytes(mlir::RankedTensorType type,
                              llvm::ArrayRef<char> bytes);

  /// Packed little-endian elements; integers wrap and floats round to nearest
  /// even, as storing does.
  std::vector<char> toBytes() const;

  /// The elements `indices` of this tensor under the shape of `resultType`.
  HostTensor pick(mlir::RankedTensorType resultType,
                  llvm::ArrayRef<int64_t> indices) const;
};

/// Packed elements as an attribute of at most a few elements.
mlir::DenseElementsAttr denseElements(mlir::RankedTensorType type,
                                      llvm::ArrayRef<char> bytes);

/// Bytes of one stored element: a boolean takes one.
unsigned storageBytes(mlir::Type elementType);

/// The MLIR type of an ONNX element type, also of those that only host
/// computations use (f64, 16-bit and unsigned integers); null for the others.
mlir::Type elementTypeFromOnnx(int code, mlir::MLIRContext *context);

} // namespace fusec

#endif // FUSEC_COMPILER_IMPORT_HOSTTENSOR_H
