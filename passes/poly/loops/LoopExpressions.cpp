// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions of isl's AST as affine expressions over loop indices, and what
// its conditions say of them.
#include "passes/poly/loops/LoopBuilder.h"

using namespace mlir;

namespace fusec::poly {

LoopBuilder::Failable LoopBuilder::convert(const isl::ast_expr &expr) {
  MLIRContext *context = builder.getContext();
  if (expr.isa<isl::ast_expr_int>())
    return getAffineConstantExpr(
        isl_val_get_num_si(expr.as<isl::ast_expr_int>().val().get()), context);
  if (expr.isa<isl::ast_expr_id>())
    return iterators.lookup(expr.as<isl::ast_expr_id>().id().name());
  auto op = expr.as<isl::ast_expr_op>();
  SmallVector<AffineExpr> args;
  for (unsigned i = 0; i < unsigned(op.n_arg()); ++i) {
    Failable arg = convert(op.arg(i));
    if (failed(arg))
      return failure();
    args.push_back(*arg);
  }
  switch (isl_ast_expr_op_get_type(op.get())) {
  case isl_ast_expr_op_minus:
    return -args[0];
  case isl_ast_expr_op_add:
    return args[0] + args[1];
  case isl_ast_expr_op_sub:
    return args[0] - args[1];
  case isl_ast_expr_op_mul:
    return args[0] * args[1];
  case isl_ast_expr_op_div: // exact
  case isl_ast_expr_op_fdiv_q:
  case isl_ast_expr_op_pdiv_q: // of non-negative numbers
    return args[0].floorDiv(args[1]);
  case isl_ast_expr_op_pdiv_r:
  case isl_ast_expr_op_zdiv_r: // only compared with zero
    return args[0] % args[1];
  default:
    (void)fail("an expression that is not affine: " + toString(expr));
    return failure();
  }
}

LogicalResult LoopBuilder::collect(const isl::ast_expr &expr,
                                   isl_ast_expr_op_type kind,
                                   SmallVectorImpl<AffineExpr> &result) {
  if (expr.isa<isl::ast_expr_op>()) {
    auto op = expr.as<isl::ast_expr_op>();
    if (isl_ast_expr_op_get_type(op.get()) == kind) {
      for (unsigned i = 0; i < unsigned(op.n_arg()); ++i)
        if (failed(collect(op.arg(i), kind, result)))
          return failure();
      return success();
    }
  }
  Failable converted = convert(expr);
  if (failed(converted))
    return failure();
  result.push_back(*converted);
  return success();
}

LogicalResult
LoopBuilder::collectConditions(const isl::ast_expr &expr,
                               SmallVectorImpl<AffineExpr> &constraints,
                               SmallVectorImpl<bool> &equalities) {
  auto op = expr.as<isl::ast_expr_op>();
  isl_ast_expr_op_type kind = isl_ast_expr_op_get_type(op.get());
  if (kind == isl_ast_expr_op_and || kind == isl_ast_expr_op_and_then) {
    for (unsigned i = 0; i < unsigned(op.n_arg()); ++i)
      if (failed(collectConditions(op.arg(i), constraints, equalities)))
        return failure();
    return success();
  }
  Failable lhs = convert(op.arg(0)), rhs = convert(op.arg(1));
  if (failed(lhs) || failed(rhs))
    return failure();
  AffineExpr difference = *lhs - *rhs;
  switch (kind) {
  case isl_ast_expr_op_eq:
    break;
  case isl_ast_expr_op_ge:
    break;
  case isl_ast_expr_op_gt:
    difference = difference - 1;
    break;
  case isl_ast_expr_op_le:
    difference = -difference;
    break;
  case isl_ast_expr_op_lt:
    difference = -difference - 1;
    break;
  default:
    return fail("a condition that is no conjunction: " + toString(expr));
  }
  constraints.push_back(simplifyInRange(difference, ranges));
  equalities.push_back(kind == isl_ast_expr_op_eq);
  return success();
}

/// Takes into account that `constraint` is at least zero: as the range of an
/// index where it has one only.
void LoopBuilder::learn(AffineExpr constraint) {
  known.push_back(constraint);
  for (auto [position, range] : llvm::enumerate(ranges)) {
    int64_t slope = getSlope(constraint, position).value_or(0);
    AffineExpr index = getAffineDimExpr(position, builder.getContext());
    auto rest = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(constraint - index * slope, ranges.size(), 0));
    if (slope > 0 && rest)
      range.low = std::max(range.low.value_or(INT64_MIN),
                           llvm::divideCeilSigned(-rest.getValue(), slope));
    if (slope < 0 && rest)
      range.high = std::min(range.high.value_or(INT64_MAX),
                            llvm::divideFloorSigned(rest.getValue(), -slope));
  }
}

/// Whether `expr` is at least `least` wherever the code around runs: in the
/// ranges of the indices, or as a multiple of what a condition says.
bool LoopBuilder::isAtLeast(AffineExpr expr, int64_t least) const {
  auto isInRange = [&](AffineExpr rest) {
    return rangeOf(rest, ranges).low.value_or(INT64_MIN) >= least;
  };
  if (isInRange(expr))
    return true;
  return llvm::any_of(known, [&](AffineExpr condition) {
    for (unsigned position = 0; position < ranges.size(); ++position) {
      int64_t slope = getSlope(condition, position).value_or(0);
      int64_t wanted = getSlope(expr, position).value_or(0);
      if (slope == 0 || wanted / slope <= 0)
        continue;
      return isInRange(simplifyAffineExpr(expr - condition * (wanted / slope),
                                          ranges.size(), 0));
    }
    return false;
  });
}

} // namespace fusec::poly
