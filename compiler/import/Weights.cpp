// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants of the model as constants and weights of the module.
#include "compiler/import/GraphImporter.h"

#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

namespace fusec {

[[noreturn]] static void refuse(ProblemKind kind, const llvm::Twine &reason) {
  throw NodeError{kind, reason.str(), ""};
}

RankedTensorType GraphImporter::typeOf(const onnx::TensorProto &tensor) {
  Type elementType = elementTypeFromOnnx(tensor.data_type(), &context);
  std::string what = "the constant '" + tensor.name() + "' ";
  if (!elementType)
    refuse(ProblemKind::Unsupported, what + "has element type " +
                                         io::onnxTypeName(tensor.data_type()) +
                                         ", which is not supported");
  SmallVector<int64_t> shape(tensor.dims().begin(), tensor.dims().end());
  if (!io::byteSize(shape, storageBytes(elementType)))
    refuse(ProblemKind::BadInput,
           what + "has the impossible shape " + shapeText(shape));
  return tensorType(shape, elementType);
}

/// Why the constant `name` cannot be read.
[[noreturn]] static void refuseBytes(llvm::StringRef name, llvm::Error error) {
  NodeError refusal{ProblemKind::BadInput, "", ""};
  llvm::handleAllErrors(
      std::move(error),
      [&](const ExternalFileError &fault) {
        refusal.reason = fault.text;
        refusal.externalFile = fault.location;
      },
      [&](const llvm::ErrorInfoBase &fault) {
        refusal.reason =
            ("the constant '" + name + "' " + fault.message()).str();
      });
  throw refusal;
}

TensorBytes GraphImporter::attributeBytes(const onnx::TensorProto &tensor) {
  llvm::Expected<TensorBytes> bytes = file.tensorBytes(tensor);
  if (!bytes)
    refuseBytes(tensor.name(), bytes.takeError());
  return std::move(*bytes);
}

TensorValue GraphImporter::readConstant(const onnx::TensorProto &tensor,
                                        llvm::StringRef name) {
  RankedTensorType type = typeOf(tensor);
  return ownConstant(name, type, attributeBytes(tensor));
}

TensorValue GraphImporter::ownConstant(llvm::StringRef name,
                                       RankedTensorType type,
                                       TensorBytes bytes) {
  TensorValue value;
  value.type = type;
  bool large = type.getNumElements() > fuse::ConstantOp::kMaxElements;
  if (large && isa<FloatType>(type.getElementType()))
    value.value = buildConstant(name, type, std::move(bytes));
  else
    value.constant =
        std::make_shared<HostTensor>(HostTensor::fromBytes(type, bytes.bytes));
  return value;
}

TensorBytes GraphImporter::bytesOf(TensorValue &tensor) {
  if (tensor.initializer < 0) {
    auto storage =
        std::make_shared<std::vector<char>>(tensor.constant->toBytes());
    return {*storage, storage};
  }
  auto bytes = file.initializerBytes(tensor.initializer);
  if (!bytes)
    refuseBytes(tensor.name, bytes.takeError());
  return std::move(*bytes);
}

Value GraphImporter::unpack(TensorValue &bytes, RankedTensorType type) {
  if (bytes.initializer < 0 && !bytes.constant)
    return {};
  TensorBytes elements;
  if (!options.checkOnly ||
      type.getNumElements() <= fuse::ConstantOp::kMaxElements) {
    TensorBytes packed = bytesOf(bytes);
    unsigned bits = type.getElementType().getIntOrFloatBitWidth();
    auto storage = std::make_shared<std::vector<char>>(type.getNumElements());
    unsigned perByte = 8 / bits, mask = (1u << bits) - 1;
    for (auto [number, element] : llvm::enumerate(*storage))
      element =
          uint8_t(packed.bytes[number / perByte]) >> (number % perByte * bits) &
          mask;
    elements = {*storage, storage};
  }
  OpBuilder::InsertionGuard guard(opBuilder);
  if (bytes.block)
    opBuilder.setInsertionPointToEnd(bytes.block);
  return buildConstant(bytes.name, type, std::move(elements),
                       isSwappable(bytes));
}

Value GraphImporter::materialize(TensorValue &tensor) {
  if (scratch)
    return scratchValue(*elements(tensor));
  if (tensor.value && growth)
    if (std::optional<std::string> input = inputName(tensor);
        input && growth->has(*input))
      throw NodeError{ProblemKind::Unsupported,
                      "reads what the cache '" + *input +
                          "' had before the run by itself; a cache that grows "
                          "is a buffer, of which only the Concat with the new "
                          "rows is read",
                      "make no state of it, or export a cache of fixed length"};
  if (tensor.value)
    return tensor.value;
  TensorBytes bytes = bytesOf(tensor);
  OpBuilder::InsertionGuard guard(opBuilder);
  if (tensor.block)
    opBuilder.setInsertionPointToEnd(tensor.block);
  const bool mayChange = isSwappable(tensor);
  if (tensor.initializer >= 0 && !mayChange)
    keepFixed(tensor);
  return tensor.value = buildConstant(tensor.name, tensor.type,
                                      std::move(bytes), mayChange);
}

/// A symbol that C and MLIR accept unquoted: letters, digits and underscores,
/// not starting with a digit; a number behind it where two names meet.
std::string GraphImporter::symbolName(llvm::StringRef name) {
  std::string symbol;
  for (char c : name) {
    bool keep = llvm::isAlnum(c) || c == '_';
    if (keep || (!symbol.empty() && symbol.back() != '_'))
      symbol += keep ? c : '_';
  }
  while (!symbol.empty() && symbol.back() == '_')
    symbol.pop_back();
  if (symbol.empty() || llvm::isDigit(symbol[0]))
    symbol = "w" + symbol;
  std::string unique = symbol;
  for (unsigned i = 1; !symbols.insert(unique).second; ++i)
    unique = symbol + "_" + std::to_string(i);
  return unique;
}

Value GraphImporter::buildConstant(llvm::StringRef name, RankedTensorType type,
                                   TensorBytes bytes, bool asWeight) {
  if (!getTypeInfo(type.getElementType()))
    refuse(ProblemKind::Unsupported,
           "the constant '" + name + "' has element type " +
               typeText(type.getElementType()) + ", which is not supported");
  Location loc = locate(name);
  if (scratch)
    return scratchValue(HostTensor::fromBytes(type, bytes.bytes));
  asWeight &= type.getNumElements() > 0;
  if (type.getNumElements() <= fuse::ConstantOp::kMaxElements && !asWeight)
    return fuse::ConstantOp::create(opBuilder, loc, type,
                                    denseElements(type, bytes.bytes));

  std::string *known = nullptr;
  if (scopes.size() > 1 && bytes.owner && !asWeight) {
    auto hash = llvm::xxh3_128bits(
        {reinterpret_cast<const uint8_t *>(bytes.bytes.data()),
         bytes.bytes.size()});
    known = &innerWeights[{type.getAsOpaquePointer(), hash.high64, hash.low64}];
    if (!known->empty())
      return fuse::GetWeightOp::create(opBuilder, loc, type, *known);
  }
  std::string symbol = symbolName(name);
  if (asWeight)
    swappable[symbol] = name.str();
  if (known)
    *known = symbol;
  // The blob points into the mapped file, where nothing is aligned: readers
  // of weights go by bytes.
  std::optional<AsmResourceBlob> blob;
  if (bytes.owner)
    blob.emplace(
        bytes.bytes, /*dataAlignment=*/1,
        [bytes](void *, size_t, size_t) {
          if (bytes.isMapped)
            io::MappedFile::forget(bytes.bytes);
        },
        /*dataIsMutable=*/false);
  auto handle =
      DenseResourceElementsHandle::getManagerInterface(&context).insert(
          symbol, std::move(blob));
  weights[symbol] =
      fuse::WeightOp::create(weightBuilder, loc, symbol, StringAttr(),
                             DenseResourceElementsAttr::get(type, handle));
  return fuse::GetWeightOp::create(opBuilder, loc, type, symbol);
}

} // namespace fusec
