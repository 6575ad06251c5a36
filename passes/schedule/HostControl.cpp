// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions, loops and choices of the network become those of the host
// program.
#include "dialects/library/Declared.h"
#include "passes/schedule/FormStatements.h"
#include "passes/schedule/HostConversion.h"

#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

LogicalResult HostConversion::convertBodies(Operation *op, Operation *host) {
  llvm::SaveAndRestore within(outermost, outermost ? outermost : host);
  for (auto [from, to] : llvm::zip(op->getRegions(), host->getRegions())) {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&to);
    Block &block = from.front();
    auto yielded = cast<fuse::YieldOp>(block.getTerminator()).getValues();
    SmallVector<unsigned> copied;
    for (auto [number, value] : llvm::enumerate(yielded))
      if (!want(value, memory[op->getResult(number)], block))
        copied.push_back(number);
    if (failed(convertBlock(block)))
      return failure();
    for (unsigned number : copied)
      copy(yielded[number], memory[op->getResult(number)]);
    kernel::EndOp::create(builder, op->getLoc());
  }
  return success();
}

LogicalResult HostConversion::convertIf(fuse::IfOp op) {
  for (Value result : op.getResults())
    memory[result] = getResultMemory(result);
  return convertBodies(op, kernel::BranchOp::create(builder, op.getLoc(),
                                                    memory[op.getCondition()]));
}

/// Whether nothing needs `value` once `choice` has run, of which each
/// alternative reads it in one place.
static bool diesAt(Value value, fuse::ChoiceOp choice) {
  llvm::DenseSet<Region *> readers;
  for (Operation *user : value.getUsers()) {
    Operation *around = choice->getBlock()->findAncestorOpInBlock(*user);
    if (around == choice ? !readers.insert(user->getParentRegion()).second
                         : !around || !around->isBeforeInBlock(choice))
      return false;
  }
  return true;
}

Value HostConversion::findReused(fuse::ChoiceOp choice, unsigned index) {
  Value reused;
  for (Region &alternative : choice.getAlternatives()) {
    auto yield = cast<fuse::YieldOp>(alternative.front().getTerminator());
    auto result = dyn_cast<OpResult>(yield.getValues()[index]);
    auto call = result ? dyn_cast<fuse::CallOp>(result.getOwner()) : nullptr;
    if (!call || call->getBlock() != &alternative.front())
      return {};
    int64_t operand = -1;
    for (StringRef kind :
         {library::kMustAliasParameter, library::kMayAliasParameter})
      operand =
          std::max(operand, library::getAliased(call.getParameters(), kind,
                                                result.getResultNumber()));
    if (operand < 0 || (reused && reused != call.getOperands()[operand]))
      return {};
    reused = call.getOperands()[operand];
  }
  return takesAnyPlace(reused) &&
                 reused.getParentBlock() == choice->getBlock() &&
                 diesAt(reused, choice)
             ? reused
             : Value();
}

LogicalResult HostConversion::convertChoice(fuse::ChoiceOp op) {
  for (OpResult result : op->getResults()) {
    Value reused = placeOf.contains(result)
                       ? Value()
                       : findReused(op, result.getResultNumber());
    memory[result] = reused ? memory[reused] : getResultMemory(result);
  }
  return convertBodies(
      op, kernel::ChoiceOp::create(builder, op.getLoc(), op.getSymName(),
                                   op.getAlgorithms(),
                                   op.getAlternatives().size()));
}

Value HostConversion::makeNext(Value carried) {
  StringRef name = getLocName(carried.getLoc());
  Value buffer = makeBuffer(carried);
  buffer.setLoc(NameLoc::get(
      builder.getStringAttr(name.empty() ? "next" : name + "_next")));
  return buffer;
}

Value HostConversion::makeStart(Value init) {
  // A buffer that nothing else reads can be the loop's own.
  Value start = memory[init];
  if (init.hasOneUse() && takesAnyPlace(init) &&
      init.getDefiningOp()->getBlock() == (*init.user_begin())->getBlock() &&
      start.getDefiningOp<kernel::BufferOp>())
    return start;
  start = makeBuffer(init);
  copy(init, start);
  return start;
}

/// Row `index` of `source`, or counted from the end.
static Value makeRow(OpBuilder &builder, Location loc, Value source,
                     Value index, bool reversed) {
  auto type = cast<MemRefType>(source.getType());
  auto row =
      MemRefType::get(type.getShape().drop_front(), type.getElementType());
  int64_t stride = row.getNumElements();
  int64_t start = reversed ? (type.getDimSize(0) - 1) * stride : 0;
  return kernel::ViewOp::create(builder, loc, row, source, index, start,
                                reversed ? -stride : stride);
}

LogicalResult HostConversion::convertLoop(fuse::LoopOp op) {
  Location loc = op.getLoc();
  Value count = op.getCount() ? memory[op.getCount()] : Value();
  Value condition = op.getCondition() ? makeStart(op.getCondition()) : Value();
  SmallVector<Value> swaps;
  SmallVector<Type> types, argumentTypes = {builder.getIndexType()};
  SmallVector<Location> locations = {loc};
  for (auto [number, init] : llvm::enumerate(op.getInits())) {
    swaps.append({makeStart(init), makeNext(op.getCarried(number))});
    types.push_back(swaps.back().getType());
    argumentTypes.append(2, types.back());
    locations.append(2, op.getCarried(number).getLoc());
  }
  SmallVector<Value> stacks;
  for (unsigned i = 0; i < op.getNumStacks(); ++i)
    stacks.push_back(memory[op.getStack(i)] = getResultMemory(op.getStack(i)));
  auto repeat = kernel::RepeatOp::create(builder, loc, types, op.getTripsAttr(),
                                         count, condition, swaps);
  {
    OpBuilder::InsertionGuard guard(builder);
    llvm::SaveAndRestore within(outermost,
                                outermost ? outermost : repeat.getOperation());
    Block &body = op.getBody().front();
    builder.createBlock(&repeat.getBody(), {}, argumentTypes, locations);
    Value index = repeat.getIndex();
    if (!op.getIteration().use_empty()) {
      Value target = memory[op.getIteration()] = makeBuffer(op.getIteration());
      kernel::SetIndexOp::create(builder, loc, index, target);
    }
    for (unsigned i = 0; i < op.getNumCarried(); ++i)
      memory[op.getCarried(i)] = repeat.getNow(i);
    for (auto [i, slice] : llvm::enumerate(op.getSlices())) {
      Value row = op.getSlice(i);
      if (!row.use_empty())
        memory[row] = makeRow(builder, row.getLoc(), memory[slice], index,
                              op.isReversedSlice(i));
    }
    // What is yielded is computed where it goes, or copied there at the end.
    SmallVector<std::pair<Value, Value>> copies;
    auto deliver = [&](Value value, Value place) {
      if (!want(value, place, body))
        copies.emplace_back(value, place);
    };
    if (condition)
      deliver(op.getNextCondition(), condition);
    for (auto [i, value] : llvm::enumerate(op.getNextCarried()))
      deliver(value, repeat.getNext(i));
    for (auto [i, value] : llvm::enumerate(op.getRows()))
      deliver(value,
              makeRow(builder, loc, stacks[i], index, op.isReversedStack(i)));
    if (failed(convertBlock(body)))
      return failure();
    for (auto [value, place] : copies)
      copy(value, place);
    kernel::EndOp::create(builder, loc);
  }
  for (unsigned i = 0; i < op.getNumCarried(); ++i)
    memory[op.getResult(i)] = repeat.getResult(i);
  return success();
}
