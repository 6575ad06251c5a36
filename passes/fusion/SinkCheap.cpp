// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Clones what is cheap to compute again for each of its readers.
#include "dialects/TargetInfo.h"
#include "passes/Expansion.h"
#include "passes/fusion/Clusters.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Splat constants become a scalar and a broadcast, which a group can hold.
static void splitSplats(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto constant = dyn_cast<ConstantOp>(op);
    if (!constant || getTensorType(constant).getRank() == 0)
      continue;
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!splat)
      continue;
    OpBuilder builder(constant);
    auto type = getTensorType(constant);
    auto scalarType = type.clone(ArrayRef<int64_t>());
    auto value =
        DenseElementsAttr::get(scalarType, splat.getSplatValue<Attribute>());
    Value scalar =
        ConstantOp::create(builder, constant.getLoc(), scalarType, value);
    constant.replaceAllUsesWith(BroadcastOp::create(builder, constant.getLoc(),
                                                    type, scalar,
                                                    ArrayRef<int64_t>())
                                    .getOperation());
    constant.erase();
  }
}

/// Whether `op` depends on constants and indices only and computing a point of
/// it costs no more than `budget`, which its cost is taken from.
static bool isConstantWithin(unsigned &budget, Operation *op,
                             BodyInfos &infos) {
  if (auto constant = dyn_cast<ConstantOp>(op))
    return getTensorType(constant).getRank() == 0;
  auto primitive = dyn_cast<PrimitiveOpInterface>(op);
  if (!primitive || primitive.hasReduction())
    return false;
  unsigned steps = infos.get(primitive).steps;
  if (steps > budget)
    return false;
  budget -= steps;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    Operation *producer = operand.getDefiningOp();
    return producer && isConstantWithin(budget, producer, infos);
  });
}

/// Whether to read what `op` computes of takes less memory than its result, and
/// hardly more time for each point.
static bool isReadNarrow(Operation *op) {
  return standsForCodes(op) || widensFloats(op);
}

static bool isCheap(Operation *op, BodyInfos &infos) {
  auto primitive = dyn_cast<PrimitiveOpInterface>(op);
  if (auto transpose = dyn_cast<TransposeOp>(op);
      transpose && (transpose.getStored() || transpose.getTurned()))
    return false;
  if (primitive && op->getNumOperands() == 1 && !primitive.hasReduction() &&
      infos.get(primitive).isAccess)
    return true;
  if (isExpansion(op) || isReadNarrow(op))
    return true;
  // Its readers may be anywhere, and would get it from memory.
  const OperationCosts &costs = getTargetInfo(op).costs;
  unsigned budget = costs.countSteps(costs.memoryLoad);
  return isConstantWithin(budget, op, infos);
}

/// Whether `user` of what `op` computes gets a clone of its own. What is read
/// narrow is computed again once for each of its points, and no more often;
/// what only moves widened floats does so for others, which may read them
/// often.
static bool getsClone(Operation *user, Operation *op, BodyInfos &infos) {
  auto primitive = dyn_cast<PrimitiveOpInterface>(user);
  if (!primitive || !isReadNarrow(op))
    return primitive != nullptr;
  if (widensFloats(op) && infos.get(primitive).isAccess)
    return false;
  return ShapedType::getNumElements(primitive.getIterationExtents()) <=
         getTensorType(op->getResult(0)).getNumElements();
}

void fusec::fuse::sinkCheapProducers(Block &block, BodyInfos &infos) {
  splitSplats(block);
  // Users come first, so that a chain is cloned from its end.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (!isCheap(&op, infos))
      continue;
    SmallVector<Operation *> readers;
    for (Operation *user : op.getUsers())
      if (getsClone(user, &op, infos) && !llvm::is_contained(readers, user))
        readers.push_back(user);
    // What is left, say a return, shares the original; else a reader does, best
    // one in this block.
    bool others = llvm::any_of(op.getUsers(), [&](Operation *user) {
      return !getsClone(user, &op, infos);
    });
    if (!others && !readers.empty()) {
      auto last = llvm::find_if(llvm::reverse(readers), [&](Operation *reader) {
        return reader->getBlock() == &block;
      });
      if (last != readers.rend())
        std::swap(*last, readers.back());
      if (readers.back()->getBlock() != &block)
        op.moveBefore(readers.back());
      readers.pop_back();
    }
    for (Operation *reader : readers) {
      OpBuilder builder(reader);
      Operation *clone = builder.clone(op);
      op.getResult(0).replaceUsesWithIf(
          clone->getResult(0),
          [&](OpOperand &use) { return use.getOwner() == reader; });
    }
  }
}
