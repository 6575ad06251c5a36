// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If and Loop. Shapes are static, so what a branch or a loop computes has one
// shape; where the model's own data decides, only one branch is imported.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

/// Operand `index`, which has one element, as a tensor of rank 0.
Value readScalar(Node &node, unsigned index, Type elementType,
                 llvm::StringRef what) {
  if (node.elementType(index) != elementType ||
      node.type(index).getNumElements() != 1)
    node.invalid("needs a " + what + " of one " + typeText(elementType) +
                 ", has " + typeText(node.type(index)));
  return node.reshape(node.input(index), {});
}

//===- If -----------------------------------------------------------------===//

void convertIf(Node &node) {
  node.requireInputs(1, 1);
  const onnx::GraphProto &thenGraph = node.graphAttribute("then_branch");
  const onnx::GraphProto &elseGraph = node.graphAttribute("else_branch");
  for (const auto *graph : {&thenGraph, &elseGraph})
    if (graph->output_size() < int(node.numOutputs()))
      node.invalid("has a branch with " + llvm::Twine(graph->output_size()) +
                   " outputs for its " + llvm::Twine(node.numOutputs()));
  Value condition =
      readScalar(node, 0, node.builder().getI1Type(), "condition");
  if (const HostTensor *known = node.constant(0)) {
    auto outputs =
        node.importInline(known->ints[0] ? thenGraph : elseGraph, {});
    for (unsigned i = 0; i < node.numOutputs(); ++i)
      node.setOutput(i, outputs[i]);
    return;
  }
  auto noArguments = [](Block &) { return std::vector<TensorValue>(); };
  NodeBody bodies[] = {node.importBody(thenGraph, noArguments),
                       node.importBody(elseGraph, noArguments)};
  SmallVector<Type> types;
  for (unsigned i = 0; i < node.numOutputs(); ++i) {
    types.push_back(bodies[0].outputs[i].type);
    if (!types.back() || !bodies[1].outputs[i].type)
      node.unsupported("chooses sequences or optional values at run time",
                       "export the model so that the condition is a constant");
    if (types.back() != bodies[1].outputs[i].type)
      node.unsupported(
          "the branches compute different types for result " + llvm::Twine(i) +
              ": " + typeText(types.back()) + " and " +
              typeText(bodies[1].outputs[i].type),
          "export the model so that the condition is a constant or the shapes "
          "agree");
  }
  SmallVector<Value> yielded[2];
  for (auto [body, values] : llvm::zip(bodies, yielded)) {
    OpBuilder::InsertionGuard guard(node.builder());
    node.builder().setInsertionPointToEnd(&body.region->front());
    for (unsigned i = 0; i < node.numOutputs(); ++i)
      values.push_back(node.bodyOutput(body, i));
    fuse::YieldOp::create(node.builder(), node.loc(), values);
  }
  auto op = fuse::IfOp::create(node.builder(), node.loc(), types, condition);
  op.getThenBody().takeBody(*bodies[0].region);
  op.getElseBody().takeBody(*bodies[1].region);
  for (unsigned i = 0; i < node.numOutputs(); ++i)
    node.setOutput(i, op.getResult(i));
}

//===- Loop ---------------------------------------------------------------===//

/// Trip counts that stand for "until the condition fails".
constexpr int64_t kUnbounded = int64_t(1) << 31;

/// One Loop node in conversion.
class LoopConverter {
public:
  explicit LoopConverter(Node &node)
      : node(node), graph(node.graphAttribute("body")) {}
  void run();

private:
  void readBounds();
  bool carriesSequences();
  void unroll();
  NodeBody importBody();
  bool reshapesCarried(const NodeBody &body);
  void checkCarried(const NodeBody &body);
  SmallVector<int64_t> iterationShape();
  void checkCondition(const TensorValue &next);
  void readNextCondition(const NodeBody &body);
  void build(NodeBody &body);
  void skip(const NodeBody &body);
  void finish(NodeBody &body);

  Node &node;
  const onnx::GraphProto &graph;
  SmallVector<Value> inits;
  unsigned numStacks = 0;
  /// The number of iterations at most, if it is known.
  std::optional<int64_t> trips;
  Value count;            ///< at run time
  Value condition;        ///< before the first iteration, null: true
  bool endsEarly = false; ///< the body computes a condition
};

void LoopConverter::readBounds() {
  Builder &builder = node.builder();
  if (node.hasInput(0)) {
    Value value = readScalar(node, 0, builder.getI64Type(), "trip count");
    if (const HostTensor *known = node.constant(0))
      trips = std::max<int64_t>(known->ints[0], 0);
    else
      count = value;
  }
  if (node.hasInput(1)) {
    Value value = readScalar(node, 1, builder.getI1Type(), "condition");
    const HostTensor *known = node.constant(1);
    if (!known)
      condition = value;
    else if (!known->ints[0])
      trips = 0;
  }
}

//===- Unrolled -----------------------------------------------------------===//

bool LoopConverter::carriesSequences() {
  for (unsigned i = 2; i < node.numInputs(); ++i)
    if (node.isSequence(i))
      return true;
  return false;
}

/// Some exporters declare the iteration's number as a vector of one element.
SmallVector<int64_t> LoopConverter::iterationShape() {
  return SmallVector<int64_t>(
      graph.input(0).type().tensor_type().shape().dim_size() == 1, 1);
}

/// One iteration after the other, in place. Sequences leave no other way, so
/// that more iterations are taken than where a region may do.
void LoopConverter::unroll() {
  constexpr int64_t kMaxTrips = 1024;
  if (trips.value_or(0) > kMaxTrips)
    node.unsupported("makes " + llvm::Twine(*trips) +
                     " iterations, each of which would be imported; " +
                     llvm::Twine(kMaxTrips) + " are the most");
  if (count)
    node.constantInts(0, "trip count");
  if (condition)
    node.constantInts(1, "condition");
  Builder &builder = node.builder();
  auto known = [&](RankedTensorType type, int64_t number) {
    TensorValue value;
    value.type = type;
    value.block = node.builder().getInsertionBlock();
    value.constant = std::make_shared<HostTensor>(
        HostTensor::fromInts(type, std::vector<int64_t>{number}));
    return value;
  };
  std::vector<TensorValue> carried;
  for (unsigned i = 2; i < node.numInputs(); ++i)
    carried.push_back(node.operand(i));
  std::vector<SmallVector<Value>> stacks(numStacks);
  bool goesOn = true;
  for (int64_t trip = 0; goesOn && (!trips || trip < *trips); ++trip) {
    if (trip == kMaxTrips)
      node.unsupported("makes more than " + llvm::Twine(kMaxTrips) +
                       " iterations, each of which would be imported");
    std::vector<TensorValue> arguments = {
        known(tensorType(iterationShape(), builder.getI64Type()), trip),
        known(tensorType({}, builder.getI1Type()), 1)};
    llvm::append_range(arguments, carried);
    std::vector<TensorValue> outputs =
        node.importInline(graph, std::move(arguments));
    checkCondition(outputs[0]);
    if (!outputs[0].constant)
      node.unsupported("would have to be imported iteration by iteration, but "
                       "ends when data say so",
                       "export the model with a constant trip count");
    goesOn = outputs[0].constant->ints[0];
    for (auto [before, after] : llvm::zip(carried, llvm::drop_begin(outputs)))
      if (bool(before.type) != bool(after.type) ||
          (before.type &&
           before.type.getElementType() != after.type.getElementType()))
        node.invalid("carries a value that becomes one of another type");
    carried.assign(outputs.begin() + 1,
                   outputs.begin() + 1 + int64_t(carried.size()));
    for (auto [i, rows] : llvm::enumerate(stacks)) {
      TensorValue &row = outputs[1 + carried.size() + i];
      if (!row.type)
        node.invalid("has a scan output that is no tensor");
      SmallVector<int64_t> shape = {1};
      llvm::append_range(shape, row.type.getShape());
      rows.push_back(node.reshape(node.materialize(row), shape));
      if (rows.front().getType() != rows.back().getType())
        node.unsupported("has a scan output whose rows are of several types");
    }
  }
  for (auto [i, value] : llvm::enumerate(carried))
    node.setOutput(i, std::move(value));
  for (auto [i, rows] : llvm::enumerate(stacks)) {
    if (rows.empty())
      node.unsupported("makes no iteration, so that its scan outputs have no "
                       "elements");
    auto type = fuse::getTensorType(rows[0]);
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = int64_t(rows.size());
    node.setOutput(
        carried.size() + i,
        rows.size() == 1
            ? rows[0]
            : node.make<fuse::ConcatOp>(
                  tensorType(shape, type.getElementType()), rows, uint64_t(0)));
  }
}

//===- As a region --------------------------------------------------------===//

NodeBody LoopConverter::importBody() {
  return node.importBody(graph, [&](Block &block) {
    OpBuilder &builder = node.builder();
    auto argument = [&](RankedTensorType type, llvm::StringRef name) {
      TensorValue value;
      value.type = type;
      value.value =
          block.addArgument(type, NameLoc::get(builder.getStringAttr(name)));
      return value;
    };
    std::vector<TensorValue> arguments;
    arguments.push_back(
        argument(tensorType({}, builder.getI64Type()), graph.input(0).name()));
    arguments[0].value = node.reshape(arguments[0].value, iterationShape());
    arguments[0].type = fuse::getTensorType(arguments[0].value);
    // The body runs only while the condition is true.
    TensorValue isTrue;
    isTrue.type = tensorType({}, builder.getI1Type());
    isTrue.constant =
        std::make_shared<HostTensor>(HostTensor::fromInts(isTrue.type, {1}));
    arguments.push_back(std::move(isTrue));
    for (auto [i, init] : llvm::enumerate(inits))
      arguments.push_back(
          argument(fuse::getTensorType(init), graph.input(2 + int(i)).name()));
    return arguments;
  });
}

/// Whether a carried value goes on in another shape.
bool LoopConverter::reshapesCarried(const NodeBody &body) {
  for (auto [i, init] : llvm::enumerate(inits)) {
    RankedTensorType first = fuse::getTensorType(init);
    RankedTensorType next = body.outputs[1 + i].type;
    if (next && first != next &&
        first.getElementType() == next.getElementType())
      return true;
  }
  return false;
}

void LoopConverter::checkCarried(const NodeBody &body) {
  for (auto [i, init] : llvm::enumerate(inits)) {
    RankedTensorType first = fuse::getTensorType(init);
    RankedTensorType next = body.outputs[1 + i].type;
    if (!next)
      node.invalid("carries a tensor that becomes a sequence");
    std::string what = "the carried value '" + graph.input(2 + int(i)).name() +
                       "' begins as " + typeText(first) + " and goes on as " +
                       typeText(next);
    if (first.getElementType() != next.getElementType())
      node.invalid(what);
    if (first != next)
      node.unsupported(what + "; loops carry values of fixed shapes",
                       "export the model with the loop unrolled");
  }
}

void LoopConverter::checkCondition(const TensorValue &next) {
  if (!next.type)
    node.invalid("has a body whose condition is a sequence");
  if (!next.type.getElementType().isInteger(1) ||
      next.type.getNumElements() != 1)
    node.invalid("has a body whose condition is " + typeText(next.type));
}

void LoopConverter::readNextCondition(const NodeBody &body) {
  const TensorValue &next = body.outputs[0];
  checkCondition(next);
  endsEarly = !next.constant;
  if (next.constant && !next.constant->ints[0])
    trips = std::min<int64_t>(trips.value_or(1), 1);
}

void LoopConverter::build(NodeBody &body) {
  OpBuilder &builder = node.builder();
  if (trips && *trips >= kUnbounded && (count || endsEarly || condition) &&
      !numStacks)
    trips.reset();
  if (!trips && !count && !endsEarly && !condition)
    node.invalid("has a loop that never ends");
  if (numStacks && (!trips || *trips >= kUnbounded))
    node.unsupported("the number of rows of its scan outputs is not bounded",
                     "export the model with a constant trip count");
  if (numStacks && endsEarly)
    node.unsupported("may end early, so that the number of rows of its scan "
                     "outputs depends on data",
                     "carry a tensor of all rows instead");
  if (trips && *trips == 0)
    return skip(body);
  bool isWhile = condition || endsEarly;
  SmallVector<Value> yielded;
  SmallVector<Type> types(ValueRange(inits).getTypes());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body.region->front());
    if (isWhile)
      yielded.push_back(node.reshape(node.bodyOutput(body, 0), {}));
    for (unsigned i = 1; i < body.outputs.size(); ++i) {
      yielded.push_back(node.bodyOutput(body, i));
      if (i <= inits.size())
        continue;
      RankedTensorType row = fuse::getTensorType(yielded.back());
      SmallVector<int64_t> shape = {*trips};
      llvm::append_range(shape, row.getShape());
      types.push_back(tensorType(shape, row.getElementType()));
      node.requireSize(cast<RankedTensorType>(types.back()));
    }
    fuse::YieldOp::create(builder, node.loc(), yielded);
  }
  if (isWhile && !condition)
    condition = node.scalar(builder.getI1Type(), 1);
  auto op = fuse::LoopOp::create(
      builder, node.loc(), types,
      trips ? builder.getI64IntegerAttr(*trips) : IntegerAttr(), count,
      condition, inits, ValueRange(), ArrayRef<int64_t>(), ArrayRef<int64_t>());
  op.getBody().takeBody(*body.region);
  for (unsigned i = 0; i < node.numOutputs(); ++i)
    node.setOutput(i, op.getResult(i));
}

/// No iteration: what is carried goes on, and scan outputs have no rows.
void LoopConverter::skip(const NodeBody &body) {
  for (unsigned i = 0; i < node.numOutputs(); ++i) {
    if (i < inits.size()) {
      node.setOutput(i, inits[i]);
      continue;
    }
    RankedTensorType row = body.outputs[1 + i].type;
    if (!row)
      node.invalid("has a scan output that is no tensor");
    SmallVector<int64_t> shape = {0};
    llvm::append_range(shape, row.getShape());
    node.setOutput(i,
                   node.broadcast(node.scalar(row.getElementType(), 0), shape));
  }
}

void LoopConverter::run() {
  unsigned numCarried = std::max(node.numInputs(), 2u) - 2;
  if (graph.input_size() != int(2 + numCarried) ||
      graph.output_size() < int(1 + numCarried) ||
      graph.output_size() - 1 < int(node.numOutputs()))
    node.invalid("has " + llvm::Twine(numCarried) + " carried values and " +
                 llvm::Twine(node.numOutputs()) + " results, and a body with " +
                 llvm::Twine(graph.input_size()) + " inputs and " +
                 llvm::Twine(graph.output_size()) + " outputs");
  numStacks = graph.output_size() - 1 - numCarried;
  if (carriesSequences()) {
    readBounds();
    return unroll();
  }
  for (unsigned i = 0; i < numCarried; ++i)
    inits.push_back(node.input(2 + i));
  readBounds();
  // Scan outputs have as many rows as there are trips.
  if (numStacks && count)
    node.constantInts(0, "trip count");
  if (numStacks && condition)
    node.constantInts(1, "condition");
  // What the iteration's number decides, as where a slice begins, it may decide
  // while importing, and what grows is known in each iteration.
  constexpr int64_t kFewTrips = 64;
  if (trips && *trips > 0 && *trips <= kFewTrips && !condition &&
      node.mayRetry()) {
    size_t before = node.numProblems();
    try {
      NodeBody body = importBody();
      if (!reshapesCarried(body))
        return finish(body);
    } catch (const ReportedError &) {
      node.forgetProblems(before);
    }
    return unroll();
  }
  NodeBody body = importBody();
  finish(body);
}

void LoopConverter::finish(NodeBody &body) {
  checkCarried(body);
  readNextCondition(body);
  build(body);
}

void convertLoop(Node &node) { LoopConverter(node).run(); }

} // namespace

void registerControl(Registry &r) {
  r.add("If", 1, convertIf).takesCodes = true;
  Operator &loop = r.add("Loop", 1, convertLoop);
  loop.takesCodes = loop.takesSequences = true;
}

} // namespace fusec
