// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The operations that converters build over and over, and a node's results.
#include "compiler/import/GraphImporter.h"
#include "compiler/import/Node.h"

using namespace mlir;

namespace fusec {

Value Node::tensor(const HostTensor &value) {
  auto bytes = std::make_shared<std::vector<char>>(value.toBytes());
  return importer.buildConstant(node.name, value.type, {*bytes, bytes});
}

Value Node::unpack(unsigned index, RankedTensorType type) {
  read.set(index);
  return importer.unpack(*inputs[index], type);
}

HostTensor Node::hostVector(std::vector<int64_t> values) {
  auto type = tensorType({int64_t(values.size())}, builder.getI64Type());
  return HostTensor::fromInts(type, std::move(values));
}

bool Node::isModelOutput(unsigned index) const {
  return wantsOutput(index) &&
         importer.isModelOutput(node.proto->output(index));
}

bool Node::isState(unsigned input, unsigned output) const {
  return hasInput(input) && wantsOutput(output) &&
         importer.isState(*inputs[input], node.proto->output(output));
}

SmallVector<int64_t> Node::growth(unsigned index) const {
  return importer.growthOf(*inputs[index]);
}

Value Node::cacheLength() const { return importer.cacheLength(); }

Value Node::growingNumber(int64_t full, int64_t factor) {
  const int64_t number = full - factor * importer.growthLimit();
  if (factor == 0)
    return tensor(hostVector({number}));
  Value length = importer.cacheLength();
  if (factor != 1)
    length = mul(length, tensor(hostVector({factor})));
  return number ? add(length, tensor(hostVector({number}))) : length;
}

Value Node::growingCache(int64_t axis) {
  if (!wantsOutput(0) || !importer.findCache(node.proto->output(0)))
    return {};
  read.set(0);
  return importer.takeCache(*inputs[0], axis, shape(1)[axis]);
}

bool Node::isOnTrial() const { return importer.isOnTrial; }

bool Node::setOnTrial(bool isOnTrial) {
  return std::exchange(importer.isOnTrial, isOnTrial);
}

std::optional<int64_t> Node::maxTrips() const { return importer.maxTrips(); }

RankedTensorType Node::declaredOutput(unsigned index,
                                      std::vector<std::string> &open) const {
  return wantsOutput(index)
             ? importer.declaredType(node.proto->output(index), open)
             : RankedTensorType();
}

void Node::setOutput(unsigned index, Value value) {
  if (!wantsOutput(index))
    return;
  RankedTensorType type = fuse::getTensorType(value);
  if (!getTypeInfo(type.getElementType()))
    unsupported("computes the element type " + typeText(type.getElementType()) +
                ", which is not supported");
  requireSize(type);
  TensorValue result;
  result.type = type;
  result.value = value;
  result.runTime = runTimeReason();
  result.isRefused = readsRefused();
  importer.define(node.proto->output(index), std::move(result));
}

void Node::setOutput(unsigned index, HostTensor constant) {
  if (!wantsOutput(index))
    return;
  TensorValue result;
  result.type = constant.type;
  result.constant = std::make_shared<HostTensor>(std::move(constant));
  importer.define(node.proto->output(index), std::move(result));
}

void Node::setOutput(unsigned index, TensorValue value) {
  if (wantsOutput(index))
    importer.define(node.proto->output(index), std::move(value));
}

void Node::setSequence(unsigned index, std::vector<TensorValue> elements) {
  TensorValue value;
  value.sequence =
      std::make_shared<std::vector<TensorValue>>(std::move(elements));
  value.runTime = runTimeReason();
  setOutput(index, std::move(value));
}

void Node::setAbsent(unsigned index) {
  TensorValue value;
  value.isAbsent = true;
  setOutput(index, std::move(value));
}

std::vector<TensorValue>
Node::importInline(const onnx::GraphProto &graph,
                   std::vector<TensorValue> arguments) {
  return importer.importGraph(node, graph, std::move(arguments));
}

NodeBody
Node::importBody(const onnx::GraphProto &graph,
                 llvm::function_ref<std::vector<TensorValue>(Block &)> enter) {
  NodeBody body;
  body.region = std::make_unique<Region>();
  OpBuilder::InsertionGuard guard(builder);
  Block &block = body.region->emplaceBlock();
  builder.setInsertionPointToEnd(&block);
  body.outputs = importer.importGraph(node, graph, enter(block));
  return body;
}

const HostTensor *Node::elements(TensorValue &tensor) {
  const HostTensor *elements = importer.elements(tensor);
  if (!elements && tensor.isRefused)
    throw ReportedError();
  return elements;
}
bool Node::offersKernels() const { return importer.offersKernels(); }
std::string Node::findDecided(std::string &name) {
  name = importer.nameKernels(loc);
  return importer.findDecided(name);
}
void Node::declare(const operators::Found &found) {
  importer.declareOperator(found);
}
fuse::Evaluator Node::makeEvaluator() { return importer.makeEvaluator(); }
bool Node::mayRetry() { return importer.mayRetry(); }
size_t Node::numProblems() const { return importer.numProblems(); }
std::vector<Problem> Node::takeProblems(size_t before) {
  return importer.takeProblems(before);
}
void Node::addProblems(std::vector<Problem> problems) {
  importer.addProblems(std::move(problems));
}

Value Node::bodyOutput(NodeBody &body, unsigned index) {
  if (!body.outputs[index].type)
    invalid("has a graph whose output " + llvm::Twine(index) +
            " is not a tensor");
  return importer.materialize(body.outputs[index]);
}

void Node::forward(unsigned index, unsigned input) {
  if (!isSequence(input))
    type(input);
  read.set(input);
  if (wantsOutput(index))
    importer.define(node.proto->output(index), *inputs[input]);
}

void Node::refuseOutput(unsigned index, llvm::StringRef what) const {
  if (wantsOutput(index))
    unsupported("the result " + llvm::Twine(index) + " (" + what +
                ") is not supported");
}

} // namespace fusec
