// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conditions around loops and statements.
#include "passes/poly/loops/LoopBuilder.h"

using namespace mlir;

namespace fusec::poly {

/// What has to be at least zero for a loop on lanes, or one of a piece, to have
/// an iteration.
SmallVector<AffineExpr>
LoopBuilder::findConditions(ArrayRef<AffineExpr> lower,
                            ArrayRef<AffineExpr> upper,
                            kernel::Mapping current) const {
  SmallVector<AffineExpr> conditions;
  if (isNest(current) || (!hasPieces && current != kernel::Mapping::vector))
    return conditions;
  for (AffineExpr begin : lower)
    for (AffineExpr end : upper) {
      AffineExpr rest = simplifyInRange(end - begin - 1, ranges);
      if (!isAtLeast(rest, 0))
        conditions.push_back(divideBySlope(rest));
    }
  return conditions;
}

/// The same condition, that `expr` is at least zero, on the index alone where
/// it is of one.
AffineExpr LoopBuilder::divideBySlope(AffineExpr expr) const {
  for (unsigned position = 0; position < ranges.size(); ++position) {
    AffineExpr index = getAffineDimExpr(position, expr.getContext());
    int64_t slope = getSlope(expr, position).value_or(0);
    auto rest = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(expr - index * slope, ranges.size(), 0));
    if (slope != 0 && rest)
      return index * (slope > 0 ? 1 : -1) +
             llvm::divideFloorSigned(rest.getValue(), std::abs(slope));
  }
  return expr;
}

LogicalResult LoopBuilder::emitIf(const isl::ast_node_if &node) {
  SmallVector<AffineExpr> constraints;
  SmallVector<bool> equalities;
  if (failed(collectConditions(node.cond(), constraints, equalities)))
    return failure();
  // Around a local array it tells tiles apart.
  if (!node.then_node().isa<isl::ast_node_mark>())
    scop.getOp().emitRemark()
        << "a statement runs under a condition: " << toString(node.cond());
  auto [map, operands] = makeMap(constraints);
  IntegerSet set =
      IntegerSet::get(map.getNumDims(), 0, map.getResults(), equalities);
  auto condition = kernel::IfOp::create(builder, scop.getOp().getLoc(), set,
                                        operands, node.has_else_node());
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<IndexRange> rangesAround = ranges;
  size_t numKnown = known.size();
  for (auto [constraint, isEquality] : llvm::zip(constraints, equalities)) {
    learn(constraint);
    if (isEquality)
      learn(-constraint);
  }
  auto emitInto = [&](Region &branch, const isl::ast_node &body) {
    builder.setInsertionPoint(branch.front().getTerminator());
    stored.clear();
    LogicalResult result = emit(body);
    stored.clear();
    return result;
  };
  LogicalResult result = emitInto(condition.getBody(), node.then_node());
  ranges = rangesAround;
  known.truncate(numKnown);
  if (failed(result))
    return failure();
  return node.has_else_node()
             ? emitInto(condition.getElseBody(), node.else_node())
             : success();
}

/// `node` where the conditions hold that the loops of threads around left.
LogicalResult LoopBuilder::emitGuarded(const isl::ast_node &node) {
  return emitBelow(std::exchange(guards, {}), [&] { return emit(node); });
}

/// What `emitBody` does, where `constraints` are at least zero.
LogicalResult
LoopBuilder::emitBelow(ArrayRef<AffineExpr> constraints,
                       llvm::function_ref<LogicalResult()> emitBody) {
  auto [map, operands] = makeMap(constraints);
  SmallVector<bool> equalities(constraints.size(), false);
  auto condition = kernel::IfOp::create(
      builder, scop.getOp().getLoc(),
      IntegerSet::get(map.getNumDims(), 0, map.getResults(), equalities),
      operands);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(condition.getBody().front().getTerminator());
  SmallVector<IndexRange> rangesAround = ranges;
  size_t numKnown = known.size();
  for (AffineExpr constraint : constraints)
    learn(constraint);
  LogicalResult result = emitBody();
  stored.clear();
  ranges = rangesAround;
  known.truncate(numKnown);
  return result;
}

} // namespace fusec::poly
