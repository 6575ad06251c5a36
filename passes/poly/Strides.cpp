// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/Strides.h"

using namespace mlir;

namespace fusec::poly {

SmallVector<Access> getAccesses(sched::StmtOp stmt) {
  SmallVector<Access> result;
  for (auto [index, memref] : llvm::enumerate(stmt.getReads()))
    result.push_back({memref, stmt.getReadMap(index), false});
  for (auto [index, memref] : llvm::enumerate(stmt.getWrites()))
    result.push_back({memref, stmt.getWriteMap(index), true});
  return result;
}

/// The coefficient of `dim`, or nullopt where `expr` is not linear in it.
static std::optional<int64_t> getCoefficient(AffineExpr expr, unsigned dim) {
  if (!expr.isFunctionOfDim(dim))
    return 0;
  switch (expr.getKind()) {
  case AffineExprKind::DimId:
    return 1;
  case AffineExprKind::Add: {
    auto sum = cast<AffineBinaryOpExpr>(expr);
    auto lhs = getCoefficient(sum.getLHS(), dim);
    auto rhs = getCoefficient(sum.getRHS(), dim);
    if (!lhs || !rhs)
      return std::nullopt;
    return *lhs + *rhs;
  }
  case AffineExprKind::Mul: {
    auto product = cast<AffineBinaryOpExpr>(expr);
    auto factor = dyn_cast<AffineConstantExpr>(product.getRHS());
    auto lhs = getCoefficient(product.getLHS(), dim);
    if (!factor || !lhs)
      return std::nullopt;
    return *lhs * factor.getValue();
  }
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> getStride(const Access &access, unsigned dim) {
  ArrayRef<int64_t> shape =
      cast<MemRefType>(access.memref.getType()).getShape();
  int64_t stride = 0, unit = 1;
  for (int64_t position = shape.size() - 1; position >= 0; --position) {
    auto coefficient = getCoefficient(access.map.getResult(position), dim);
    if (!coefficient)
      return std::nullopt;
    stride += *coefficient * unit;
    unit *= shape[position];
  }
  return stride;
}

} // namespace fusec::poly
