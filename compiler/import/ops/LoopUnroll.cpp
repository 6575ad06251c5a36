// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops of few iterations, one iteration after the other.
#include "compiler/import/ops/LoopConverter.h"

using namespace mlir;

namespace fusec {

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
  Builder &builder = node.builder;
  auto known = [&](RankedTensorType type, int64_t number) {
    TensorValue value;
    value.type = type;
    value.block = node.builder.getInsertionBlock();
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
    const HostTensor *next = node.elements(outputs[0]);
    if (!next)
      node.unsupported("would have to be imported iteration by iteration, but "
                       "ends when data say so: " +
                           outputs[0].runTime,
                       "export the model with a constant trip count");
    goesOn = next->ints[0];
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
    node.setOutput(carried.size() + i,
                   rows.size() == 1 ? rows[0] : node.concat(rows, 0));
  }
}

/// Unrolls a loop of an unknown number of iterations, or reports what is the
/// matter with its body as a region.
void LoopConverter::unrollOr(std::vector<Problem> problems) {
  size_t before = node.numProblems();
  try {
    return unroll();
  } catch (const NodeError &) {
  } catch (const ReportedError &) {
  }
  node.takeProblems(before);
  node.addProblems(std::move(problems));
  throw ReportedError();
}

/// Which loops are imported one iteration after the other, and why this is not
/// one of them.
std::string LoopConverter::unrollingText() const {
  std::string text = "those of at most " + std::to_string(kFewTrips) +
                     " iterations, which are imported one after the other; ";
  if (count || condition || endsEarly)
    return text + "how many this one makes is known at run time";
  return text + "this one makes " +
         (trips ? std::to_string(*trips) : std::string("more"));
}

/// The body as a region. What it refuses might have done in a loop of fewer
/// iterations, where each is imported by itself.
NodeBody LoopConverter::importLongBody() {
  size_t before = node.numProblems();
  try {
    return importBody();
  } catch (const ReportedError &) {
    std::vector<Problem> problems = node.takeProblems(before);
    if (trips && *trips > kFewTrips && problems.size() > 0) {
      std::string &hint = problems.front().hint;
      hint += (hint.empty() ? "" : ", or ") + std::string("export the loop '") +
              node.flat().name +
              "' with a constant number of iterations of "
              "at most " +
              std::to_string(kFewTrips) +
              ", which are imported one after the other; it makes " +
              std::to_string(*trips);
    }
    node.addProblems(std::move(problems));
    throw;
  }
}

} // namespace fusec
