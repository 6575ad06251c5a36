// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions and loops.
#include "compiler/export/Registry.h"

using namespace mlir;

namespace fusec {
namespace {

/// What a body yields, under names of its own: ONNX wants a node of the body
/// behind each output.
std::vector<Writer::Port> nameOutputs(ValueRange values, Writer &w) {
  std::vector<Writer::Port> ports;
  for (Value value : values)
    ports.push_back({w.step("Identity", {w.name(value)}).output(),
                     fuse::getTensorType(value)});
  return ports;
}

LogicalResult writeIf(fuse::IfOp op, Writer &w) {
  auto write = [&](Region &region) {
    Block &block = region.front();
    return w.writeBody(
        block, {}, [] {},
        [&] { return nameOutputs(block.getTerminator()->getOperands(), w); });
  };
  std::string condition = w.name(op.getCondition());
  onnx::GraphProto then = write(op.getThenBody()),
                   other = write(op.getElseBody());
  w.nodeWith("If", {condition}, op->getResults(),
             [](unsigned) { return false; })
      .graph("then_branch", std::move(then))
      .graph("else_branch", std::move(other));
  return success();
}

/// A loop becomes ONNX's Loop: rows are gathered in its body, and stacks are
/// its scan outputs.
class LoopWriter {
public:
  LoopWriter(fuse::LoopOp op, Writer &w)
      : op(op), w(w), i64(IntegerType::get(op.getContext(), 64)),
        i1(IntegerType::get(op.getContext(), 1)) {}

  LogicalResult write();

private:
  std::string writeTrips();
  void bindArguments();
  std::vector<Writer::Port> nameResults();
  void writeStack(unsigned index, std::string rows);

  fuse::LoopOp op;
  Writer &w;
  Type i64, i1;
  std::string iteration, goesOn;
  std::vector<std::string> carried;
};

/// The smaller of both bounds; empty if there is none.
std::string LoopWriter::writeTrips() {
  std::string trips = op.getTrips() ? w.integer(*op.getTrips()) : "";
  if (!op.getCount())
    return trips;
  std::string count = w.name(op.getCount());
  return trips.empty() ? count : w.step("Min", {trips, count}).output();
}

void LoopWriter::bindArguments() {
  w.bind(op.getIteration(), iteration);
  for (auto [index, name] : llvm::enumerate(carried))
    w.bind(op.getCarried(index), name);
  for (auto [index, slice] : llvm::enumerate(op.getSlices())) {
    std::string row = iteration;
    if (op.isReversedSlice(index))
      row = w.step("Sub", {w.integer(*op.getTrips() - 1), row}).output();
    w.bind(op.getSlice(index),
           w.step("Gather", {w.name(slice), row}).integer("axis", 0).output());
  }
}

/// The next condition, what is carried, and the rows of stacks.
std::vector<Writer::Port> LoopWriter::nameResults() {
  std::vector<Writer::Port> ports;
  Value next = op.getNextCondition();
  std::string condition = next ? w.name(next) : goesOn;
  ports.push_back({w.step("Identity", {condition}).output(),
                   RankedTensorType::get({}, i1)});
  llvm::append_range(ports, nameOutputs(op.getNextCarried(), w));
  llvm::append_range(ports, nameOutputs(op.getRows(), w));
  return ports;
}

/// Rows that the loop ended before are zeros behind those that there are.
void LoopWriter::writeStack(unsigned index, std::string rows) {
  Value stack = op.getStack(index);
  ArrayRef<int64_t> shape = shapeOf(stack);
  bool isReversed = op.isReversedStack(index);
  if (!op.runsAllTrips()) {
    std::string zeros = w.expand(w.scalar(0, elementOf(stack)), shape);
    std::string more =
        w.step("Concat", {rows, zeros}).integer("axis", 0).output();
    Writer::Names operands{more, w.integers({0}), w.integers({shape[0]}),
                           w.integers({0})};
    if (!isReversed) {
      w.node("Slice", operands, stack);
      return;
    }
    rows = w.step("Slice", operands).output();
  }
  w.node("Slice",
         {rows, w.integers({-1}), w.integers({INT64_MIN}), w.integers({0}),
          w.integers({-1})},
         stack);
}

LogicalResult LoopWriter::write() {
  // Not every program takes a loop without a condition.
  Writer::Names operands{writeTrips(), op.getCondition()
                                           ? w.name(op.getCondition())
                                           : w.scalar(1, i1)};
  llvm::append_range(operands, w.names(op.getInits()));
  iteration = w.unique("iteration");
  goesOn = w.unique("goes_on");
  std::vector<Writer::Port> ports{{iteration, RankedTensorType::get({}, i64)},
                                  {goesOn, RankedTensorType::get({}, i1)}};
  for (Value init : op.getInits()) {
    carried.push_back(w.unique("carried"));
    ports.push_back({carried.back(), fuse::getTensorType(init)});
  }
  onnx::GraphProto body = w.writeBody(
      op.getBody().front(), ports, [&] { bindArguments(); },
      [&] { return nameResults(); });
  SmallVector<unsigned> cut;
  for (unsigned i = 0; i < op.getNumStacks(); ++i)
    if (!op.runsAllTrips() || op.isReversedStack(i))
      cut.push_back(i);
  NodeHandle node =
      w.nodeWith("Loop", operands, op->getResults(), [&](unsigned index) {
        return index >= op.getNumCarried() &&
               llvm::is_contained(cut, index - op.getNumCarried());
      });
  node.graph("body", std::move(body));
  for (unsigned i : cut)
    writeStack(i, node.output(int(op.getNumCarried() + i)));
  return success();
}

} // namespace

void registerExportControl(ExportRegistry &r) {
  r.add<fuse::IfOp>(writeIf);
  r.add<fuse::LoopOp>(
      [](fuse::LoopOp op, Writer &w) { return LoopWriter(op, w).write(); });
}

} // namespace fusec
