// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/GroupCost.h"

#include "passes/schedule/Pieces.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

namespace {
/// Counts the body of one statement, as StatementBuilder would write it: a
/// value once for each point at which it is needed.
class BodyCounter {
public:
  BodyCounter(const GroupPlan &plan, Bodies &bodies, int64_t enough)
      : plan(plan), bodies(bodies), enough(enough) {}

  /// Counts what the operation does at the points of `map`, without asking
  /// whether its result is stored.
  void countOp(Operation *op, AffineMap map);
  /// Counts what a statement that needs `value` computes for it.
  void countValue(Value value, AffineMap map);

  int64_t operations = 0;

private:
  const GroupPlan &plan;
  Bodies &bodies;
  int64_t enough;
  llvm::DenseSet<std::pair<Value, AffineMap>> visited;
};
} // namespace

void BodyCounter::countOp(Operation *op, AffineMap map) {
  Primitive primitive = *Primitive::get(op);
  operations += bodies.get(primitive).operations;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap access = primitive.getOperandMap(operand.getOperandNumber());
    countValue(operand.get(), access.isIdentity()
                                  ? map
                                  : simplifyAffineMap(access.compose(map)));
  }
}

void BodyCounter::countValue(Value value, AffineMap map) {
  Operation *op = value.getDefiningOp();
  // Arguments, constants, arrays.
  if (operations > enough || !op || !plan.isUsed(op))
    return;
  bool atAnyIndex = map.getNumSymbols() != 0;
  if (plan.isRead(value) && (!atAnyIndex || Primitive::get(op)->reduces()))
    return;
  if (visited.insert({value, map}).second)
    countOp(op, map);
}

GroupCost fusec::sched::measureGroup(ArrayRef<Operation *> ops,
                                     ArrayRef<Value> yielded, Bodies &bodies,
                                     int64_t enough) {
  GroupCost cost;
  FailureOr<GroupPlan> plan = GroupPlan::create(ops, yielded, bodies);
  if (failed(plan))
    return cost;
  for (Operation *op : ops) {
    if (!plan->isUsed(op) || cost.operations > enough)
      continue;
    Primitive primitive = *Primitive::get(op);
    BodyCounter body(*plan, bodies, enough - cost.operations);
    AffineMap points = AffineMap::getMultiDimIdentityMap(
        primitive.getExtents().size(), op->getContext());
    if (primitive.reduces()) {
      body.countOp(op, points);
      cost.statements += 2; // The first of them sets accumulators.
    }
    for (OpResult result : op->getResults()) {
      bool isYielded = llvm::is_contained(yielded, result);
      if (primitive.reduces()) {
        cost.statements += isYielded; // Copied from its accumulators.
      } else if (plan->isStored(result)) {
        body.countOp(op, points);
        cost.statements += cutIntoPieces(result, *plan).size();
      }
    }
    cost.operations += body.operations;
  }
  return cost;
}
