// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/AffineRange.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace fusec::poly {

std::optional<Range> getRange(AffineExpr expr, ArrayRef<Range> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Range{constant.getValue(), constant.getValue()};
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return std::nullopt;
  auto lhs = getRange(binary.getLHS(), dims);
  auto rhs = getRange(binary.getRHS(), dims);
  if (!lhs || !rhs)
    return std::nullopt;
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return Range{lhs->low + rhs->low, lhs->high + rhs->high};
  case AffineExprKind::Mul: {
    auto [low, high] =
        std::minmax({lhs->low * rhs->low, lhs->low * rhs->high,
                     lhs->high * rhs->low, lhs->high * rhs->high});
    return Range{low, high};
  }
  case AffineExprKind::Mod:
    if (lhs->low >= 0 && lhs->high < rhs->low)
      return lhs;
    return Range{0, rhs->high - 1};
  case AffineExprKind::FloorDiv:
    return Range{llvm::divideFloorSigned(lhs->low, rhs->low),
                 llvm::divideFloorSigned(lhs->high, rhs->low)};
  default:
    return Range{llvm::divideCeilSigned(lhs->low, rhs->low),
                 llvm::divideCeilSigned(lhs->high, rhs->low)};
  }
}

/// Splits `expr` into `divisor * first + second`; `second` holds the terms that
/// `divisor` does not divide.
static std::pair<AffineExpr, AffineExpr> splitMultiple(AffineExpr expr,
                                                       int64_t divisor) {
  MLIRContext *context = expr.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  if (expr.getKind() == AffineExprKind::Add) {
    auto sum = cast<AffineBinaryOpExpr>(expr);
    auto [a, b] = splitMultiple(sum.getLHS(), divisor);
    auto [c, d] = splitMultiple(sum.getRHS(), divisor);
    return {a + c, b + d};
  }
  if (expr.isMultipleOf(divisor))
    return {expr.floorDiv(divisor), zero};
  return {zero, expr};
}

AffineExpr simplifyInRange(AffineExpr expr, ArrayRef<Range> dims) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return expr;
  AffineExpr lhs = simplifyInRange(binary.getLHS(), dims);
  AffineExpr rhs = simplifyInRange(binary.getRHS(), dims);
  AffineExprKind kind = expr.getKind();
  auto divisor = dyn_cast<AffineConstantExpr>(rhs);
  if ((kind == AffineExprKind::Mod || kind == AffineExprKind::FloorDiv) &&
      divisor && divisor.getValue() > 0) {
    auto [multiple, rest] = splitMultiple(lhs, divisor.getValue());
    auto range = getRange(rest, dims);
    if (range && range->low >= 0 && range->high < divisor.getValue())
      return kind == AffineExprKind::Mod ? rest : multiple;
  }
  return getAffineBinaryOpExpr(kind, lhs, rhs);
}

} // namespace fusec::poly
