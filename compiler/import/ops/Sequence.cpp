// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences and optional values. How many elements a sequence has and which
// they are is known at import, so that nothing of it is left in the module.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

using Elements = std::vector<TensorValue>;

/// Sequences that a small file may ask for.
constexpr int64_t kMaxElements = 65536;

void requireOneElementType(Node &node, const Elements &elements) {
  for (const TensorValue &element : elements)
    if (element.type.getElementType() != elements.front().type.getElementType())
      node.invalid("has a sequence of " + typeText(elements.front().type) +
                   " and " + typeText(element.type));
}

//===- Elements -----------------------------------------------------------===//

void convertSequenceEmpty(Node &node) {
  node.ignoreAttributes({"dtype"}); // that of the elements, of which none is
  node.setSequence(0, {});
}

void convertSequenceConstruct(Node &node) {
  Elements elements;
  for (unsigned i = 0; i < node.numInputs(); ++i) {
    node.type(i);
    elements.push_back(node.operand(i));
  }
  if (elements.empty())
    node.invalid("has no operands");
  requireOneElementType(node, elements);
  node.setSequence(0, std::move(elements));
}

/// A position in a sequence of `count` places, negative ones from the end.
int64_t sequencePosition(Node &node, unsigned index, int64_t count) {
  int64_t at = node.constantInt(index, "position");
  int64_t length = int64_t(node.sequence(0).size());
  int64_t place = at < 0 ? at + length : at;
  if (place < 0 || place >= count)
    node.invalid("has the position " + llvm::Twine(at) +
                 " in a sequence of length " + llvm::Twine(length));
  return place;
}

void convertSequenceAt(Node &node) {
  const Elements &elements = node.sequence(0);
  node.setOutput(0,
                 elements[sequencePosition(node, 1, int64_t(elements.size()))]);
}

void convertSequenceInsert(Node &node) {
  Elements elements = node.sequence(0);
  node.type(1);
  int64_t length = int64_t(elements.size());
  if (length == kMaxElements)
    node.unsupported("makes a sequence of more than " +
                     llvm::Twine(kMaxElements) + " tensors");
  int64_t at =
      node.hasInput(2) ? sequencePosition(node, 2, length + 1) : length;
  elements.insert(elements.begin() + at, node.operand(1));
  requireOneElementType(node, elements);
  node.setSequence(0, std::move(elements));
}

void convertSequenceErase(Node &node) {
  Elements elements = node.sequence(0);
  int64_t length = int64_t(elements.size());
  if (length == 0)
    node.invalid("takes a tensor out of an empty sequence");
  int64_t at =
      node.hasInput(1) ? sequencePosition(node, 1, length) : length - 1;
  elements.erase(elements.begin() + at);
  node.setSequence(0, std::move(elements));
}

void convertSequenceLength(Node &node) {
  int64_t length = int64_t(node.sequence(0).size());
  node.setOutput(0, HostTensor::fromInts(
                        tensorType({}, node.builder.getI64Type()), {length}));
}

//===- Tensors to sequences and back --------------------------------------===//

/// `value` with a dimension of extent 1 at `axis` where the sequence's tensors
/// are laid along a new one.
SmallVector<int64_t> elementShape(const TensorValue &value, int64_t axis,
                                  bool isNew) {
  SmallVector<int64_t> shape(value.type.getShape());
  if (isNew)
    shape.insert(shape.begin() + axis, 1);
  return shape;
}

void convertSequenceConcat(Node &node) {
  Elements elements = node.sequence(0);
  if (elements.empty())
    node.unsupported("joins an empty sequence, whose elements have no shape");
  requireOneElementType(node, elements);
  bool isNew = node.flag("new_axis");
  int64_t rank = elements.front().type.getRank() + isNew;
  int64_t axis = node.normalizeAxis(node.intAttribute("axis"), rank);
  SmallVector<int64_t> shape = elementShape(elements.front(), axis, isNew);
  int64_t total = 0;
  for (const TensorValue &element : elements) {
    auto other = element.type.getRank() + isNew == rank
                     ? elementShape(element, axis, isNew)
                     : SmallVector<int64_t>();
    int64_t extent = other.empty() ? 0 : other[axis];
    if (!other.empty())
      other[axis] = shape[axis];
    if (other != shape)
      node.invalid("cannot join " + typeText(elements.front().type) + " and " +
                   typeText(element.type) + " along axis " + llvm::Twine(axis));
    total += extent;
  }
  shape[axis] = total;
  auto type = tensorType(shape, elements.front().type.getElementType());
  node.requireSize(type);
  SmallVector<Value> operands;
  for (TensorValue &element : elements)
    if (element.type.getNumElements() || !type.getNumElements())
      operands.push_back(node.reshape(node.materialize(element),
                                      elementShape(element, axis, isNew)));
  node.setOutput(0, operands.size() == 1 ? operands[0]
                                         : node.concat(operands, axis));
}

/// `size` places of operand 0 from `start` on along `axis`.
TensorValue takeSplitPart(Node &node, int64_t axis, int64_t start, int64_t size,
                          bool squeezes) {
  SmallVector<int64_t> shape(node.shape(0));
  shape[axis] = size;
  if (squeezes)
    shape.erase(shape.begin() + axis);
  TensorValue part;
  part.type = tensorType(shape, node.elementType(0));
  part.block = node.builder.getInsertionBlock();
  part.value =
      node.reshape(node.slice(node.input(0), axis, start, size), shape);
  return part;
}

void convertSequenceSplit(Node &node) {
  int64_t axis = node.normalizeAxis(node.intAttribute("axis", 0), node.rank(0));
  int64_t extent = node.shape(0)[axis];
  bool squeezes = !node.flag("keepdims", true) && !node.hasInput(1);
  std::vector<int64_t> sizes;
  int64_t chunk = 1;
  if (node.hasInput(1)) {
    sizes = node.constantInts(1, "split");
    if (node.rank(1) == 0)
      chunk = sizes[0];
  }
  if (!node.hasInput(1) || node.rank(1) == 0) {
    if (chunk <= 0)
      node.invalid("splits into parts of " + llvm::Twine(chunk));
    if (extent / chunk >= kMaxElements)
      node.unsupported("makes a sequence of more than " +
                       llvm::Twine(kMaxElements) + " tensors");
    sizes.assign(extent / chunk, chunk);
    if (extent % chunk)
      sizes.push_back(extent % chunk);
  }
  int64_t total = 0;
  for (int64_t size : sizes) {
    if (size < 0 || size > extent - total)
      node.invalid("cannot split " + llvm::Twine(extent) +
                   " elements into parts of " + shapeText(sizes));
    total += size;
  }
  if (total != extent)
    node.invalid("cannot split " + llvm::Twine(extent) +
                 " elements into parts of " + shapeText(sizes));
  Elements elements;
  int64_t start = 0;
  for (int64_t size : sizes) {
    elements.push_back(takeSplitPart(node, axis, start, size, squeezes));
    start += size;
  }
  node.setSequence(0, std::move(elements));
}

/// The body once for each element, in place.
void convertSequenceMap(Node &node) {
  const onnx::GraphProto &body = node.graphAttribute("body");
  size_t length = node.sequence(0).size();
  for (unsigned i = 1; i < node.numInputs(); ++i)
    if (node.isSequence(i) && node.sequence(i).size() != length)
      node.invalid("maps sequences of the lengths " + llvm::Twine(length) +
                   " and " + llvm::Twine(node.sequence(i).size()));
  if (body.output_size() < int(node.numOutputs()))
    node.invalid("has a body with " + llvm::Twine(body.output_size()) +
                 " outputs for its " + llvm::Twine(node.numOutputs()));
  std::vector<Elements> results(node.numOutputs());
  for (size_t at = 0; at < length; ++at) {
    Elements arguments;
    for (unsigned i = 0; i < node.numInputs(); ++i)
      arguments.push_back(node.isSequence(i) ? node.sequence(i)[at]
                                             : node.operand(i));
    Elements outputs = node.importInline(body, std::move(arguments));
    for (auto [i, result] : llvm::enumerate(results)) {
      if (!outputs[i].type)
        node.invalid("has a body whose output " + llvm::Twine(i) +
                     " is not a tensor");
      result.push_back(outputs[i]);
    }
  }
  for (auto [i, result] : llvm::enumerate(results))
    node.setSequence(i, std::move(result));
}

//===- Optional values ----------------------------------------------------===//

void convertOptional(Node &node) {
  node.ignoreAttributes({"type"});
  node.hasInput(0) ? node.forward(0, 0) : node.setAbsent(0);
}

void convertOptionalGetElement(Node &node) {
  if (!node.hasInput(0))
    node.invalid("takes the element of an optional value that has none");
  node.forward(0, 0);
}

void convertOptionalHasElement(Node &node) {
  auto type = tensorType({}, node.builder.getI1Type());
  node.setOutput(0, HostTensor::fromInts(type, {node.hasInput(0)}));
}

} // namespace

void registerSequence(Registry &r) {
  auto add = [&](llvm::StringRef op, int64_t since, Converter convert) {
    Operator &added = r.add(op, since, convert);
    added.takesCodes = true;
    added.takesSequences = true;
  };
  add("SequenceEmpty", 11, convertSequenceEmpty);
  add("SequenceConstruct", 11, convertSequenceConstruct);
  add("SequenceAt", 11, convertSequenceAt);
  add("SequenceInsert", 11, convertSequenceInsert);
  add("SequenceErase", 11, convertSequenceErase);
  add("SequenceLength", 11, convertSequenceLength);
  add("SequenceMap", 17, convertSequenceMap);
  add("ConcatFromSequence", 11, convertSequenceConcat);
  add("SplitToSequence", 11, convertSequenceSplit);
  add("Optional", 15, convertOptional);
  add("OptionalGetElement", 15, convertOptionalGetElement);
  add("OptionalHasElement", 15, convertOptionalHasElement);
}

} // namespace fusec
