// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/Evaluator.h"

#include "passes/graph/CompositeExpander.h"
#include "passes/graph/Elements.h"
#include "passes/graph/EvaluateCalls.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

Evaluator::Evaluator(EvaluationLimits limits, FindWeight findWeight)
    : limits(limits), steps(limits.steps), findWeight(std::move(findWeight)) {}
Evaluator::Evaluator(Evaluator &&) = default;
Evaluator::~Evaluator() = default;

void Evaluator::define(Value value, ConstantData data) {
  known.insert_or_assign(value, std::move(data));
}

void Evaluator::keep(Value value, std::vector<char> bytes) {
  define(value, ownData(getTensorType(value), std::move(bytes)));
}

std::optional<ConstantData> Evaluator::lookup(Value value) const {
  auto found = known.find(value);
  if (found == known.end())
    return std::nullopt;
  return found->second;
}

//===- What a value is computed from --------------------------------------===//

/// The values that `op` reads, in its regions too.
static llvm::SetVector<Value> getDependencies(Operation *op) {
  llvm::SetVector<Value> values;
  values.insert(op->operand_begin(), op->operand_end());
  for (Region &region : op->getRegions())
    getUsedValuesDefinedAbove(region, values);
  return values;
}

bool Evaluator::collect(Value value, Slice &slice, bool all) {
  struct Frame {
    Operation *op;
    llvm::SetVector<Value> values;
    size_t next = 0;
  };
  std::vector<Frame> open;
  llvm::SmallPtrSet<Operation *, 16> seen;
  auto enter = [&](Value value, Operation *reader) {
    if (known.count(value))
      return true;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (slice.arguments.insert(argument) && !slice.reader)
        slice.reader = reader;
      return all;
    }
    Operation *op = value.getDefiningOp();
    if (seen.insert(op).second)
      open.push_back({op, getDependencies(op)});
    return true;
  };
  if (!enter(value, nullptr))
    return false;
  while (!open.empty()) {
    Frame &frame = open.back();
    if (frame.next == frame.values.size()) {
      slice.ops.push_back(frame.op);
      open.pop_back();
    } else if (Value next = frame.values[frame.next++];
               !enter(next, frame.op)) {
      return false;
    }
  }
  return slice.arguments.empty();
}

SmallVector<BlockArgument> Evaluator::getArguments(Value value) {
  Slice slice;
  collect(value, slice, /*all=*/true);
  return slice.arguments.takeVector();
}

std::optional<ConstantData> Evaluator::get(Value value) {
  if (std::optional<ConstantData> data = lookup(value))
    return data;
  Slice slice;
  if (!collect(value, slice, /*all=*/false)) {
    obstacle = {slice.reader, slice.arguments.front()};
    return std::nullopt;
  }
  for (Operation *op : slice.ops)
    if (!run(op))
      return std::nullopt;
  return lookup(value);
}

//===- Operations ---------------------------------------------------------===//

bool Evaluator::refuse(Operation *op, const llvm::Twine &reason) {
  obstacle = {op, nullptr, reason.str()};
  return false;
}

bool Evaluator::spend(Operation *op, int64_t count) {
  steps -= std::min(count, steps + 1);
  return steps >= 0 || refuse(op, "would take the compiler more than " +
                                      llvm::Twine(limits.steps) + " steps");
}

bool Evaluator::run(Operation *op) {
  if (isa<ConstantOp, GetWeightOp>(op)) {
    auto get = dyn_cast<GetWeightOp>(op);
    std::optional<ConstantData> data = get && findWeight
                                           ? getWeightData(findWeight(get))
                                           : getConstantData(op->getResult(0));
    if (!data)
      return refuse(op, "is a constant without elements");
    define(op->getResult(0), std::move(*data));
    return true;
  }
  if (isa<BroadcastOp, TransposeOp, SliceOp, ReshapeOp>(op))
    return runView(op);
  for (Value result : op->getResults()) {
    RankedTensorType type = getTensorType(result);
    double bytes = double(type.getNumElements()) *
                   getTypeInfo(type.getElementType())->storageBytes();
    if (bytes > double(limits.bytes))
      return refuse(op, "computes more than " + llvm::Twine(limits.bytes) +
                            " bytes");
  }
  if (isa<IfOp>(op))
    return runIf(cast<IfOp>(op));
  if (isa<LoopOp>(op))
    return runLoop(cast<LoopOp>(op));
  if (isa<CallOp>(op))
    return runCall(cast<CallOp>(op));
  if (op->hasTrait<Composite>())
    return runComposite(op);
  if (auto primitive = dyn_cast<PrimitiveOpInterface>(op))
    return runPrimitive(primitive);
  return refuse(op, "is not computed by the compiler");
}

bool Evaluator::runView(Operation *op) {
  Value operand = op->getOperand(0), result = op->getResult(0);
  ConstantData data = *lookup(operand);
  std::optional<ConstantData> seen = lookThrough(op, data);
  if (!seen) {
    RankedTensorType type = getTensorType(operand);
    if (!spend(op, type.getNumElements()))
      return false;
    seen = lookThrough(op, packData(data, type));
  }
  define(result, std::move(*seen));
  return true;
}

bool Evaluator::keepAll(Operation *op,
                        std::optional<std::vector<std::vector<char>>> results) {
  if (!results)
    return refuse(op, "is not computed by the compiler");
  for (auto [value, bytes] : llvm::zip(op->getResults(), *results))
    keep(value, std::move(bytes));
  return true;
}

bool Evaluator::castsOutOfRange(CastOp op) const {
  RankedTensorType from = getTensorType(op.getOperand());
  auto to =
      dyn_cast<IntegerType>(getTensorType(op.getResult()).getElementType());
  return isa<FloatType>(from.getElementType()) && to && !to.isInteger(1) &&
         !fitsIntegers(packData(*lookup(op.getOperand()), from), to);
}

bool Evaluator::runPrimitive(PrimitiveOpInterface op) {
  // The vocabulary defines which integer becomes of it, but ONNX does not, and
  // no extent may rest on that.
  if (auto cast = dyn_cast<CastOp>(*op); cast && castsOutOfRange(cast))
    return refuse(op, "casts NaN, or what is out of range, to an integer");
  constexpr int64_t kStepsToBegin = 256;
  return spend(op, kStepsToBegin) && spend(op, countSteps(op)) &&
         keepAll(op, evaluate(op, [&](Value value) { return lookup(value); }));
}

bool Evaluator::runCall(CallOp op) {
  int64_t count = 0;
  for (Value value : op->getOperands())
    count += getTensorType(value).getNumElements();
  return spend(op, count) && keepAll(op, evaluateCall(op, [&](Value value) {
                                       return lookup(value);
                                     }));
}

/// In a module of its own, whose function has the operands as arguments.
bool Evaluator::runComposite(Operation *op) {
  if (!CompositeExpander::coversElements(op))
    return refuse(op, "is not defined for its elements");
  constexpr int64_t kStepsToExpand = 16384;
  if (!spend(op, kStepsToExpand))
    return false;
  if (!expander)
    expander = std::make_unique<CompositeExpander>(op->getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(op->getLoc());
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto function = func::FuncOp::create(
      builder, op->getLoc(), "composite",
      builder.getFunctionType(op->getOperandTypes(), op->getResultTypes()));
  Block *block = function.addEntryBlock();
  builder.setInsertionPointToEnd(block);
  IRMapping mapping;
  mapping.map(op->getOperands(), block->getArguments());
  Operation *copy = builder.clone(*op, mapping);
  auto end = func::ReturnOp::create(builder, op->getLoc(), copy->getResults());
  expander->expand(*module);
  Evaluator inner(limits);
  inner.steps = steps;
  for (auto [argument, operand] :
       llvm::zip(block->getArguments(), op->getOperands()))
    inner.define(argument, *lookup(operand));
  inner.expander = std::move(expander);
  bool isDone = true;
  for (auto [result, value] : llvm::zip(op->getResults(), end.getOperands())) {
    std::optional<ConstantData> data = inner.get(value);
    isDone &= data.has_value();
    if (!isDone)
      break;
    data->weight = {}; // It goes with its module, its bytes stay.
    define(result, std::move(*data));
  }
  expander = std::move(inner.expander);
  steps = inner.steps;
  return isDone || refuse(op, inner.obstacle.reason);
}

static bool isTrue(const ConstantData &data) { return data.bytes[0] != 0; }

bool Evaluator::runIf(IfOp op) {
  bool holds = isTrue(*lookup(op.getCondition()));
  YieldOp yield = holds ? op.getThenYield() : op.getElseYield();
  for (auto [result, value] : llvm::zip(op->getResults(), yield.getValues())) {
    std::optional<ConstantData> data = get(value);
    if (!data)
      return false;
    define(result, std::move(*data));
  }
  return true;
}

void Evaluator::forget(Region &body) {
  body.walk([&](Operation *op) {
    for (Value result : op->getResults())
      known.erase(result);
  });
}

bool Evaluator::runLoop(LoopOp op) {
  int64_t trips = op.getTrips().value_or(INT64_MAX);
  auto count = [&](Value value) {
    return getIntegers(packData(*lookup(value), getTensorType(value)))[0];
  };
  if (op.getCount())
    trips = std::min(trips, count(op.getCount()));
  bool goesOn = !op.getCondition() || isTrue(*lookup(op.getCondition()));
  unsigned numCarried = op.getNumCarried(), numStacks = op.getNumStacks();
  SmallVector<ConstantData> carried, slices;
  for (Value value : op.getInits())
    carried.push_back(*lookup(value));
  for (Value value : op.getSlices())
    slices.push_back(packData(*lookup(value), getTensorType(value)));
  std::vector<std::vector<char>> stacks;
  for (unsigned s = 0; s < numStacks; ++s) {
    RankedTensorType type = getTensorType(op.getStack(s));
    stacks.emplace_back(type.getNumElements() *
                        getTypeInfo(type.getElementType())->storageBytes());
  }
  for (int64_t i = 0; goesOn && i < trips; ++i) {
    constexpr int64_t kStepsOfIteration = 256;
    if (!spend(op, kStepsOfIteration))
      return false;
    forget(op.getBody());
    auto row = [&](bool isReversed) { return isReversed ? trips - 1 - i : i; };
    Value iteration = op.getIteration();
    keep(iteration, {reinterpret_cast<const char *>(&i),
                     reinterpret_cast<const char *>(&i + 1)});
    for (unsigned c = 0; c < numCarried; ++c)
      define(op.getCarried(c), carried[c]);
    for (unsigned s = 0; s < slices.size(); ++s) {
      size_t size = slices[s].bytes.size() / *op.getTrips();
      ArrayRef<char> bytes =
          slices[s].bytes.slice(row(op.isReversedSlice(s)) * size, size);
      keep(op.getSlice(s), bytes.vec());
    }
    SmallVector<ConstantData> yielded;
    for (Value value : op.getYield().getValues()) {
      std::optional<ConstantData> data = get(value);
      if (!data)
        return false;
      yielded.push_back(packData(*data, getTensorType(value)));
    }
    ArrayRef<ConstantData> rest = yielded;
    if (op.getCondition()) {
      goesOn = isTrue(rest.front());
      rest = rest.drop_front();
    }
    llvm::copy(rest.take_front(numCarried), carried.begin());
    for (auto [s, data] : llvm::enumerate(rest.drop_front(numCarried)))
      llvm::copy(data.bytes, stacks[s].begin() + row(op.isReversedStack(s)) *
                                                     data.bytes.size());
  }
  forget(op.getBody());
  for (unsigned c = 0; c < numCarried; ++c)
    define(op.getResult(c), std::move(carried[c]));
  for (unsigned s = 0; s < numStacks; ++s)
    keep(op.getStack(s), std::move(stacks[s]));
  return true;
}
