// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Index values, conditions and masks of a LaneRewriter.
#include "passes/kernel/LaneRewriter.h"

using namespace mlir;

namespace fusec::kernel {

AffineForm LaneRewriter::lift(AffineMap map, ValueRange operands) {
  return lift(AffineForm(map, operands));
}

AffineForm LaneRewriter::lift(AffineForm form) {
  form.compose();
  form.remap(mapping);
  return form;
}

bool LaneRewriter::usesLane(const AffineForm &form, AffineExpr expr) {
  auto found = llvm::find(form.operands, base);
  return found != form.operands.end() && getLaneSlope(form, expr) != 0;
}

bool LaneRewriter::usesLane(const AffineForm &form) {
  return llvm::any_of(form.exprs,
                      [&](AffineExpr expr) { return usesLane(form, expr); });
}

std::optional<int64_t> LaneRewriter::getLaneSlope(const AffineForm &form,
                                                  AffineExpr expr) {
  auto found = llvm::find(form.operands, base);
  if (found == form.operands.end())
    return 0;
  unsigned numDims = form.operands.size();
  AffineExpr dim =
      getAffineDimExpr(found - form.operands.begin(), expr.getContext());
  AffineExpr lane = getAffineDimExpr(numDims, expr.getContext());
  SmallVector<IndexRange> ranges = rangesOf(form.operands);
  ranges.push_back({0, kLanes - 1, 1});
  AffineExpr inLane =
      simplifyInRange(expr.replace(dim, dim + lane), ranges, form.numSymbols);
  return getSlope(inLane, numDims);
}

Value LaneRewriter::widen(Value value) {
  if (isa<VectorType>(value.getType()))
    return value;
  auto type = getVectorOf(value.getType());
  if (auto constant = value.getDefiningOp<arith::ConstantOp>())
    return arith::ConstantOp::create(
        builder, value.getLoc(),
        DenseElementsAttr::get(type, constant.getValue()));
  return BroadcastOp::create(builder, value.getLoc(), type, value);
}

Value LaneRewriter::createSplat(Location loc, int64_t value, unsigned bits) {
  auto type = getVectorOf(builder.getIntegerType(bits));
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, APInt(bits, value, /*isSigned=*/bits > 1)));
}

Value LaneRewriter::activeIf(Value other) {
  if (!other)
    return mask;
  Value lanes = widen(other);
  if (!mask)
    return lanes;
  return arith::AndIOp::create(builder, other.getLoc(), mask, lanes);
}

Value LaneRewriter::evaluate(const AffineForm &form, AffineExpr expr,
                             ValueRange dynamic, Location loc) {
  MLIRContext *context = builder.getContext();
  Type i64 = builder.getI64Type();
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    Value value = dynamic[symbol.getPosition()];
    if (getElementTypeOrSelf(value.getType()) != i64)
      value = arith::ExtSIOp::create(
          builder, loc,
          isa<VectorType>(value.getType()) ? Type(getVectorOf(i64)) : i64,
          value);
    return widen(value);
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return createSplat(loc, constant.getValue(), 64);
  bool usesDynamic =
      llvm::any_of(llvm::seq(form.numSymbols), [&](unsigned symbol) {
        return expr.isFunctionOfSymbol(symbol);
      });
  if (!usesDynamic && !usesLane(form, expr)) {
    AffineForm shared;
    shared.exprs = {expr};
    shared.operands = form.operands;
    shared.compose();
    Value index = ApplyOp::create(builder, loc, builder.getIndexType(),
                                  shared.getMap(context), shared.operands);
    return widen(arith::IndexCastOp::create(builder, loc, i64, index));
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    Value operand = form.operands[dim.getPosition()];
    if (operand == base)
      return IotaOp::create(builder, loc, getVectorOf(i64), base);
    return widen(arith::IndexCastOp::create(builder, loc, i64, operand));
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value left = evaluate(form, binary.getLHS(), dynamic, loc);
  Value right = evaluate(form, binary.getRHS(), dynamic, loc);
  if (!left || !right)
    return {};
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return arith::AddIOp::create(builder, loc, left, right);
  case AffineExprKind::Mul:
    return arith::MulIOp::create(builder, loc, left, right);
  case AffineExprKind::FloorDiv:
    return arith::FloorDivSIOp::create(builder, loc, left, right);
  case AffineExprKind::Mod: {
    Value quotient = arith::FloorDivSIOp::create(builder, loc, left, right);
    Value whole = arith::MulIOp::create(builder, loc, quotient, right);
    return arith::SubIOp::create(builder, loc, left, whole);
  }
  default:
    return {};
  }
}

LogicalResult LaneRewriter::rewriteIndexCast(arith::IndexCastOp op) {
  if (!op.getIn().getType().isIndex())
    return rewriteElementwise(op);
  Location loc = op.getLoc();
  AffineForm form = lift(formOf(op.getIn()));
  AffineExpr expr = form.exprs.front();
  if (!usesLane(form)) {
    Value index = form.operands.empty() ? Value() : form.operands.front();
    if (!isa<AffineDimExpr>(expr))
      index = ApplyOp::create(builder, loc, builder.getIndexType(),
                              form.getMap(op.getContext()), form.operands);
    mapping.map(op.getResult(),
                arith::IndexCastOp::create(builder, loc, op.getType(), index)
                    .getResult());
    return success();
  }
  auto vector = getVectorOf(op.getType());
  if (getLaneSlope(form, expr) == 1) {
    Value first = base;
    if (!isa<AffineDimExpr>(expr))
      first = ApplyOp::create(builder, loc, builder.getIndexType(),
                              form.getMap(op.getContext()), form.operands);
    mapping.map(op.getResult(),
                IotaOp::create(builder, loc, vector, first).getResult());
    return success();
  }
  Value lanes = evaluate(form, expr, {}, loc);
  if (!lanes)
    return refuse(op, "its index has no form for lanes");
  if (lanes.getType() != vector)
    lanes = arith::TruncIOp::create(builder, loc, vector, lanes);
  mapping.map(op.getResult(), lanes);
  return success();
}

LogicalResult LaneRewriter::rewriteInBounds(InBoundsOp op) {
  if (op.getLaneDim())
    return refuse(op, "the body is in lanes already");
  Value condition =
      createCondition(op.getLoc(), op.getCondition(), op.getOperands());
  if (!condition)
    return refuse(op, "its condition has no form for lanes");
  mapping.map(op.getResult(), condition);
  return success();
}

Value LaneRewriter::createCondition(Location loc, IntegerSet set,
                                    ValueRange operands) {
  AffineForm form = lift(formOf(set, operands));
  Type i1 = builder.getI1Type();
  auto lane = llvm::find(form.operands, base);
  unsigned laneDim = lane - form.operands.begin();

  // Constraints that all lanes share, those that shift from lane to lane,
  // others.
  SmallVector<AffineExpr> shared, shifted;
  SmallVector<bool> sharedEqual, shiftedEqual;
  Value result;
  auto meet = [&](Value value) {
    if (!result) {
      result = value;
      return;
    }
    result = widen(result);
    result = arith::AndIOp::create(builder, loc, result, widen(value));
  };
  for (auto [expr, isEqual] : llvm::zip(form.exprs, set.getEqFlags())) {
    if (!usesLane(form, expr)) {
      shared.push_back(expr);
      sharedEqual.push_back(isEqual);
      continue;
    }
    if (std::optional<int64_t> slope = getSlope(expr, laneDim)) {
      // Where 2 l + r >= 0, l >= -(r floordiv 2): one comparison of places.
      if (int64_t step = std::abs(*slope); step > 1 && !isEqual) {
        AffineExpr dim = getAffineDimExpr(laneDim, expr.getContext());
        AffineExpr rest =
            expr.replace(dim, getAffineConstantExpr(0, expr.getContext()));
        expr = simplifyAffineExpr(dim * (*slope / step) + rest.floorDiv(step),
                                  form.operands.size(), 0);
      }
      shifted.push_back(expr);
      shiftedEqual.push_back(isEqual);
      continue;
    }
    Value lanes = evaluate(form, expr, {}, loc);
    if (!lanes)
      return {};
    Value zero = createSplat(loc, 0, 64);
    meet(arith::CmpIOp::create(builder, loc,
                               isEqual ? arith::CmpIPredicate::eq
                                       : arith::CmpIPredicate::sge,
                               lanes, zero));
  }
  if (!shifted.empty()) {
    auto condition =
        IntegerSet::get(form.operands.size(), 0, shifted, shiftedEqual);
    meet(InBoundsOp::create(builder, loc, getVectorOf(i1), condition,
                            form.operands, builder.getI64IntegerAttr(laneDim)));
  }
  if (!shared.empty()) {
    AffineForm common;
    common.exprs = shared;
    common.operands = form.operands;
    common.compose();
    auto condition =
        IntegerSet::get(common.operands.size(), 0, common.exprs, sharedEqual);
    meet(InBoundsOp::create(builder, loc, i1, condition, common.operands,
                            IntegerAttr()));
  }
  return result;
}

} // namespace fusec::kernel
