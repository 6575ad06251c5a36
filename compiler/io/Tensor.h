// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A tensor in memory, and its decoding from an onnx.TensorProto.
#ifndef FUSEC_COMPILER_IO_TENSOR_H
#define FUSEC_COMPILER_IO_TENSOR_H

#include "compiler/io/Bytes.h"
#include "compiler/io/ElementType.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace fusec::onnx {
class TensorProto;
}

namespace fusec::io {

/// A dense row-major tensor, elements little endian and without padding.
struct Tensor {
  std::string name;
  ElementType type = ElementType::F32;
  std::vector<int64_t> shape;
  Bytes bytes;

  /// Allocates zeroed elements for `shape`.
  static Tensor zeros(ElementType type, std::vector<int64_t> shape,
                      std::string name = "");

  int64_t numElements() const;

  /// The elements as the C++ type `T`, whose size must be the element's.
  template <typename T> T *data() {
    return reinterpret_cast<T *>(bytes.data());
  }
  template <typename T> const T *data() const {
    return reinterpret_cast<const T *>(bytes.data());
  }
};

/// "f32[1x3x224x224]", for messages.
std::string describe(ElementType type, llvm::ArrayRef<int64_t> shape);

/// The product of `shape` times `elementBytes`; nullopt if an extent is
/// negative or the product does not fit into 63 bits.
std::optional<int64_t> byteSize(llvm::ArrayRef<int64_t> shape,
                                unsigned elementBytes);

/// The bytes that `shape` takes in ONNX's files, where elements of 4 and 2 bits
/// share bytes; nullopt as `byteSize`.
std::optional<int64_t> fileSize(ElementType type,
                                llvm::ArrayRef<int64_t> shape);

/// `count` elements of a type with `packedBits`, each in a byte of its own, out
/// of `packed` as files have them; and back.
Bytes unpack(ElementType type, llvm::ArrayRef<char> packed, int64_t count);
Bytes pack(ElementType type, llvm::ArrayRef<char> elements);

/// The elements of `proto`, packed and little endian. What lies in raw_data is
/// returned in place; typed fields are converted into `storage`. Data outside
/// the message (external_data) is the caller's to find. Errors: an element
/// type without a row in ElementType, negative or huge extents, a number of
/// elements that does not match the shape, two data fields at once.
llvm::Expected<llvm::ArrayRef<char>> tensorBytes(const onnx::TensorProto &proto,
                                                 Bytes &storage);

/// A copy of `proto` as a Tensor; the same errors.
llvm::Expected<Tensor> decodeTensor(const onnx::TensorProto &proto);

} // namespace fusec::io

#endif // FUSEC_COMPILER_IO_TENSOR_H
