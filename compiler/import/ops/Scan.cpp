// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scan: a loop over the slices of its inputs.
#include "compiler/import/Node.h"
#include "compiler/import/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

/// One Scan node in conversion. Axes become dimension 0 by transposing.
class ScanConverter {
public:
  explicit ScanConverter(Node &node)
      : node(node), graph(node.graphAttribute("body")) {}
  void run();
  void runBatched();

private:
  /// What the loop runs over, all with dimension 0 as the axis.
  struct Operands {
    Value count; ///< steps at run time; may be null
    SmallVector<Value> states, slices;
  };

  void readBody(unsigned first);
  SmallVector<int64_t> readAxes(llvm::StringRef name, size_t count);
  SmallVector<int64_t> readDirections(llvm::StringRef name, size_t count);
  int64_t getTrips(ArrayRef<Value> slices);
  /// The loop at the builder: last states, then stacks.
  ValueRange buildLoop(const Operands &operands);
  Value moveAxis(Value value, int64_t from, int64_t to);

  Node &node;
  const onnx::GraphProto &graph;
  unsigned first = 0; ///< operand before the states
  unsigned numStates = 0, numSlices = 0, numStacks = 0;
  SmallVector<int64_t> reversedSlices, reversedStacks;
};

void ScanConverter::readBody(unsigned firstOperand) {
  first = firstOperand;
  int64_t count = node.intAttribute("num_scan_inputs");
  int64_t operands = int64_t(node.numInputs()) - first;
  if (count < 1 || count > operands)
    node.invalid("has num_scan_inputs = " + llvm::Twine(count) + " for its " +
                 llvm::Twine(operands) + " operands");
  numSlices = count;
  numStates = operands - count;
  if (graph.input_size() != operands || graph.output_size() < int(numStates) ||
      graph.output_size() < int(node.numOutputs()))
    node.invalid("has a body with " + llvm::Twine(graph.input_size()) +
                 " inputs and " + llvm::Twine(graph.output_size()) +
                 " outputs for " + llvm::Twine(operands) + " operands and " +
                 llvm::Twine(node.numOutputs()) + " results");
  numStacks = graph.output_size() - numStates;
}

SmallVector<int64_t> ScanConverter::readAxes(llvm::StringRef name,
                                             size_t count) {
  std::vector<int64_t> axes = node.intsAttribute(name);
  if (axes.empty())
    axes.resize(count);
  if (axes.size() != count)
    node.invalid("has " + llvm::Twine(axes.size()) + " " + name + " for " +
                 llvm::Twine(count) + " tensors");
  return SmallVector<int64_t>(ArrayRef<int64_t>(axes));
}

/// The numbers of those that run backwards.
SmallVector<int64_t> ScanConverter::readDirections(llvm::StringRef name,
                                                   size_t count) {
  SmallVector<int64_t> directions = readAxes(name, count), reversed;
  for (auto [i, direction] : llvm::enumerate(directions)) {
    if (direction != 0 && direction != 1)
      node.invalid("has the direction " + llvm::Twine(direction) + " in " +
                   name + "; it must be 0 or 1");
    if (direction)
      reversed.push_back(i);
  }
  return reversed;
}

Value ScanConverter::moveAxis(Value value, int64_t from, int64_t to) {
  SmallVector<int64_t> perm;
  int64_t rank = fuse::getTensorType(value).getRank();
  for (int64_t i = 0; i < rank; ++i)
    if (i != from)
      perm.push_back(i);
  perm.insert(perm.begin() + to, from);
  return node.transpose(value, perm);
}

int64_t ScanConverter::getTrips(ArrayRef<Value> slices) {
  int64_t trips = fuse::getTensorType(slices.front()).getDimSize(0);
  for (Value slice : slices)
    if (fuse::getTensorType(slice).getDimSize(0) != trips)
      node.invalid("scans inputs of different lengths: " + llvm::Twine(trips) +
                   " and " +
                   llvm::Twine(fuse::getTensorType(slice).getDimSize(0)));
  return trips;
}

ValueRange ScanConverter::buildLoop(const Operands &operands) {
  OpBuilder &builder = node.builder;
  int64_t trips = getTrips(operands.slices);
  NodeBody body = node.importBody(graph, [&](Block &block) {
    block.addArgument(tensorType({}, builder.getI64Type()), node.loc);
    std::vector<TensorValue> arguments;
    auto argument = [&](RankedTensorType type) {
      TensorValue value;
      value.type = type;
      llvm::StringRef name = graph.input(int(arguments.size())).name();
      value.value =
          block.addArgument(type, NameLoc::get(builder.getStringAttr(name)));
      arguments.push_back(std::move(value));
    };
    for (Value state : operands.states)
      argument(fuse::getTensorType(state));
    for (Value slice : operands.slices) {
      RankedTensorType type = fuse::getTensorType(slice);
      argument(type.clone(type.getShape().drop_front()));
    }
    return arguments;
  });
  SmallVector<Value> yielded;
  SmallVector<Type> types(ValueRange(operands.states).getTypes());
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&body.region->front());
    for (unsigned i = 0; i < body.outputs.size(); ++i) {
      yielded.push_back(node.bodyOutput(body, i));
      RankedTensorType row = fuse::getTensorType(yielded.back());
      if (i < numStates) {
        if (row != types[i])
          node.unsupported("the state '" + graph.input(int(i)).name() +
                           "' begins as " + typeText(types[i]) +
                           " and goes on as " + typeText(row) +
                           "; loops carry values of fixed shapes");
        continue;
      }
      SmallVector<int64_t> shape = {trips};
      llvm::append_range(shape, row.getShape());
      types.push_back(tensorType(shape, row.getElementType()));
      node.requireSize(cast<RankedTensorType>(types.back()));
    }
    fuse::YieldOp::create(builder, node.loc, yielded);
  }
  auto op = fuse::LoopOp::create(
      builder, node.loc, types, builder.getI64IntegerAttr(trips),
      operands.count, Value(), operands.states, operands.slices, reversedSlices,
      reversedStacks);
  op.getBody().takeBody(*body.region);
  return op.getResults();
}

void ScanConverter::run() {
  readBody(/*firstOperand=*/0);
  SmallVector<int64_t> axes = readAxes("scan_input_axes", numSlices);
  SmallVector<int64_t> outAxes = readAxes("scan_output_axes", numStacks);
  reversedSlices = readDirections("scan_input_directions", numSlices);
  reversedStacks = readDirections("scan_output_directions", numStacks);
  Operands operands;
  for (unsigned i = 0; i < numStates; ++i)
    operands.states.push_back(node.input(i));
  for (unsigned i = 0; i < numSlices; ++i) {
    int64_t axis = node.normalizeAxis(axes[i], node.rank(numStates + i));
    operands.slices.push_back(moveAxis(node.input(numStates + i), axis, 0));
  }
  ValueRange results = buildLoop(operands);
  for (unsigned i = 0; i < node.numOutputs(); ++i) {
    Value result = results[i];
    if (i >= numStates && node.wantsOutput(i)) {
      int64_t rank = fuse::getTensorType(result).getRank();
      result =
          moveAxis(result, 0, node.normalizeAxis(outAxes[i - numStates], rank));
    }
    node.setOutput(i, result);
  }
}

/// Scan of operator set 8: states and inputs have a batch dimension in front,
/// whose elements are scanned one by one, each over its own length.
void ScanConverter::runBatched() {
  readBody(/*firstOperand=*/1);
  reversedSlices = readDirections("directions", numSlices);
  OpBuilder &builder = node.builder;
  Operands whole;
  for (unsigned i = 0; i < numStates + numSlices; ++i) {
    unsigned operand = first + i;
    int64_t needed = i < numStates ? 1 : 2;
    if (node.rank(operand) < needed)
      node.invalid("operand " + llvm::Twine(operand) + " has rank " +
                   llvm::Twine(node.rank(operand)) + ", it needs " +
                   llvm::Twine(needed) + " or more");
    (i < numStates ? whole.states : whole.slices)
        .push_back(node.input(operand));
  }
  SmallVector<Value> rows(whole.states);
  llvm::append_range(rows, whole.slices);
  if (node.hasInput(0)) {
    if (!node.elementType(0).isInteger(64) || node.rank(0) != 1)
      node.invalid("needs sequence lengths that are a vector of i64");
    rows.push_back(node.input(0));
  }
  int64_t batch = getTrips(rows);
  auto region = std::make_unique<Region>();
  Block &block = region->emplaceBlock();
  SmallVector<Type> types;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    block.addArgument(tensorType({}, builder.getI64Type()), node.loc);
    Operands one;
    for (auto [i, row] : llvm::enumerate(rows)) {
      RankedTensorType type = fuse::getTensorType(row);
      Value value = block.addArgument(type.clone(type.getShape().drop_front()),
                                      row.getLoc());
      if (i >= numStates + numSlices)
        one.count = value;
      else
        (i < numStates ? one.states : one.slices).push_back(value);
    }
    ValueRange results = buildLoop(one);
    for (Value result : results) {
      RankedTensorType type = fuse::getTensorType(result);
      SmallVector<int64_t> shape = {batch};
      llvm::append_range(shape, type.getShape());
      types.push_back(tensorType(shape, type.getElementType()));
    }
    fuse::YieldOp::create(builder, node.loc, results);
  }
  auto op = fuse::LoopOp::create(
      builder, node.loc, types, builder.getI64IntegerAttr(batch), Value(),
      Value(), ValueRange(), rows, ArrayRef<int64_t>(), ArrayRef<int64_t>());
  op.getBody().takeBody(*region);
  for (unsigned i = 0; i < node.numOutputs(); ++i)
    node.setOutput(i, op.getResult(i));
}

} // namespace

void registerScan(Registry &r) {
  r.add("Scan", 8, [](Node &node) {
     ScanConverter(node).runBatched();
   }).takesCodes = true;
  r.add("Scan", 9, [](Node &node) { ScanConverter(node).run(); }).takesCodes =
      true;
}

} // namespace fusec
