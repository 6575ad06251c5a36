// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/LaneRewriter.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;

namespace fusec::kernel {

LogicalResult LaneRewriter::refuse(Operation *op, const Twine &why) {
  culprit = op;
  reason = why.str();
  return failure();
}

LogicalResult LaneRewriter::rewrite(Block &body, Value newMask,
                                    bool newMaybeNone) {
  if (!started)
    loopMask = newMask;
  started = true;
  llvm::SaveAndRestore savedMask(mask, newMask);
  llvm::SaveAndRestore savedNone(maybeNone, newMaybeNone);
  for (Operation &op : body.without_terminator())
    if (failed(rewrite(&op)))
      return failure();
  return success();
}

LogicalResult LaneRewriter::rewrite(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](LoadOp load) { return rewriteLoad(load); })
      .Case([&](StoreOp store) { return rewriteStore(store); })
      .Case([&](GatherOp gather) { return rewriteGather(gather); })
      .Case([&](LocalOp local) { return rewriteLocal(local); })
      .Case([&](ForOp loop) { return rewriteFor(loop); })
      .Case([&](IfOp branch) { return rewriteIf(branch); })
      .Case([&](InBoundsOp test) { return rewriteInBounds(test); })
      .Case([&](arith::IndexCastOp cast) { return rewriteIndexCast(cast); })
      // Composed into whatever uses it.
      .Case([&](ApplyOp) { return success(); })
      .Case([&](MinOp min) -> LogicalResult {
        AffineForm form = lift(min.getMap(), min.getOperands());
        if (usesLane(form))
          return refuse(op, "a minimum differs from lane to lane");
        mapping.map(min.getResult(),
                    MinOp::create(builder, op->getLoc(), builder.getIndexType(),
                                  form.getMap(op->getContext()), form.operands)
                        .getResult());
        return success();
      })
      .Default([&](Operation *other) { return rewriteElementwise(other); });
}

LogicalResult LaneRewriter::rewriteElementwise(Operation *op) {
  auto isLanes = [](Type type) { return isa<VectorType>(type); };
  if (llvm::any_of(op->getOperandTypes(), isLanes) ||
      (llvm::any_of(op->getResultTypes(), isLanes)))
    return refuse(op, "the body is in lanes already");
  if (op->getNumRegions() != 0 || !isMemoryEffectFree(op))
    return refuse(op, "it has no form for lanes");
  if (llvm::any_of(op->getOperands(),
                   [](Value value) { return value.getType().isIndex(); }))
    return refuse(
        op, "it computes with an index; only affine maps do that in lanes");

  bool lanes = llvm::any_of(op->getOperands(), [&](Value value) {
    return isLanes(mapping.lookupOrDefault(value).getType());
  });
  if (!lanes) {
    builder.clone(*op, mapping);
    return success();
  }
  if (!OpTrait::hasElementwiseMappableTraits(op))
    return refuse(op, "it has no form for lanes");
  IRMapping wide;
  for (Value operand : op->getOperands())
    wide.map(operand, widen(mapping.lookupOrDefault(operand)));
  Operation *copy = builder.clone(*op, wide);
  for (auto [result, old] : llvm::zip(copy->getResults(), op->getResults())) {
    result.setType(getVectorOf(old.getType()));
    mapping.map(old, result);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult LaneRewriter::rewriteLocal(LocalOp op) {
  auto type = cast<MemRefType>(op.getType());
  if (isa<VectorType>(type.getElementType()))
    return refuse(op, "the body is in lanes already");
  // Each iteration has an array of its own: one of vectors.
  auto wide =
      MemRefType::get(type.getShape(), getVectorOf(type.getElementType()));
  Value local = LocalOp::create(builder, op.getLoc(), wide);
  mapping.map(op.getResult(), local);
  privates.insert(local);
  return success();
}

LogicalResult LaneRewriter::rewriteLoad(LoadOp op) {
  if (op.isVector())
    return refuse(op, "the body is in lanes already");
  Location loc = op.getLoc();
  Value memref = mapping.lookupOrDefault(op.getMemref());
  AffineForm form = lift(op.getMap(), op.getIndices());
  AffineMap map = form.getMap(op.getContext());
  Value condition =
      op.getMask() ? mapping.lookupOrDefault(op.getMask()) : Value();
  auto vector = getVectorOf(op.getType());

  if (isPrivate(memref)) {
    if (usesLane(form) || condition)
      return refuse(
          op, "a local of the loop's body is subscripted by the loop's index");
    mapping.map(op.getResult(),
                LoadOp::create(builder, loc, vector, memref, map, form.operands)
                    .getResult());
    return success();
  }
  if (!op.getMemRefType().hasStaticShape())
    return refuse(op, "the memref has a dynamic shape");
  AffineExpr linear = form.linearize(op.getMemRefType().getShape());
  std::optional<int64_t> slope = linear ? getLaneSlope(form, linear) : 0;

  bool condInLanes = condition && isa<VectorType>(condition.getType());
  bool mayBeInvalid = condInLanes || (maybeNone && usesLane(form));
  if (slope == 0 && !mayBeInvalid) {
    auto load = LoadOp::create(builder, loc, op.getType(), memref, map,
                               form.operands, condition, 1, op.getFillAttr());
    mapping.map(op.getResult(), load.getResult());
    return success();
  }
  Value active = activeIf(condition);
  TypedAttr fill = active ? op.getFillAttr() : TypedAttr();
  if (slope != 1 && slope != 0)
    apart.push_back(op);
  if (slope && *slope != 0) {
    auto load = LoadOp::create(builder, loc, vector, memref, map, form.operands,
                               active, *slope, fill);
    mapping.map(op.getResult(), load.getResult());
    return success();
  }
  Value gather = createGather(loc, memref, form, {}, active, fill);
  if (!gather)
    return refuse(op, "its subscripts have no form for lanes");
  mapping.map(op.getResult(), gather);
  return success();
}

LogicalResult LaneRewriter::rewriteStore(StoreOp op) {
  if (op.isVector())
    return refuse(op, "the body is in lanes already");
  Location loc = op.getLoc();
  Value memref = mapping.lookupOrDefault(op.getMemref());
  Value value = widen(mapping.lookupOrDefault(op.getValue()));
  AffineForm form = lift(op.getMap(), op.getIndices());
  AffineMap map = form.getMap(op.getContext());
  Value condition =
      op.getMask() ? mapping.lookupOrDefault(op.getMask()) : Value();
  Value active = activeIf(condition);

  if (isPrivate(memref)) {
    if (usesLane(form))
      return refuse(
          op, "a local of the loop's body is subscripted by the loop's index");
    // Iterations that are not there keep nothing.
    if (active && active != loopMask) {
      auto old = LoadOp::create(builder, loc, value.getType(), memref, map,
                                form.operands);
      value = arith::SelectOp::create(builder, loc, active, value, old);
    }
    StoreOp::create(builder, loc, value, memref, map, form.operands);
    return success();
  }
  if (!op.getMemRefType().hasStaticShape())
    return refuse(op, "the memref has a dynamic shape");
  AffineExpr linear = form.linearize(op.getMemRefType().getShape());
  std::optional<int64_t> slope = linear ? getLaneSlope(form, linear) : 0;
  if (!slope)
    return refuse(op, "it stores to addresses that are not evenly spaced");
  if (*slope == 0)
    return refuse(op, "it stores to one location from all iterations, and "
                      "--kernel-lower-reductions left it so");
  if (*slope != 1)
    apart.push_back(op);
  StoreOp::create(builder, loc, value, memref, map, form.operands, active,
                  *slope);
  return success();
}

LogicalResult LaneRewriter::rewriteGather(GatherOp op) {
  if (isa<VectorType>(op.getType()))
    return refuse(op, "the body is in lanes already");
  Location loc = op.getLoc();
  Value memref = mapping.lookupOrDefault(op.getMemref());
  AffineForm form = lift(op.getMap(), op.getIndices());
  Value condition =
      op.getMask() ? mapping.lookupOrDefault(op.getMask()) : Value();
  SmallVector<Value> dynamic;
  for (Value value : op.getDynamic())
    dynamic.push_back(mapping.lookupOrDefault(value));
  bool dynamicInLanes = llvm::any_of(
      dynamic, [](Value value) { return isa<VectorType>(value.getType()); });
  bool condInLanes = condition && isa<VectorType>(condition.getType());
  AffineMap map = form.getMap(op.getContext());

  if (!dynamicInLanes && !usesLane(form) && !condInLanes && !maybeNone) {
    auto gather = GatherOp::create(builder, loc, op.getType(), memref,
                                   form.operands, dynamic, condition,
                                   AffineMapAttr::get(map), op.getFillAttr());
    mapping.map(op.getResult(), gather.getResult());
    return success();
  }
  Value active = activeIf(condition);
  TypedAttr fill = active ? op.getFillAttr() : TypedAttr();
  AffineExpr linear = op.getMemRefType().hasStaticShape()
                          ? form.linearize(op.getMemRefType().getShape())
                          : AffineExpr();
  if (!dynamicInLanes && linear && getLaneSlope(form, linear) == 1) {
    auto gather = GatherOp::create(builder, loc, getVectorOf(op.getType()),
                                   memref, form.operands, dynamic, active,
                                   AffineMapAttr::get(map), fill);
    mapping.map(op.getResult(), gather.getResult());
    return success();
  }
  apart.push_back(op);
  Value gather = createGather(loc, memref, form, dynamic, active, fill);
  if (!gather)
    return refuse(op, "its subscripts have no form for lanes");
  mapping.map(op.getResult(), gather);
  return success();
}

Value LaneRewriter::createGather(Location loc, Value memref,
                                 const AffineForm &form, ValueRange dynamic,
                                 Value active, TypedAttr fill) {
  MLIRContext *context = builder.getContext();
  auto type = cast<MemRefType>(memref.getType());
  AffineForm result = form;
  SmallVector<Value> symbols(dynamic);
  auto isLanes = [](Value value) { return isa<VectorType>(value.getType()); };
  auto addLanes = [&](Value lanes) {
    symbols.push_back(lanes);
    return getAffineSymbolExpr(result.numSymbols++, context);
  };
  for (AffineExpr &expr : result.exprs) {
    if (!usesLane(form, expr))
      continue;
    Value lanes = evaluate(form, expr, dynamic, loc);
    if (!lanes)
      return {};
    expr = addLanes(lanes);
  }
  // 16 lanes of one address need 16 equal subscripts.
  if (llvm::none_of(symbols, isLanes)) {
    Value zero = createSplat(loc, 0, 32);
    result.exprs.back() = result.exprs.back() + addLanes(zero);
  }
  // Symbols that the subscripts no longer use are gone for good.
  SmallVector<Value> used;
  SmallVector<AffineExpr> renumbered;
  for (unsigned symbol = 0; symbol < symbols.size(); ++symbol) {
    renumbered.push_back(getAffineSymbolExpr(used.size(), context));
    if (llvm::any_of(result.exprs, [&](AffineExpr expr) {
          return expr.isFunctionOfSymbol(symbol);
        }))
      used.push_back(symbols[symbol]);
  }
  for (AffineExpr &expr : result.exprs)
    expr = expr.replaceSymbols(renumbered);
  result.numSymbols = used.size();
  result.compose();
  return GatherOp::create(builder, loc,
                          getVectorOf(getComputeType(type.getElementType())),
                          memref, result.operands, used, active,
                          AffineMapAttr::get(result.getMap(context)), fill);
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

LogicalResult LaneRewriter::rewriteFor(ForOp op) {
  AffineForm lower = lift(op.getLowerMap(), op.getLowerOperands());
  AffineForm upper = lift(op.getUpperMap(), op.getUpperOperands());
  if (usesLane(lower) || usesLane(upper))
    return refuse(op, "the bounds of a loop inside differ from lane to lane");
  ForOp loop = createLoop(builder, op.getLoc(), op.getIndex().getLoc(), lower,
                          upper, op.getStep(), op.getMapping());
  for (Value array : op.getCarried())
    loop.setCarry(mapping.lookupOrDefault(array), *op.getCarry(array));
  mapping.map(op.getIndex(), loop.getIndex());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(loop.getBody().front().getTerminator());
  return rewrite(op.getBody().front(), mask, maybeNone);
}

LogicalResult LaneRewriter::rewriteIf(IfOp op) {
  Value condition =
      createCondition(op.getLoc(), op.getCondition(), op.getOperands());
  if (!condition)
    return refuse(op, "its condition has no form for lanes");
  if (isa<VectorType>(condition.getType())) {
    if (failed(rewrite(op.getBody().front(), activeIf(condition), true)))
      return failure();
    if (op.getElseBody().empty())
      return success();
    Value all = createSplat(op.getLoc(), 1, 1);
    Value other = arith::XOrIOp::create(builder, op.getLoc(), condition, all);
    return rewrite(op.getElseBody().front(), activeIf(other), true);
  }
  // The branch takes the set itself; the value was only to ask for lanes.
  if (condition.use_empty())
    condition.getDefiningOp()->erase();
  AffineForm form = lift(formOf(op.getCondition(), op.getOperands()));
  auto set = IntegerSet::get(form.operands.size(), 0, form.exprs,
                             op.getCondition().getEqFlags());
  auto branch = IfOp::create(builder, op.getLoc(), set, form.operands,
                             !op.getElseBody().empty());
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(branch.getBody().front().getTerminator());
  if (failed(rewrite(op.getBody().front(), mask, maybeNone)))
    return failure();
  if (op.getElseBody().empty())
    return success();
  builder.setInsertionPoint(branch.getElseBody().front().getTerminator());
  return rewrite(op.getElseBody().front(), mask, maybeNone);
}

} // namespace fusec::kernel
