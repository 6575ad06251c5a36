// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/io/TensorFile.h"

#include "compiler/import/OnnxProto.h"
#include "compiler/io/MappedFile.h"
#include "compiler/io/Npy.h"
#include <climits>

namespace fusec::io {

TensorFormat tensorFormatOf(llvm::StringRef path) {
  if (path.ends_with_insensitive(".npy"))
    return TensorFormat::Npy;
  if (path.ends_with_insensitive(".pb"))
    return TensorFormat::Proto;
  return TensorFormat::Raw;
}

static llvm::Expected<Tensor> readProto(llvm::ArrayRef<char> bytes) {
  onnx::TensorProto proto;
  if (bytes.size() > INT_MAX ||
      !proto.ParsePartialFromArray(bytes.data(), int(bytes.size())))
    return llvm::createStringError("is not a serialized ONNX TensorProto "
                                   "(truncated or corrupt)");
  if (proto.data_location() == onnx::TensorProto::EXTERNAL)
    return llvm::createStringError("refers to external data, which only "
                                   "models may do");
  return decodeTensor(proto);
}

static llvm::Expected<Tensor> readRaw(llvm::ArrayRef<char> bytes,
                                      const TensorSpec *expected) {
  if (!expected)
    return llvm::createStringError(
        "has no element type and shape of its own, as a raw file; use .npy or "
        ".pb");
  std::optional<int64_t> size =
      byteSize(expected->shape, getInfo(expected->type).bytes);
  if (!size || *size != int64_t(bytes.size()))
    return llvm::createStringError("has " + llvm::Twine(bytes.size()) +
                                   " bytes where " +
                                   describe(expected->type, expected->shape) +
                                   " needs " + llvm::Twine(size.value_or(-1)) +
                                   ", taken as raw; other formats are .npy "
                                   "and .pb");
  return Tensor{"", expected->type, expected->shape,
                Bytes(bytes.begin(), bytes.end())};
}

llvm::Expected<Tensor> readTensor(llvm::StringRef path,
                                  const TensorSpec *expected) {
  llvm::Expected<std::shared_ptr<const MappedFile>> file =
      MappedFile::open(path);
  if (!file)
    return file.takeError();
  llvm::ArrayRef<char> bytes = (*file)->bytes();
  TensorFormat format = tensorFormatOf(path);
  llvm::Expected<Tensor> tensor =
      format == TensorFormat::Npy     ? readNpy(bytes, expected)
      : format == TensorFormat::Proto ? readProto(bytes)
                                      : readRaw(bytes, expected);
  if (!tensor)
    return fileError(path, llvm::toString(tensor.takeError()));
  if (expected &&
      (tensor->type != expected->type || tensor->shape != expected->shape))
    return fileError(path, "is " + describe(tensor->type, tensor->shape) +
                               ", expected " +
                               describe(expected->type, expected->shape));
  return tensor;
}

static Bytes writeProto(const Tensor &tensor) {
  onnx::TensorProto proto;
  if (!tensor.name.empty())
    proto.set_name(tensor.name);
  proto.set_data_type(static_cast<int>(tensor.type));
  for (int64_t extent : tensor.shape)
    proto.add_dims(extent);
  Bytes packed;
  if (getInfo(tensor.type).packedBits)
    packed = pack(tensor.type, tensor.bytes);
  llvm::ArrayRef<char> bytes =
      getInfo(tensor.type).packedBits ? packed : tensor.bytes;
  proto.set_raw_data(bytes.data(), bytes.size());
  std::string text = proto.SerializeAsString();
  return {text.begin(), text.end()};
}

llvm::Error writeTensor(llvm::StringRef path, const Tensor &tensor) {
  switch (tensorFormatOf(path)) {
  case TensorFormat::Npy:
    return writeFileAside(path, writeNpy(tensor));
  case TensorFormat::Proto:
    if (tensor.bytes.size() > INT_MAX - 4096)
      return fileError(path, "a TensorProto holds at most 2 GiB; use .npy");
    return writeFileAside(path, writeProto(tensor));
  case TensorFormat::Raw:
    return writeFileAside(path, tensor.bytes);
  }
  llvm_unreachable("unknown tensor format");
}

} // namespace fusec::io
