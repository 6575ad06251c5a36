// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/GroupPlan.h"

#include "dialects/TargetInfo.h"

#include "passes/Expansion.h"
#include "passes/IndexMasks.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

FailureOr<GroupPlan> GroupPlan::create(ArrayRef<Operation *> ops,
                                       ArrayRef<Value> yielded,
                                       Bodies &bodies) {
  GroupPlan plan(bodies);
  plan.members.insert_range(ops);
  plan.yielded.insert_range(yielded);
  // Users before producers: the demand of a value is then complete.
  for (Operation *op : llvm::reverse(ops)) {
    if (isa<fuse::ConstantOp>(op))
      continue;
    std::optional<Primitive> primitive = Primitive::get(op);
    if (!primitive) {
      op->emitOpError("cannot be part of a fusion group: it is no primitive; "
                      "run --fuse-expand-composites before --fuse-aggregate");
      return failure();
    }
    bool isUsed = llvm::any_of(op->getResults(), [&](Value result) {
      return plan.yielded.contains(result) || plan.demands.contains(result) ||
             plan.stored.contains(result);
    });
    if (!isUsed)
      continue;
    plan.used.insert(op);
    if (primitive->reduces())
      plan.planReduction(*primitive);
    else
      plan.planPointwise(*primitive);
  }
  return plan;
}

FailureOr<GroupPlan> GroupPlan::create(fuse::GroupOp group, Bodies &bodies) {
  Block &block = group.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  return create(ops, llvm::to_vector(block.getTerminator()->getOperands()),
                bodies);
}

void GroupPlan::planReduction(const Primitive &primitive) {
  for (Value result : primitive.getOperation()->getResults()) {
    stored.insert(result);
    read.insert(result);
  }
  Demand demand;
  demand.points = ShapedType::getNumElements(primitive.getExtents());
  demand.isIndex = false;
  for (unsigned i = 0, e = primitive.getOperation()->getNumOperands(); i < e;
       ++i) // A reduction that reads elements several times: a contraction.
    demand.isFactor |= !primitive.getOperandMap(i).isPermutation();
  demandOperands(primitive, demand);
}

void GroupPlan::planPointwise(const Primitive &primitive) {
  Operation *op = primitive.getOperation();
  bool isAccess = getBody(op).isIdentity;
  Demand inlined; // What reaches the operands through this operation.
  for (Value result : op->getResults()) {
    Demand demand = demands.lookup(result);
    bool isArray =
        yielded.contains(result) || (!isAccess && paysToStore(result, demand));
    if (isArray) {
      stored.insert(result);
      inlined.points += fuse::getTensorType(result).getNumElements();
      inlined.isIndex = false;
    }
    // Data-dependent reads are of inputs only, so they go through.
    bool isRead = isArray && !isAccess;
    if (isRead)
      read.insert(result);
    if (!isRead || demand.isDynamic) {
      inlined.points += demand.points;
      inlined.isIndex &= demand.isIndex;
      inlined.isFactor |= demand.isFactor;
      inlined.isWindow |= demand.isWindow;
    }
    inlined.isDynamic |= demand.isDynamic;
  }
  demandOperands(primitive, inlined);
}

bool GroupPlan::paysToStore(Value value, const Demand &demand) {
  int64_t elements = fuse::getTensorType(value).getNumElements();
  if (elements == 0 || demand.isDynamic)
    return false;
  // A tile of rows shares what weights of few bits stand for.
  if (fuse::isExpansion(value.getDefiningOp()) ||
      (demand.isFactor && fuse::expandsPicked(value.getDefiningOp())))
    return false;
  unsigned steps = getChainSteps(value);
  // What windows overlap waits for them, or what it follows from does: that
  // needs no array then but registers.
  if (steps > 0 && demand.isWindow && demand.points > elements &&
      endsReduction(value))
    return true;
  // Indices of gathers stay outside of the loops over what they pick. The loop
  // of a contraction has only loads and multiplications: any step beside them
  // is worth a load.
  const TargetInfo &target = getTargetInfo(value.getDefiningOp());
  const OperationCosts &costs = target.costs;
  // Threads of a block share the loops that all statements have: one that only
  // spares others some steps would leave them its own.
  // On a CPU loops know by a mask, and the indices that it compares, what it
  // hides (--sched-skip-masked).
  if ((target.hasBlocks() ? dependsOnIndicesOnly(value)
                          : fuse::isMadeOfIndices(value)) &&
      !demand.isIndex && !demand.isFactor && steps < fuse::getMaskSteps(costs))
    return false;
  unsigned least = demand.isIndex    ? costs.countSteps(costs.memoryLoad)
                   : demand.isFactor ? 1
                                     : costs.getCheapSteps();
  // What is saved pays for a store and a load of each element.
  int64_t saved = steps * (demand.points - elements);
  return steps >= least && saved >= 2 * costs.getLoadSteps() * elements;
}

bool GroupPlan::dependsOnIndicesOnly(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (isa<fuse::ConstantOp>(op))
    return true;
  std::optional<Primitive> primitive =
      members.contains(op) ? Primitive::get(op) : std::nullopt;
  return primitive && !primitive->reduces() &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return dependsOnIndicesOnly(operand);
         });
}

bool GroupPlan::endsReduction(Value value) {
  int64_t elements = fuse::getTensorType(value).getNumElements();
  Operation *op = value.getDefiningOp();
  std::optional<Primitive> primitive =
      op && members.contains(op) ? Primitive::get(op) : std::nullopt;
  if (!primitive)
    return false;
  if (primitive->reduces())
    return true;
  auto ends = [&](Value operand) {
    return fuse::getTensorType(operand).getNumElements() == elements &&
           operand.hasOneUse() && endsReduction(operand);
  };
  return llvm::any_of(op->getOperands(), ends);
}

unsigned GroupPlan::getChainSteps(Value value) {
  Operation *op = value.getDefiningOp();
  std::optional<Primitive> primitive =
      op && members.contains(op) ? Primitive::get(op) : std::nullopt;
  if (!primitive || primitive->reduces())
    return 0;
  auto [place, isNew] = chainSteps.try_emplace(value, 0);
  if (!isNew)
    return place->second;
  uint64_t steps = bodies->get(*primitive).steps;
  unsigned least = getTargetInfo(op).costs.getCheapSteps();
  llvm::SmallSetVector<Value, 4> operands;
  operands.insert_range(op->getOperands());
  int64_t elements = fuse::getTensorType(value).getNumElements();
  for (Value operand : operands) {
    unsigned part = getChainSteps(operand);
    // A smaller operand that is worth storing will be: then it costs nothing.
    bool isStoredApart =
        part >= least &&
        fuse::getTensorType(operand).getNumElements() < elements;
    steps += isStoredApart ? 0 : part;
  }
  // Shared operands count once per path; the bound keeps that from growing.
  return chainSteps[value] = std::min<uint64_t>(steps, 1000);
}

/// Whether some subscript of the operand is made of several iterators.
static bool readsWindows(const Primitive &primitive, unsigned operand) {
  AffineMap map = primitive.getOperandMap(operand);
  return llvm::any_of(map.getResults(), [&](AffineExpr expr) {
    unsigned iterators = 0;
    for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
      iterators += expr.isFunctionOfDim(dim);
    return iterators > 1;
  });
}

void GroupPlan::demandOperands(const Primitive &primitive, Demand demand) {
  Operation *op = primitive.getOperation();
  llvm::SmallDenseSet<unsigned> indices;
  for (unsigned number = 0; number < op->getNumOperands(); ++number)
    for (unsigned index : primitive.getIndirect(number))
      indices.insert(index);
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    Demand &total = demands[operand.get()];
    // One statement computes a value once, however often it uses it.
    if (!llvm::is_contained(op->getOperands().take_front(number),
                            operand.get()))
      total.points += demand.points;
    total.isDynamic |=
        demand.isDynamic || !primitive.getIndirect(number).empty();
    total.isIndex &= demand.isIndex || indices.contains(number);
    total.isFactor |= demand.isFactor;
    total.isWindow |= demand.isWindow || readsWindows(primitive, number);
  }
}
