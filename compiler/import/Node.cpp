// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands and checks of a node.
#include "compiler/import/Node.h"

#include "compiler/import/GraphImporter.h"
#include "compiler/import/Hints.h"
#include "compiler/import/Presence.h"
#include "dialects/coded/CodedFloats.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <fmt/format.h>

using namespace mlir;

namespace fusec {

std::string shapeText(llvm::ArrayRef<int64_t> shape) {
  std::string text = "[";
  for (auto [index, extent] : llvm::enumerate(shape))
    text += (index ? ", " : "") + std::to_string(extent);
  return text + "]";
}

std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Node::Node(GraphImporter &importer, const FlatNode &flat,
           std::vector<TensorValue *> inputs)
    : TensorBuilder(importer.builder(), importer.locate(flat.name)),
      importer(importer), node(flat), inputs(std::move(inputs)),
      read(this->inputs.size()) {}

void Node::unsupported(const llvm::Twine &reason,
                       const llvm::Twine &hint) const {
  for (unsigned index : unknown)
    if (inputs[index]->isRefused)
      throw ReportedError();
  NodeError error{ProblemKind::Unsupported, reason.str(), hint.str()};
  for (unsigned index : unknown)
    importer.addInputsBehind(node.proto->input(index), error.bind);
  // An input that only says how large things are may be the same in every run;
  // what the model works on is not.
  auto isSmall = [&](const std::string &name) {
    const TensorValue *input = importer.find(name);
    return !input || !input->type ||
           input->type.getNumElements() <= fuse::ConstantOp::kMaxElements;
  };
  if (!llvm::all_of(error.bind, isSmall))
    error.bind.clear();
  std::vector<std::string> values;
  for (const std::string &name : error.bind)
    values.push_back(name + "=FILE");
  if (!values.empty())
    error.hint += (error.hint.empty() ? "" : ", or ") +
                  std::string(values.size() == 1 ? "fix the input's value: "
                                                 : "fix the inputs' values: ") +
                  optionText(importer.hintStyle(), "bind", values);
  throw error;
}

std::string Node::addHint(llvm::StringRef option,
                          llvm::ArrayRef<std::string> values) const {
  HintStyle style = importer.hintStyle();
  return fusec::addHint(style, optionText(style, option, values));
}

void Node::warn(const llvm::Twine &reason, const llvm::Twine &hint) const {
  importer.warn(node, reason, hint);
}

void Node::invalid(const llvm::Twine &reason) const {
  throw NodeError{ProblemKind::BadInput, reason.str(), ""};
}

operators::Found Node::userOperator() const {
  return importer.declareUserOperator(node);
}

bool Node::keepsBodies() const { return importer.keepsBodies(); }
bool Node::runsLaunchers() const { return importer.runsLaunchers(); }
int64_t Node::sharedBytes() const { return importer.sharedBytes(); }

bool Node::keepsFactors() const { return importer.keepsFactors(); }

//===- Operands -----------------------------------------------------------===//

RankedTensorType Node::type(unsigned index) const {
  if (!hasInput(index))
    invalid("lacks operand " + llvm::Twine(index));
  if (isSequence(index))
    invalid("needs a tensor as operand " + llvm::Twine(index) +
            ", has a sequence");
  return inputs[index]->type;
}

Value Node::input(unsigned index) {
  type(index);
  read.set(index);
  return importer.materialize(*inputs[index]);
}

Value Node::presence(unsigned index) {
  type(index);
  const TensorValue &operand = *inputs[index];
  if (!importer.hasOpenRows || operand.constant || operand.initializer >= 0)
    return {};
  return findPresence(builder, input(index));
}

void Node::leaveOpen() { importer.hasOpenRows = true; }

const std::vector<TensorValue> &Node::sequence(unsigned index) {
  if (!isSequence(index))
    invalid("needs a sequence as operand " + llvm::Twine(index));
  read.set(index);
  return *inputs[index]->sequence;
}

TensorValue Node::operand(unsigned index) {
  if (!isSequence(index))
    type(index);
  read.set(index);
  TensorValue &value = *inputs[index];
  // A copy would be read or built a second time.
  if (value.initializer >= 0 && !value.value && !value.constant) {
    if (importer.mayReadEarly(value))
      importer.elements(value);
    if (!value.constant)
      importer.materialize(value);
  }
  return value;
}

Value Node::materialize(TensorValue &tensor) {
  return importer.materialize(tensor);
}

Value Node::scalarInput(unsigned index, const llvm::Twine &what) {
  if (type(index).getNumElements() != 1)
    invalid("needs a scalar as " + what + ", has shape " +
            shapeText(shape(index)));
  return reshape(input(index), {});
}

Value Node::typedScalar(unsigned index, Type element, llvm::StringRef what) {
  if (elementType(index) != element || type(index).getNumElements() != 1)
    invalid("needs a " + what + " of one " + typeText(element) + ", has " +
            typeText(type(index)));
  return reshape(input(index), {});
}

const HostTensor *Node::constant(unsigned index) {
  const HostTensor *elements = extents(index);
  return elements && !inputs[index]->followsLength ? elements : nullptr;
}

const HostTensor *Node::extents(unsigned index) {
  type(index);
  read.set(index);
  const HostTensor *elements = importer.elements(*inputs[index]);
  if (!elements && !llvm::is_contained(unknown, index))
    unknown.push_back(index);
  return elements;
}

void Node::requireScales(unsigned index, bool division) {
  operand(index); // Which reads it, where nothing speaks against that.
  const HostTensor *scales = inputs[index]->constant.get();
  if (!scales)
    return;
  for (auto [i, scale] : llvm::enumerate(scales->floats))
    if (!std::isfinite(scale) || (division && scale <= 0))
      invalid("has the scale " + fmt::format("{}", scale) + ", element " +
              llvm::Twine(i) + " of '" + node.proto->input(index) +
              "'; a scale " + (division ? "that codes are made with " : "") +
              "must be finite" + (division ? ", and greater than 0" : ""));
}

std::string Node::runTimeText(unsigned index) const {
  std::string text = "computed at run time";
  if (inputs[index]->followsLength)
    return text + ": it follows from how many rows the caches have";
  return inputs[index]->runTime.empty() ? text
                                        : text + ": " + inputs[index]->runTime;
}

void Node::visitRead(
    llvm::function_ref<void(const TensorValue &)> visit) const {
  for (unsigned index : read.set_bits())
    if (inputs[index])
      visit(*inputs[index]);
  visitCaptures(*node.proto, [&](const std::string &name) {
    if (const TensorValue *value = importer.find(name))
      visit(*value);
  });
}

std::string Node::runTimeReason() const {
  std::string reason;
  visitRead([&](const TensorValue &value) {
    if (value.runTime.empty() || !reason.empty())
      return;
    reason = value.runTime;
    if (std::optional<std::string> input = importer.inputName(value))
      reason = "'" + node.name + "' (" + node.proto->op_type() +
               ") depends on the input '" + *input + "'";
  });
  return reason;
}

bool Node::readsRefused() const {
  bool any = false;
  visitRead([&](const TensorValue &value) { any |= value.isRefused; });
  return any;
}

std::vector<int64_t> Node::constantInts(unsigned index, llvm::StringRef what) {
  const HostTensor *tensor = extents(index);
  if (!tensor)
    unsupported("the " + what + " (operand '" + node.proto->input(index) +
                    "') is " + runTimeText(index),
                "export the model with static shapes or constant " + what);
  if (tensor->isFloat())
    invalid("the " + what + " must be integers, not " +
            typeText(tensor->type.getElementType()));
  return tensor->ints;
}

int64_t Node::constantInt(unsigned index, llvm::StringRef what) {
  std::vector<int64_t> values = constantInts(index, what);
  if (values.size() != 1)
    invalid("needs a scalar as " + what + ", has " +
            llvm::Twine(values.size()) + " elements");
  return values[0];
}

//===- Checks -------------------------------------------------------------===//

int64_t Node::normalizeAxis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    invalid("the axis " + llvm::Twine(axis) + " is out of range for rank " +
            llvm::Twine(rank));
  return axis < 0 ? axis + rank : axis;
}

std::vector<int64_t> Node::normalizeAxes(std::vector<int64_t> axes,
                                         int64_t rank) const {
  for (int64_t &axis : axes)
    axis = normalizeAxis(axis, rank);
  std::vector<int64_t> sorted = axes;
  llvm::sort(sorted);
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    invalid("names an axis twice: " + shapeText(axes));
  return axes;
}

void Node::requireFloat(unsigned index) const {
  if (!isa<FloatType>(elementType(index)) || isCoded(elementType(index)))
    unsupported("needs a floating-point operand, has " +
                typeText(elementType(index)));
}

void Node::requireSameElementType(unsigned first, unsigned second) const {
  if (elementType(first) != elementType(second))
    invalid("needs operands of one element type, has " +
            typeText(elementType(first)) + " and " +
            typeText(elementType(second)));
}

std::optional<int64_t> tensorBytes(RankedTensorType type) {
  auto bytes =
      io::byteSize(type.getShape(), storageBytes(type.getElementType()));
  if (!bytes || *bytes > kMaxTensorBytes)
    return std::nullopt;
  return *bytes;
}

int64_t Node::requireSize(RankedTensorType type) const {
  std::optional<int64_t> bytes = tensorBytes(type);
  if (!bytes)
    unsupported("computes a tensor of more than 2^40 bytes, of shape " +
                shapeText(type.getShape()));
  return *bytes / storageBytes(type.getElementType());
}

int64_t Node::requireComputable(RankedTensorType type) const {
  constexpr int64_t kMost = int64_t(1) << 26;
  int64_t count = requireSize(type);
  if (count > kMost)
    unsupported("needs a constant of more than 2^26 elements, of shape " +
                shapeText(type.getShape()));
  return count;
}

void Node::requireInputs(unsigned least, unsigned most) const {
  if (numInputs() < least || numInputs() > most)
    invalid("has " + llvm::Twine(numInputs()) + " operands, needs " +
            (least == most
                 ? llvm::Twine(least).str()
                 : std::to_string(least) + " to " + std::to_string(most)));
  for (unsigned i = 0; i < least; ++i)
    type(i);
}

llvm::SmallVector<int64_t>
Node::broadcastShape(llvm::ArrayRef<llvm::ArrayRef<int64_t>> shapes) const {
  llvm::SmallVector<int64_t> result;
  for (llvm::ArrayRef<int64_t> shape : shapes)
    if (shape.size() > result.size())
      result.insert(result.begin(), shape.size() - result.size(), 1);
  for (llvm::ArrayRef<int64_t> shape : shapes) {
    size_t skip = result.size() - shape.size();
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t &extent = result[skip + i];
      if (extent == 1)
        extent = shape[i];
      else if (shape[i] != 1 && shape[i] != extent) {
        std::string all;
        for (llvm::ArrayRef<int64_t> s : shapes)
          all += (all.empty() ? "" : " and ") + shapeText(s);
        invalid("cannot broadcast the shapes " + all);
      }
    }
  }
  return result;
}

} // namespace fusec
