// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over the module: inputs, operations, bodies, outputs.
#include "compiler/export/Writer.h"

#include "codegen/Names.h"
#include "compiler/export/Registry.h"
#include "dialects/coded/CodedFloats.h"
#include "dialects/fuse/ModelSource.h"

using namespace mlir;

namespace fusec {

static bool movesElements(Operation *op) {
  return op->hasTrait<fuse::MovesElements>() ||
         isa<fuse::ReshapeOp, fuse::SelectOp>(op);
}

/// Whether integers of less than a byte can be bytes throughout: no input, no
/// output and no result of other elements is one. And whether they must.
static bool mustWidenParts(func::FuncOp function) {
  auto isPart = [](Type type) { return isPartOfByte(type); };
  bool isMoved = false, isMade = false;
  function.walk([&](Operation *op) {
    if (isa<fuse::ConstantOp, fuse::GetWeightOp>(op))
      return;
    if (llvm::any_of(op->getResultTypes(), isPart))
      (movesElements(op) ? isMoved : isMade) = true;
    isMade |=
        isa<func::ReturnOp>(op) && llvm::any_of(op->getOperandTypes(), isPart);
  });
  return isMoved && !isMade &&
         llvm::none_of(function.getArgumentTypes(), isPart);
}

Writer::Writer(ModuleOp module, int64_t opset, std::vector<Problem> &problems)
    : module(module), function(*module.getOps<func::FuncOp>().begin()),
      version(opset), problems(problems), expander(module.getContext()) {
  widensParts = mustWidenParts(function);
}

int Writer::codeOf(Type element) const {
  if (widensParts && isPartOfByte(element))
    return element.isUnsignedInteger() ? onnx::TensorProto::UINT8
                                       : onnx::TensorProto::INT8;
  return getTypeInfo(element)->onnxCode;
}

//===- Names --------------------------------------------------------------===//

/// `wish`, or that with the next number, whichever `taken` has not.
static std::string makeUnique(llvm::StringRef wish, llvm::StringSet<> &taken,
                              llvm::StringMap<unsigned> &last) {
  std::string name = wish.empty() ? "value" : wish.str();
  while (!taken.insert(name).second)
    name = (wish + "_" + llvm::Twine(++last[wish])).str();
  return name;
}

std::string Writer::unique(llvm::StringRef wish) {
  return makeUnique(wish, taken, lastNumbers);
}

/// The name of a node of the operator `type`, the operation's own one or not.
std::string Writer::nodeName(llvm::StringRef type, bool isOwn) {
  llvm::StringRef base =
      writing ? codegen::firstName(writing->getLoc()) : llvm::StringRef();
  std::string wish = base.empty() ? type.str()
                     : isOwn      ? base.str()
                                  : (base + "_" + type).str();
  return makeUnique(wish, takenByNodes, lastNodeNumbers);
}

std::string Writer::wishFor(Value value) const {
  llvm::StringRef name = codegen::firstName(value.getLoc());
  if (name.empty() && writing)
    name = codegen::firstName(writing->getLoc());
  return name.str();
}

/// The name of output number `index`.
static std::string outputName(func::FuncOp function, unsigned index) {
  auto name = function.getResultAttrOfType<StringAttr>(index, "fuse.name");
  return name ? name.str() : "output" + std::to_string(index);
}

static std::string inputName(func::FuncOp function, unsigned index) {
  auto name = function.getArgAttrOfType<StringAttr>(index, "fuse.name");
  return name ? name.str() : "input" + std::to_string(index);
}

/// The first output that `value` is, or nothing.
static std::optional<unsigned> findOutput(Value value) {
  std::optional<unsigned> first;
  for (OpOperand &use : value.getUses())
    if (isa<func::ReturnOp>(use.getOwner()))
      first = std::min(first.value_or(UINT_MAX), use.getOperandNumber());
  return first;
}

//===- Nodes --------------------------------------------------------------===//

onnx::NodeProto *Writer::addNode(llvm::StringRef type, Names inputs) {
  onnx::NodeProto *node = current->add_node();
  node->set_op_type(type.str());
  while (!inputs.empty() && inputs.back().empty())
    inputs.pop_back();
  for (std::string &input : inputs)
    node->add_input(std::move(input));
  return node;
}

std::string Writer::define(Value result) {
  std::optional<unsigned> output = findOutput(result);
  return known[result] =
             output ? outputName(function, *output) : unique(wishFor(result));
}

NodeHandle Writer::node(llvm::StringRef type, Names inputs,
                        ValueRange results) {
  onnx::NodeProto *node = addNode(type, std::move(inputs));
  while (results.size() > 1 && results.back().use_empty())
    results = results.drop_back();
  for (auto [index, result] : llvm::enumerate(results))
    node->add_output(index && result.use_empty() ? "" : define(result));
  node->set_name(nodeName(type, /*isOwn=*/true));
  return NodeHandle(node);
}

NodeHandle Writer::nodeWith(llvm::StringRef type, Names inputs,
                            ValueRange results,
                            llvm::function_ref<bool(unsigned)> isOther) {
  onnx::NodeProto *node = addNode(type, std::move(inputs));
  for (auto [index, result] : llvm::enumerate(results))
    node->add_output(isOther(index) ? unique(wishFor(result)) : define(result));
  node->set_name(nodeName(type, /*isOwn=*/true));
  return NodeHandle(node);
}

NodeHandle Writer::step(llvm::StringRef type, Names inputs) {
  onnx::NodeProto *node = addNode(type, std::move(inputs));
  llvm::StringRef base =
      writing ? codegen::firstName(writing->getLoc()) : llvm::StringRef();
  node->add_output(unique((base.empty() ? type : base + "_" + type).str()));
  node->set_name(nodeName(type, /*isOwn=*/false));
  return NodeHandle(node);
}

void Writer::forward(std::string name, Value value) {
  known[value] = std::move(name);
}

std::string Writer::cast(std::string input, Type element) {
  return step("Cast", {std::move(input)})
      .integer("to", codeOf(element))
      .output();
}

std::string Writer::expand(std::string input, ArrayRef<int64_t> shape) {
  return step("Expand", {std::move(input), integers(shape)}).output();
}

std::string Writer::reshape(std::string input, ArrayRef<int64_t> shape) {
  return step("Reshape", {std::move(input), integers(shape)})
      .flag("allowzero", llvm::is_contained(shape, 0))
      .output();
}

std::string Writer::transpose(std::string input, ArrayRef<int64_t> perm) {
  if (llvm::is_sorted(perm))
    return input;
  return step("Transpose", {std::move(input)}).integers("perm", perm).output();
}

//===- Blocks -------------------------------------------------------------===//

/// Operations that are written where something needs them as a whole.
static bool writesLater(Operation *op) {
  return isa<fuse::ConstantOp, fuse::GetWeightOp, fuse::BroadcastOp,
             fuse::IotaOp>(op);
}

static void describeTensor(onnx::ValueInfoProto &info,
                           const Writer::Port &port) {
  info.set_name(port.name);
  auto *tensor = info.mutable_type()->mutable_tensor_type();
  tensor->set_elem_type(getTypeInfo(port.type.getElementType())->onnxCode);
  auto *shape = tensor->mutable_shape();
  for (int64_t extent : port.type.getShape())
    shape->add_dim()->set_dim_value(extent);
}

LogicalResult Writer::refuse(Operation *op, const llvm::Twine &reason,
                             const llvm::Twine &hint) {
  Problem problem;
  problem.kind = ProblemKind::Unsupported;
  problem.node = codegen::firstName(op->getLoc()).str();
  problem.op = op->getName().getStringRef().str();
  problem.reason = reason.str();
  problem.hint = hint.str();
  problems.push_back(std::move(problem));
  return failure();
}

/// The elements of fewer bits than a byte, or of f8, that `op` moves and no
/// operator of ONNX but Reshape and Transpose moves; null if there are none.
static Type findUnmoved(Operation *op) {
  if (!movesElements(op) || isa<fuse::ReshapeOp, fuse::TransposeOp>(op))
    return {};
  Type element = elementOf(op->getResult(0));
  return isCoded(element) || isPartOfByte(element) ? element : Type();
}

/// Whether `op` is written, or refused; not, if it has to be expanded.
bool Writer::write(Operation *op) {
  writing = op;
  if (Type element = findUnmoved(op);
      element && !(widensParts && isPartOfByte(element))) {
    std::string text;
    llvm::raw_string_ostream(text) << element;
    (void)refuse(op, "moves elements of " + llvm::Twine(text) +
                         " in a way that ONNX has for wider ones only");
    known[op->getResult(0)] = unique("refused");
    return true;
  }
  const NodeWriter *writer =
      ExportRegistry::get().find(op->getName().getStringRef());
  const size_t before = problems.size();
  const int numNodes = current->node_size();
  if (writer && succeeded((*writer)(op, *this))) {
    if (current->node_size() > numNodes)
      lastNodes[op] = current->mutable_node(current->node_size() - 1);
    return true;
  }
  const bool isRefused = problems.size() != before;
  if (!isRefused && op->hasTrait<fuse::Composite>() &&
      fuse::CompositeExpander::coversElements(op))
    return false;
  if (!isRefused)
    (void)refuse(op,
                 "ONNX's operator set " + llvm::Twine(version) +
                     " has nothing for it",
                 "a newer set may have; --opset names one");
  // So that what follows is looked at, too.
  for (Value result : op->getResults())
    known[result] = unique("refused");
  return true;
}

void Writer::writeBlock(Block &block) {
  for (Operation *op = &block.front(); op != block.getTerminator();) {
    // A composite without an operator of its own is what it stands for.
    Operation *last = op->getPrevNode();
    if (writesLater(op) || write(op)) {
      op = op->getNextNode();
      continue;
    }
    expander.expandOne(op);
    op = last ? last->getNextNode() : &block.front();
  }
}

onnx::GraphProto
Writer::writeBody(Block &block, llvm::ArrayRef<Port> inputs,
                  llvm::function_ref<void()> bind,
                  llvm::function_ref<std::vector<Port>()> outputs) {
  onnx::GraphProto graph;
  graph.set_name(unique("body"));
  onnx::GraphProto *around = std::exchange(current, &graph);
  graphs[&block] = &graph;
  Operation *op = writing;
  for (const Port &port : inputs)
    describeTensor(*graph.add_input(), port);
  bind();
  writeBlock(block);
  writing = op;
  for (const Port &port : outputs())
    describeTensor(*graph.add_output(), port);
  graphs.erase(&block);
  current = around;
  return graph;
}

//===- The model ----------------------------------------------------------===//

static int64_t irVersionOf(int64_t opset) {
  // The first that each operator set came with.
  constexpr int64_t kIrVersions[] = {8, 9, 9, 10, 10, 11, 12, 13, 13};
  static_assert(std::size(kIrVersions) ==
                kNewestExportedOpset - kOldestExportedOpset + 1);
  return kIrVersions[opset - kOldestExportedOpset];
}

void Writer::describeModel() {
  proto.set_ir_version(irVersionOf(version));
  proto.set_producer_name("fusec");
  onnx::GraphProto &graph = *proto.mutable_graph();
  graph.set_name(module.getSymName().value_or("model").str());
  auto source = module->getAttrOfType<DictionaryAttr>(fuse::kSourceAttr);
  if (!source)
    return;
  auto text = [&](llvm::StringRef name) {
    auto value = source.getAs<StringAttr>(name);
    return value ? value.str() : std::string();
  };
  if (std::string name = text("graph"); !name.empty())
    graph.set_name(name);
  if (std::string domain = text("domain"); !domain.empty())
    proto.set_domain(domain);
  if (std::string doc = text("doc"); !doc.empty())
    proto.set_doc_string(doc);
  if (std::string doc = text("graph_doc"); !doc.empty())
    graph.set_doc_string(doc);
  if (auto number = source.getAs<IntegerAttr>("model_version"))
    proto.set_model_version(number.getInt());
  if (auto entries = source.getAs<ArrayAttr>("metadata"))
    for (auto entry : entries.getAsRange<DictionaryAttr>()) {
      onnx::StringStringEntryProto &added = *proto.add_metadata_props();
      added.set_key(entry.getAs<StringAttr>("key").str());
      added.set_value(entry.getAs<StringAttr>("value").str());
    }
}

void Writer::writeModel() {
  describeModel();
  current = proto.mutable_graph();
  Block &block = function.getBody().front();
  graphs[&block] = current;
  for (auto [index, argument] : llvm::enumerate(block.getArguments())) {
    std::string name = inputName(function, index);
    taken.insert(name);
    known[argument] = name;
    describeTensor(*current->add_input(),
                   {name, fuse::getTensorType(argument)});
  }
  auto outputs = block.getTerminator()->getOperands();
  for (unsigned index = 0; index < outputs.size(); ++index)
    taken.insert(outputName(function, index));
  writeBlock(block);
  writing = nullptr;
  for (auto [index, value] : llvm::enumerate(outputs)) {
    std::string name = outputName(function, index), has = this->name(value);
    if (has != name) {
      onnx::NodeProto *node = current->add_node();
      node->set_op_type("Identity");
      node->set_name(nodeName("Identity", /*isOwn=*/true));
      node->add_input(has);
      node->add_output(name);
    }
    describeTensor(*current->add_output(), {name, fuse::getTensorType(value)});
  }
  onnx::OperatorSetIdProto &opset = *proto.add_opset_import();
  opset.set_domain("");
  opset.set_version(version);
  for (const auto &[domain, number] : domains) {
    onnx::OperatorSetIdProto &other = *proto.add_opset_import();
    other.set_domain(domain);
    other.set_version(number);
  }
}

} // namespace fusec
