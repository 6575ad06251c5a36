// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's .npy format (numpy.lib.format, versions 1.0 to 3.0).
#ifndef FUSEC_COMPILER_IO_NPY_H
#define FUSEC_COMPILER_IO_NPY_H

#include "compiler/io/Tensor.h"

namespace fusec::io {
struct TensorSpec;

/// Decodes a whole .npy file. Fortran order is turned into C order. Errors:
/// not the format, big endian, an element type without a row in ElementType or,
/// where NumPy has one name for several, not told by `expected`, a size that
/// does not match the header.
llvm::Expected<Tensor> readNpy(llvm::ArrayRef<char> bytes,
                               const TensorSpec *expected);

/// Encodes `tensor` as a .npy file of version 1.0.
Bytes writeNpy(const Tensor &tensor);

} // namespace fusec::io

#endif // FUSEC_COMPILER_IO_NPY_H
