// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/io/Tensor.h"

#include "compiler/import/OnnxProto.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <cstring>

namespace fusec::io {

Tensor Tensor::zeros(ElementType type, std::vector<int64_t> shape,
                     std::string name) {
  Tensor tensor{std::move(name), type, std::move(shape), {}};
  tensor.bytes.resize(tensor.numElements() * getInfo(type).bytes);
  return tensor;
}

int64_t Tensor::numElements() const {
  int64_t count = 1;
  for (int64_t extent : shape)
    count *= extent;
  return count;
}

std::string describe(ElementType type, llvm::ArrayRef<int64_t> shape) {
  std::string text = getInfo(type).name.str() + "[";
  for (auto [index, extent] : llvm::enumerate(shape))
    text += (index ? "x" : "") + std::to_string(extent);
  return text + "]";
}

std::optional<int64_t> byteSize(llvm::ArrayRef<int64_t> shape,
                                unsigned elementBytes) {
  // Extents multiply in 63 bits even where a zero makes the product zero, so
  // that strides of an accepted shape never overflow.
  int64_t product = elementBytes;
  bool empty = false;
  for (int64_t extent : shape) {
    if (extent < 0)
      return std::nullopt;
    if (extent == 0) {
      empty = true;
      continue;
    }
    if (__builtin_mul_overflow(product, extent, &product))
      return std::nullopt;
  }
  return empty ? 0 : product;
}

std::optional<int64_t> fileSize(ElementType type,
                                llvm::ArrayRef<int64_t> shape) {
  const ElementTypeInfo &info = getInfo(type);
  std::optional<int64_t> size = byteSize(shape, info.bytes);
  if (!size || !info.packedBits)
    return size;
  return *size / 8 * info.packedBits + (*size % 8 * info.packedBits + 7) / 8;
}

Bytes unpack(ElementType type, llvm::ArrayRef<char> packed, int64_t count) {
  unsigned bits = getInfo(type).packedBits;
  bool isSigned = type == ElementType::I4 || type == ElementType::I2;
  Bytes elements(count);
  for (int64_t i = 0; i < count; ++i) {
    // Six bits may lie in two bytes.
    int64_t first = i * bits, last = first + bits - 1;
    int window = static_cast<unsigned char>(packed[first / 8]) |
                 static_cast<unsigned char>(packed[last / 8]) << 8;
    int code = (window >> (first % 8)) & ((1 << bits) - 1);
    bool negative = isSigned && code >> (bits - 1);
    elements[i] = static_cast<char>(negative ? code - (1 << bits) : code);
  }
  return elements;
}

Bytes pack(ElementType type, llvm::ArrayRef<char> elements) {
  unsigned bits = getInfo(type).packedBits;
  Bytes packed((elements.size() * bits + 7) / 8, 0);
  for (auto [i, element] : llvm::enumerate(elements)) {
    size_t first = i * bits, last = first + bits - 1;
    int window = (element & ((1 << bits) - 1)) << (first % 8);
    packed[first / 8] |= static_cast<char>(window);
    if (last / 8 != first / 8)
      packed[last / 8] |= static_cast<char>(window >> 8);
  }
  return packed;
}

template <typename T, typename Field>
static void narrow(const Field &field, Bytes &storage) {
  storage.resize(field.size() * sizeof(T));
  char *out = storage.data();
  for (auto value : field) {
    T element = static_cast<T>(value);
    std::memcpy(out, &element, sizeof(T));
    out += sizeof(T);
  }
}

/// Converts the typed field that belongs to `type`; false if a field of
/// another type is filled instead.
static bool convertTypedField(const onnx::TensorProto &proto, ElementType type,
                              Bytes &storage) {
  size_t filled = proto.float_data_size() + proto.int32_data_size() +
                  proto.int64_data_size() + proto.double_data_size() +
                  proto.uint64_data_size() + proto.string_data_size();
  switch (type) {
  case ElementType::F32:
    narrow<float>(proto.float_data(), storage);
    return filled == size_t(proto.float_data_size());
  case ElementType::F64:
    narrow<double>(proto.double_data(), storage);
    return filled == size_t(proto.double_data_size());
  case ElementType::I64:
    narrow<int64_t>(proto.int64_data(), storage);
    return filled == size_t(proto.int64_data_size());
  case ElementType::U32:
    narrow<uint32_t>(proto.uint64_data(), storage);
    return filled == size_t(proto.uint64_data_size());
  case ElementType::U64:
    narrow<uint64_t>(proto.uint64_data(), storage);
    return filled == size_t(proto.uint64_data_size());
  case ElementType::I32:
    narrow<int32_t>(proto.int32_data(), storage);
    break;
  case ElementType::I16:
  case ElementType::U16:
  case ElementType::F16:
  case ElementType::BF16:
    narrow<uint16_t>(proto.int32_data(), storage);
    break;
  case ElementType::I8:
  case ElementType::U8:
  case ElementType::F8E4M3FN:
  case ElementType::F8E4M3FNUZ:
  case ElementType::F8E5M2:
  case ElementType::F8E5M2FNUZ:
  case ElementType::F8E8M0FNU:
  case ElementType::U4: // A byte with several elements.
  case ElementType::I4:
  case ElementType::F4E2M1FN:
  case ElementType::U2:
  case ElementType::I2:
    narrow<uint8_t>(proto.int32_data(), storage);
    break;
  case ElementType::F6E2M3FN: // An element each, unlike in a file's bytes.
  case ElementType::F6E3M2FN:
    narrow<uint8_t>(proto.int32_data(), storage);
    storage = pack(type, storage);
    break;
  case ElementType::Bool:
    narrow<bool>(proto.int32_data(), storage);
    break;
  }
  return filled == size_t(proto.int32_data_size());
}

llvm::Expected<llvm::ArrayRef<char>> tensorBytes(const onnx::TensorProto &proto,
                                                 Bytes &storage) {
  std::optional<ElementType> type = elementTypeFromOnnx(proto.data_type());
  if (!type)
    return llvm::createStringError("element type " +
                                   onnxTypeName(proto.data_type()) +
                                   " is not supported");
  llvm::SmallVector<int64_t> shape(proto.dims().begin(), proto.dims().end());
  std::optional<int64_t> expected = fileSize(*type, shape);
  if (!expected)
    return llvm::createStringError("the shape " + describe(*type, shape) +
                                   " is negative or too large");
  if (proto.has_segment())
    return llvm::createStringError("segmented tensors are not supported");

  llvm::ArrayRef<char> bytes;
  if (proto.has_raw_data() && (proto.raw_data().size() || *expected == 0)) {
    bytes = {proto.raw_data().data(), proto.raw_data().size()};
  } else {
    if (!convertTypedField(proto, *type, storage))
      return llvm::createStringError(
          "the data lies in a field that does not belong to element type " +
          onnxTypeName(proto.data_type()));
    bytes = storage;
  }
  if (int64_t(bytes.size()) != *expected)
    return llvm::createStringError(
        "has " + llvm::Twine(bytes.size()) + " bytes of data where its type " +
        describe(*type, shape) + " needs " + llvm::Twine(*expected));
  if (!getInfo(*type).packedBits)
    return bytes;
  storage = unpack(*type, bytes, *byteSize(shape, 1));
  return llvm::ArrayRef<char>(storage);
}

llvm::Expected<Tensor> decodeTensor(const onnx::TensorProto &proto) {
  Tensor tensor;
  llvm::Expected<llvm::ArrayRef<char>> bytes = tensorBytes(proto, tensor.bytes);
  if (!bytes)
    return bytes.takeError();
  tensor.name = proto.name();
  tensor.type = *elementTypeFromOnnx(proto.data_type());
  tensor.shape.assign(proto.dims().begin(), proto.dims().end());
  if (bytes->data() != tensor.bytes.data())
    tensor.bytes.assign(bytes->begin(), bytes->end());
  return tensor;
}

} // namespace fusec::io
