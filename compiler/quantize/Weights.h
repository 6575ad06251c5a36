// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of a network as codes.
#ifndef FUSEC_COMPILER_QUANTIZE_WEIGHTS_H
#define FUSEC_COMPILER_QUANTIZE_WEIGHTS_H

#include "dialects/fuse/FuseOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>
#include <vector>

namespace fusec::quantize {

/// The elements of a constant of f32, row-major; nothing if it is none.
std::optional<std::vector<float>> readFloats(mlir::Value value);

template <typename T> llvm::ArrayRef<char> asBytes(const std::vector<T> &list) {
  return {reinterpret_cast<const char *>(list.data()), list.size() * sizeof(T)};
}

/// A new constant in front of what `builder` builds, which has the name of
/// `before`, in whose place it is.
mlir::Value replaceConstant(mlir::OpBuilder &builder, mlir::Value before,
                            mlir::RankedTensorType type,
                            llvm::ArrayRef<char> bytes);

/// Drops constants and weights that nothing reads.
void dropUnusedConstants(mlir::ModuleOp module);

/// A tensor as signed codes from -127 to 127, which stand for codes times
/// scale: one for all, or one for each channel.
struct CodedWeights {
  std::vector<int8_t> codes;
  std::vector<float> scales;
};

/// Codes of `values`, a tensor of `shape`. With `channel`, a dimension, each
/// index along it has a scale. `least`, if it is not empty, has the least scale
/// that each channel may have.
CodedWeights codeWeights(llvm::ArrayRef<float> values,
                         llvm::ArrayRef<int64_t> shape,
                         std::optional<int64_t> channel,
                         llvm::ArrayRef<double> least = {});

} // namespace fusec::quantize

#endif // FUSEC_COMPILER_QUANTIZE_WEIGHTS_H
