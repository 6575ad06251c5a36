// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/io/Npy.h"

#include "compiler/io/TensorFile.h"

#include "llvm/ADT/Twine.h"
#include <cstring>

namespace fusec::io {

static constexpr llvm::StringLiteral kMagic("\x93NUMPY");

/// The text after `'key':` in the header's dictionary, or an empty reference.
static llvm::StringRef fieldOf(llvm::StringRef header, llvm::StringRef key) {
  for (char quote : {'\'', '"'}) {
    std::string quoted = quote + key.str() + quote;
    size_t at = header.find(quoted);
    if (at == llvm::StringRef::npos)
      continue;
    llvm::StringRef rest = header.substr(at + quoted.size()).ltrim();
    if (rest.consume_front(":"))
      return rest.ltrim();
  }
  return {};
}

/// NumPy has one name for all types of 8 bits and fewer that are not its own:
/// which of them it is, `expected` says. ml_dtypes has two.
static std::optional<ElementType> parseDescr(llvm::StringRef descr,
                                             const TensorSpec *expected,
                                             std::string &spelled) {
  if (descr.empty() || (descr[0] != '\'' && descr[0] != '"'))
    return std::nullopt;
  llvm::StringRef text =
      descr.drop_front().take_until([&](char c) { return c == descr[0]; });
  spelled = text.str();
  if (!text.consume_front("<") && !text.consume_front("|") &&
      !text.consume_front("="))
    return std::nullopt;
  if (text == "V1" || text == "f1")
    return expected && getInfo(expected->type).npy == "V1"
               ? std::optional(expected->type)
               : std::nullopt;
  for (const ElementTypeInfo &info : allElementTypes())
    if (info.npy == text)
      return info.type;
  return std::nullopt;
}

static std::optional<std::vector<int64_t>> parseShape(llvm::StringRef text) {
  if (!text.consume_front("("))
    return std::nullopt;
  size_t close = text.find(')');
  if (close == llvm::StringRef::npos)
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> parts;
  text.take_front(close).split(parts, ',', -1, /*KeepEmpty=*/false);
  std::vector<int64_t> shape;
  for (llvm::StringRef part : parts) {
    part = part.trim();
    if (part.empty())
      continue;
    int64_t extent;
    if (part.getAsInteger(10, extent) || extent < 0)
      return std::nullopt;
    shape.push_back(extent);
  }
  return shape;
}

/// Copies `from`, in Fortran order, to `to`, in C order.
static void transposeToC(llvm::ArrayRef<char> from, Bytes &to,
                         llvm::ArrayRef<int64_t> shape, size_t elementBytes) {
  std::vector<int64_t> strides(shape.size()), index(shape.size(), 0);
  int64_t stride = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    strides[d] = stride;
    stride *= shape[d];
  }
  to.resize(from.size());
  for (size_t at = 0; at < from.size(); at += elementBytes) {
    int64_t source = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      source += index[d] * strides[d];
    std::memcpy(&to[at], &from[source * elementBytes], elementBytes);
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

llvm::Expected<Tensor> readNpy(llvm::ArrayRef<char> bytes,
                               const TensorSpec *expected) {
  llvm::StringRef text(bytes.data(), bytes.size());
  if (!text.consume_front(kMagic) || text.size() < 4)
    return llvm::createStringError("is not a .npy file");
  unsigned major = static_cast<unsigned char>(text[0]);
  if (major < 1 || major > 3)
    return llvm::createStringError("has .npy version " + llvm::Twine(major) +
                                   "; versions 1 to 3 are known");
  size_t lengthBytes = major == 1 ? 2 : 4, headerSize = 0;
  text = text.drop_front(2);
  if (text.size() < lengthBytes)
    return llvm::createStringError("ends inside the .npy header");
  for (size_t i = 0; i < lengthBytes; ++i)
    headerSize |= size_t(static_cast<unsigned char>(text[i])) << (8 * i);
  text = text.drop_front(lengthBytes);
  if (text.size() < headerSize)
    return llvm::createStringError("ends inside the .npy header");
  llvm::StringRef header = text.take_front(headerSize);
  llvm::StringRef data = text.drop_front(headerSize);

  std::string spelled;
  std::optional<ElementType> type =
      parseDescr(fieldOf(header, "descr"), expected, spelled);
  if (!type)
    return llvm::createStringError("has element type '" + spelled +
                                   "', which is not supported (little-endian "
                                   "numbers and booleans are)");
  std::optional<std::vector<int64_t>> shape =
      parseShape(fieldOf(header, "shape"));
  if (!shape)
    return llvm::createStringError("has no readable shape in its .npy header");
  llvm::StringRef order = fieldOf(header, "fortran_order");
  bool isFortran = order.starts_with("True");
  if (!isFortran && !order.starts_with("False"))
    return llvm::createStringError("says neither True nor False for "
                                   "fortran_order in its .npy header");
  unsigned elementBytes = getInfo(*type).bytes;
  std::optional<int64_t> size = byteSize(*shape, elementBytes);
  if (!size || *size != int64_t(data.size()))
    return llvm::createStringError(
        "has " + llvm::Twine(data.size()) + " bytes of data where its type " +
        describe(*type, *shape) + " needs " + llvm::Twine(size.value_or(-1)));

  Tensor tensor{"", *type, std::move(*shape), {}};
  if (isFortran)
    transposeToC({data.data(), data.size()}, tensor.bytes, tensor.shape,
                 elementBytes);
  else
    tensor.bytes.assign(data.begin(), data.end());
  if (getInfo(*type).packedBits) // Nothing lies beside their bits.
    tensor.bytes =
        unpack(*type, pack(*type, tensor.bytes), int64_t(tensor.bytes.size()));
  return tensor;
}

Bytes writeNpy(const Tensor &tensor) {
  const ElementTypeInfo &info = getInfo(tensor.type);
  std::string header = "{'descr': '";
  header += info.bytes == 1 ? '|' : '<';
  header += info.npy.str() + "', 'fortran_order': False, 'shape': (";
  for (int64_t extent : tensor.shape)
    header += std::to_string(extent) + ",";
  header += "), }";
  // The data starts at a multiple of 64 bytes; the header ends in a newline.
  size_t prefix = kMagic.size() + 4;
  size_t total = (prefix + header.size() + 1 + 63) / 64 * 64;
  header.resize(total - prefix - 1, ' ');
  header += '\n';

  Bytes bytes(kMagic.begin(), kMagic.end());
  for (char c :
       {char(1), char(0), char(header.size() & 0xff), char(header.size() >> 8)})
    bytes.push_back(c);
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes.insert(bytes.end(), tensor.bytes.begin(), tensor.bytes.end());
  return bytes;
}

} // namespace fusec::io
