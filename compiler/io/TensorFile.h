// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensor files: NumPy's .npy, ONNX's serialized TensorProto (.pb), and raw
// little-endian elements (every other extension).
#ifndef FUSEC_COMPILER_IO_TENSORFILE_H
#define FUSEC_COMPILER_IO_TENSORFILE_H

#include "compiler/io/Tensor.h"

namespace fusec::io {

enum class TensorFormat { Npy, Proto, Raw };

/// The format that the extension of `path` stands for.
TensorFormat tensorFormatOf(llvm::StringRef path);

/// What the reader of a file expects to find. Raw files need it; the other
/// formats are checked against it.
struct TensorSpec {
  ElementType type;
  std::vector<int64_t> shape;
};

/// Reads `path` in the format of its extension. With `expected`, a tensor of
/// another element type or shape is an error that says both.
/// .npy: versions 1 to 3, little endian, C or Fortran order.
llvm::Expected<Tensor> readTensor(llvm::StringRef path,
                                  const TensorSpec *expected = nullptr);

/// Writes `tensor` in the format of `path`'s extension, aside and renamed.
llvm::Error writeTensor(llvm::StringRef path, const Tensor &tensor);

} // namespace fusec::io

#endif // FUSEC_COMPILER_IO_TENSORFILE_H
