// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Constants as initializers, and attributes.
#include "codegen/Names.h"
#include "compiler/export/Writer.h"
#include "compiler/io/Tensor.h"
#include "passes/graph/ConstantData.h"

using namespace mlir;

namespace fusec {

//===- Attributes ---------------------------------------------------------===//

onnx::AttributeProto *
NodeHandle::add(llvm::StringRef name,
                onnx::AttributeProto::AttributeType type) {
  onnx::AttributeProto *attribute = proto->add_attribute();
  attribute->set_name(name.str());
  attribute->set_type(type);
  return attribute;
}

NodeHandle &NodeHandle::integer(llvm::StringRef name, int64_t value) {
  add(name, onnx::AttributeProto::INT)->set_i(value);
  return *this;
}
NodeHandle &NodeHandle::real(llvm::StringRef name, double value) {
  add(name, onnx::AttributeProto::FLOAT)->set_f(float(value));
  return *this;
}
NodeHandle &NodeHandle::text(llvm::StringRef name, llvm::StringRef value) {
  add(name, onnx::AttributeProto::STRING)->set_s(value.str());
  return *this;
}
NodeHandle &NodeHandle::integers(llvm::StringRef name,
                                 ArrayRef<int64_t> values) {
  onnx::AttributeProto *attribute = add(name, onnx::AttributeProto::INTS);
  attribute->mutable_ints()->Add(values.begin(), values.end());
  return *this;
}
NodeHandle &NodeHandle::reals(llvm::StringRef name, ArrayRef<double> values) {
  onnx::AttributeProto *attribute = add(name, onnx::AttributeProto::FLOATS);
  for (double value : values)
    attribute->add_floats(float(value));
  return *this;
}
NodeHandle &NodeHandle::texts(llvm::StringRef name,
                              ArrayRef<std::string> values) {
  onnx::AttributeProto *attribute = add(name, onnx::AttributeProto::STRINGS);
  for (const std::string &value : values)
    attribute->add_strings(value);
  return *this;
}
NodeHandle &NodeHandle::graph(llvm::StringRef name, onnx::GraphProto value) {
  *add(name, onnx::AttributeProto::GRAPH)->mutable_g() = std::move(value);
  return *this;
}
NodeHandle &NodeHandle::domain(llvm::StringRef name) {
  proto->set_domain(name.str());
  return *this;
}

//===- Initializers -------------------------------------------------------===//

onnx::TensorProto *Writer::addInitializer(llvm::StringRef wish, Type element,
                                          ArrayRef<int64_t> shape) {
  onnx::TensorProto *tensor = proto.mutable_graph()->add_initializer();
  tensor->set_name(unique(wish));
  tensor->set_data_type(codeOf(element));
  tensor->mutable_dims()->Add(shape.begin(), shape.end());
  return tensor;
}

/// Elements as a file has them: those of less than a byte are packed.
static void setElements(onnx::TensorProto &tensor, ArrayRef<char> data) {
  auto type = *io::elementTypeFromOnnx(tensor.data_type());
  if (!io::getInfo(type).packedBits)
    return tensor.set_raw_data(data.data(), data.size());
  io::Bytes packed = io::pack(type, data);
  tensor.set_raw_data(packed.data(), packed.size());
}

std::string Writer::initializer(llvm::StringRef wish, Type element,
                                ArrayRef<int64_t> shape, ArrayRef<char> data) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << getTypeInfo(element)->name;
  for (int64_t extent : shape)
    os << "," << extent;
  os << ":" << llvm::StringRef(data.data(), data.size());
  auto [found, isNew] = initializers.try_emplace(key);
  if (isNew) {
    onnx::TensorProto *tensor = addInitializer(wish, element, shape);
    setElements(*tensor, data);
    found->second = tensor->name();
  }
  return found->second;
}

std::string Writer::constant(Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = fuse::getTensorType(value);
  fuse::ConstantData data = packData(*fuse::getConstantData(value), type);
  auto get = value.getDefiningOp<fuse::GetWeightOp>();
  if (!get || data.owned || type.getNumElements() == 0 ||
      isPartOfByte(type.getElementType())) {
    std::string wish = wishFor(value);
    return initializer(wish.empty() ? "constant" : wish, type.getElementType(),
                       shape, data.bytes);
  }
  // A weight's bytes stay where they are until the model is written.
  std::string key = ("weight:" + get.getWeight()).str();
  for (int64_t extent : shape)
    key += "," + std::to_string(extent);
  auto [found, isNew] = initializers.try_emplace(key);
  if (isNew) {
    llvm::StringRef wish = codegen::firstName(data.weight.getLoc());
    onnx::TensorProto *tensor =
        addInitializer(wish.empty() ? data.weight.getSymName() : wish,
                       type.getElementType(), shape);
    bytes[tensor] = data.bytes;
    found->second = tensor->name();
  }
  return found->second;
}

std::string Writer::wishForConstant() const {
  llvm::StringRef base =
      writing ? codegen::firstName(writing->getLoc()) : llvm::StringRef();
  return base.empty() ? "constant" : (base + "_constant").str();
}

template <typename T> static ArrayRef<char> asBytes(ArrayRef<T> values) {
  return {reinterpret_cast<const char *>(values.data()),
          values.size() * sizeof(T)};
}

std::string Writer::integers(ArrayRef<int64_t> values,
                             ArrayRef<int64_t> shape) {
  return initializer(wishForConstant(),
                     IntegerType::get(module.getContext(), 64), shape,
                     asBytes(values));
}

std::string Writer::integers(ArrayRef<int64_t> values) {
  return integers(values, {int64_t(values.size())});
}

std::string Writer::reals(ArrayRef<float> values) {
  return initializer(wishForConstant(), Float32Type::get(module.getContext()),
                     {int64_t(values.size())}, asBytes(values));
}

/// The element as memory has it.
static std::string encode(TypedAttr value) {
  llvm::APInt bits = isa<FloatAttr>(value)
                         ? cast<FloatAttr>(value).getValue().bitcastToAPInt()
                         : cast<IntegerAttr>(value).getValue();
  unsigned count = getTypeInfo(value.getType())->storageBytes();
  uint64_t word = bits.zextOrTrunc(64).getZExtValue();
  return std::string(reinterpret_cast<const char *>(&word), count);
}

std::string Writer::scalar(TypedAttr value) {
  std::string element = encode(value);
  return initializer(wishForConstant(), value.getType(), {},
                     {element.data(), element.size()});
}

static TypedAttr makeScalar(double value, Type element) {
  if (isa<FloatType>(element))
    return FloatAttr::get(element, value);
  unsigned width = element.getIntOrFloatBitWidth();
  return IntegerAttr::get(element,
                          llvm::APInt(64, int64_t(value)).sextOrTrunc(width));
}

std::string Writer::scalar(double value, Type element) {
  return scalar(makeScalar(value, element));
}

/// The bytes of a tensor of zeros.
static std::vector<char> makeZeros(ArrayRef<int64_t> shape, Type element) {
  return std::vector<char>(ShapedType::getNumElements(shape) *
                               getTypeInfo(element)->storageBytes(),
                           0);
}

std::string Writer::zeros(ArrayRef<int64_t> shape, Type element) {
  return initializer(wishForConstant(), element, shape,
                     makeZeros(shape, element));
}

std::string Writer::ownZeros(ArrayRef<int64_t> shape, Type element) {
  onnx::TensorProto *tensor = addInitializer(wishForConstant(), element, shape);
  setElements(*tensor, makeZeros(shape, element));
  return tensor->name();
}

std::string Writer::numbers(ArrayRef<int64_t> shape, Type element) {
  std::string data;
  for (int64_t i = 0, e = ShapedType::getNumElements(shape); i < e; ++i)
    data += encode(makeScalar(double(i), element));
  return initializer(wishForConstant(), element, shape,
                     {data.data(), data.size()});
}

} // namespace fusec
