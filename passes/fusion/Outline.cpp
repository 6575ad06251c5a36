// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns clusters into fuse.group operations.
#include "passes/fusion/Clusters.h"

#include "dialects/fuse/ValueLocation.h"
#include "passes/fusion/GroupNames.h"

#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// Operands before their users, results in program order: an order that does
/// not depend on how the model was written.
static void appendInOrder(Operation *op, const llvm::DenseSet<Operation *> &set,
                          llvm::SetVector<Operation *> &order) {
  if (!set.contains(op) || order.contains(op))
    return;
  for (Value operand : op->getOperands())
    if (Operation *producer = operand.getDefiningOp())
      appendInOrder(producer, set, order);
  order.insert(op);
}

static GroupOp outline(ArrayRef<Operation *> members,
                       llvm::StringSet<> &names) {
  llvm::DenseSet<Operation *> set(members.begin(), members.end());
  llvm::SetVector<Operation *> ops;
  for (Operation *op : members)
    if (isNeededOutside(op, set))
      appendInOrder(op, set, ops);
  llvm::SetVector<Value> operands, results;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !set.contains(operand.getDefiningOp()))
        operands.insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(),
                       [&](Operation *user) { return !set.contains(user); }))
        results.insert(result);
  }
  OpBuilder builder(members.back());
  Location loc = fuseLocations(members);
  auto group = GroupOp::create(
      builder, loc, ValueRange(results.getArrayRef()).getTypes(),
      builder.getStringAttr(nameGroup(members, names)), operands.getArrayRef());
  Block &body = group.getBody().emplaceBlock();
  for (Value operand : operands) {
    Value argument =
        body.addArgument(operand.getType(), getValueLocation(operand));
    operand.replaceUsesWithIf(
        argument, [&](OpOperand &use) { return set.contains(use.getOwner()); });
  }
  for (auto [i, inside] : llvm::enumerate(results.getArrayRef()))
    Value(inside).replaceUsesWithIf(group.getResult(i), [&](OpOperand &use) {
      return !set.contains(use.getOwner());
    });
  for (Operation *op : ops)
    op->moveBefore(&body, body.end());
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(builder, loc, results.getArrayRef());
  return group;
}

SmallVector<GroupOp>
fusec::fuse::outlineGroups(ArrayRef<SmallVector<Operation *>> clusters,
                           llvm::StringSet<> &names) {
  SmallVector<GroupOp> groups;
  for (ArrayRef<Operation *> ops : clusters)
    groups.push_back(outline(ops, names));
  return groups;
}

/// Yields each value once.
static void dropRepeatedResults(GroupOp group) {
  auto yield = cast<YieldOp>(group.getBody().front().getTerminator());
  llvm::SetVector<Value> distinct;
  distinct.insert_range(yield.getValues());
  if (distinct.size() == yield.getValues().size())
    return;
  OpBuilder builder(group);
  ValueRange kept = distinct.getArrayRef();
  auto smaller = GroupOp::create(builder, group.getLoc(), kept.getTypes(),
                                 group.getSymNameAttr(), group.getOperands());
  smaller.getBody().takeBody(group.getBody());
  for (auto [result, value] : llvm::zip(group.getResults(), yield.getValues()))
    result.replaceAllUsesWith(
        smaller.getResult(llvm::find(distinct, value) - distinct.begin()));
  yield.getValuesMutable().assign(kept);
  group.erase();
}

/// Why the group cannot be one loop nest.
static std::optional<std::string> refuse(GroupOp group) {
  BodyInfos infos;
  SmallVector<Operation *> ops;
  for (Operation &op : group.getBody().front().without_terminator())
    ops.push_back(&op);
  return FusionRules(infos, GroupLimits()).refuse(ops);
}

void fusec::fuse::shareWithinGroups(ArrayRef<GroupOp> groups) {
  for (GroupOp group : groups) {
    IRRewriter rewriter(group.getContext());
    DominanceInfo dominance(group);
    GroupOp apart = group.clone();
    bool changed = false;
    eliminateCommonSubExpressions(rewriter, dominance, group, &changed);
    // What is stored at one point and read at others is computed twice.
    if (changed && refuse(group)) {
      rewriter.setInsertionPoint(group);
      rewriter.insert(apart);
      rewriter.replaceOp(group, apart);
      group = apart;
    } else {
      apart.erase();
    }
    dropRepeatedResults(group);
  }
}
