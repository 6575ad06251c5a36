// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The attributes of nodes.
#include "compiler/import/GraphImporter.h"

using namespace mlir;

namespace fusec {

bool Node::hasAttribute(llvm::StringRef name) const {
  return llvm::any_of(node.proto->attribute(), [&](const auto &attribute) {
    return attribute.name() == name;
  });
}

/// What an attribute is, in words.
static llvm::StringRef wordsOf(onnx::AttributeProto::AttributeType type) {
  switch (type) {
  case onnx::AttributeProto::INT:
    return "an integer";
  case onnx::AttributeProto::FLOAT:
    return "a number";
  case onnx::AttributeProto::STRING:
    return "a string";
  case onnx::AttributeProto::INTS:
    return "a list of integers";
  case onnx::AttributeProto::FLOATS:
    return "a list of numbers";
  case onnx::AttributeProto::STRINGS:
    return "a list of strings";
  case onnx::AttributeProto::TENSOR:
    return "a tensor";
  case onnx::AttributeProto::SPARSE_TENSOR:
    return "a sparse tensor";
  case onnx::AttributeProto::GRAPH:
    return "a graph";
  default:
    return "of another type";
  }
}

const onnx::AttributeProto *
Node::attribute(llvm::StringRef name,
                onnx::AttributeProto::AttributeType type) {
  readAttributes.insert(name);
  for (const onnx::AttributeProto &attribute : node.proto->attribute()) {
    if (attribute.name() != name)
      continue;
    // The first exporters left the type out.
    if (attribute.type() != type &&
        attribute.type() != onnx::AttributeProto::UNDEFINED)
      invalid("the attribute '" + name + "' is " + wordsOf(attribute.type()) +
              ", not " + wordsOf(type));
    return &attribute;
  }
  return nullptr;
}

int64_t Node::intAttribute(llvm::StringRef name, int64_t fallback) {
  auto *found = attribute(name, onnx::AttributeProto::INT);
  return found ? found->i() : fallback;
}

int64_t Node::intAttribute(llvm::StringRef name) {
  if (!hasAttribute(name))
    invalid("lacks the attribute '" + name + "'");
  return intAttribute(name, 0);
}

double Node::floatAttribute(llvm::StringRef name, double fallback) {
  auto *found = attribute(name, onnx::AttributeProto::FLOAT);
  return found ? double(found->f()) : fallback;
}

bool Node::isOf(onnx::AttributeProto::AttributeType type,
                llvm::StringRef name) const {
  return llvm::any_of(node.proto->attribute(), [&](const auto &attribute) {
    return attribute.name() == name && attribute.type() == type;
  });
}

double Node::numberAttribute(llvm::StringRef name) {
  return isOf(onnx::AttributeProto::INT, name) ? double(intAttribute(name))
                                               : floatAttribute(name, 0);
}

std::vector<double> Node::numbersAttribute(llvm::StringRef name) {
  if (!isOf(onnx::AttributeProto::INTS, name))
    return floatsAttribute(name);
  const std::vector<int64_t> integers = intsAttribute(name);
  return {integers.begin(), integers.end()};
}

std::string Node::stringAttribute(llvm::StringRef name,
                                  llvm::StringRef fallback) {
  auto *found = attribute(name, onnx::AttributeProto::STRING);
  return found ? found->s() : fallback.str();
}

std::vector<int64_t> Node::intsAttribute(llvm::StringRef name) {
  auto *found = attribute(name, onnx::AttributeProto::INTS);
  if (!found)
    return {};
  return {found->ints().begin(), found->ints().end()};
}

std::vector<double> Node::floatsAttribute(llvm::StringRef name) {
  auto *found = attribute(name, onnx::AttributeProto::FLOATS);
  if (!found)
    return {};
  return {found->floats().begin(), found->floats().end()};
}

std::vector<std::string> Node::stringsAttribute(llvm::StringRef name) {
  auto *found = attribute(name, onnx::AttributeProto::STRINGS);
  if (!found)
    return {};
  return {found->strings().begin(), found->strings().end()};
}

const onnx::TensorProto &Node::tensorProto(llvm::StringRef name) {
  auto *found = attribute(name, onnx::AttributeProto::TENSOR);
  if (!found || !found->has_t())
    invalid("lacks the tensor attribute '" + name + "'");
  return found->t();
}

TensorValue Node::tensorAttribute(llvm::StringRef name) {
  return importer.readConstant(tensorProto(name), node.name);
}

TensorValue Node::sparseAttribute(llvm::StringRef name) {
  auto *found = attribute(name, onnx::AttributeProto::SPARSE_TENSOR);
  if (!found || !found->has_sparse_tensor())
    invalid("lacks the sparse tensor '" + name + "'");
  return importer.readSparse(found->sparse_tensor(), node.name);
}

HostTensor Node::elementsAttribute(llvm::StringRef name) {
  const onnx::TensorProto &tensor = tensorProto(name);
  RankedTensorType type = importer.typeOf(tensor);
  return HostTensor::fromBytes(type, importer.attributeBytes(tensor).bytes);
}

const onnx::GraphProto &Node::graphAttribute(llvm::StringRef name) {
  auto *found = attribute(name, onnx::AttributeProto::GRAPH);
  if (!found || !found->has_g())
    invalid("lacks the graph '" + name + "'");
  return found->g();
}

void Node::ignoreAttributes(std::initializer_list<llvm::StringRef> names) {
  for (llvm::StringRef name : names)
    readAttributes.insert(name);
}

llvm::StringRef Node::unreadAttribute() const {
  for (const onnx::AttributeProto &attribute : node.proto->attribute())
    if (!readAttributes.contains(attribute.name()))
      return attribute.name();
  return {};
}

} // namespace fusec
