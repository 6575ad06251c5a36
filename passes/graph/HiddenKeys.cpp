// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/graph/HiddenKeys.h"

#include "passes/IndexMasks.h"
#include "passes/graph/ConstantData.h"

#include <cmath>

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// A mask hides by this or less.
static constexpr double kHides = -1e30;

/// Whether `value` is a product of matrices, or a multiple of one.
static bool isProduct(Value value) {
  Operation *op = value.getDefiningOp();
  if (isa_and_nonnull<ContractOp>(op))
    return true;
  if (isa_and_nonnull<CastOp>(op))
    return isa<FloatType>(getTensorType(op->getOperand(0)).getElementType()) &&
           isProduct(op->getOperand(0));
  if (isa_and_nonnull<DivOp>(op))
    return getUniformFloat(op->getOperand(1)) && isProduct(op->getOperand(0));
  if (!isa_and_nonnull<MulOp>(op))
    return false;
  for (unsigned side : {0, 1})
    if (getUniformFloat(op->getOperand(1 - side)))
      return isProduct(op->getOperand(side));
  return false;
}

/// The integers `value` as an expression of the indices `dims` of its element;
/// null if it is not made of them.
static AffineExpr getIndex(Value value, ArrayRef<AffineExpr> dims) {
  MLIRContext *context = value.getContext();
  // Others may not hold all of them, or less than zero.
  Type type = getTensorType(value).getElementType();
  if (type.isUnsignedInteger() || type.getIntOrFloatBitWidth() < 32)
    return {};
  if (std::optional<int64_t> number = getUniformInteger(value))
    return getAffineConstantExpr(*number, context);
  Operation *op = value.getDefiningOp();
  if (auto iota = dyn_cast_if_present<IotaOp>(op))
    return dims[size_t(iota.getAxis())];
  if (auto broadcast = dyn_cast_if_present<BroadcastOp>(op)) {
    SmallVector<AffineExpr> inner;
    for (int64_t dim : broadcast.getDims())
      inner.push_back(dims[size_t(dim)]);
    return getIndex(broadcast.getOperand(), inner);
  }
  if (!isa_and_nonnull<AddOp, SubOp>(op))
    return {};
  AffineExpr lhs = getIndex(op->getOperand(0), dims),
             rhs = getIndex(op->getOperand(1), dims);
  if (!lhs || !rhs)
    return {};
  return isa<AddOp>(op) ? lhs + rhs : lhs - rhs;
}

/// Adds what is 0 or more where `condition` holds; fails if it is no
/// combination of comparisons of indices that all have to hold.
static LogicalResult collect(Value condition, ArrayRef<AffineExpr> dims,
                             SmallVectorImpl<AffineExpr> &all) {
  Operation *op = condition.getDefiningOp();
  if (auto broadcast = dyn_cast_if_present<BroadcastOp>(op)) {
    SmallVector<AffineExpr> inner;
    for (int64_t dim : broadcast.getDims())
      inner.push_back(dims[size_t(dim)]);
    return collect(broadcast.getOperand(), inner, all);
  }
  if (isa_and_nonnull<AndOp>(op))
    return success(succeeded(collect(op->getOperand(0), dims, all)) &&
                   succeeded(collect(op->getOperand(1), dims, all)));
  auto compare = dyn_cast_if_present<CmpOp>(op);
  if (!compare ||
      !isa<IntegerType>(getTensorType(compare.getLhs()).getElementType()))
    return failure();
  AffineExpr lhs = getIndex(compare.getLhs(), dims),
             rhs = getIndex(compare.getRhs(), dims);
  if (!lhs || !rhs)
    return failure();
  switch (compare.getPredicate()) {
  case CmpPredicate::le:
    all.push_back(rhs - lhs);
    return success();
  case CmpPredicate::lt:
    all.push_back(rhs - lhs - 1);
    return success();
  case CmpPredicate::ge:
    all.push_back(lhs - rhs);
    return success();
  case CmpPredicate::gt:
    all.push_back(lhs - rhs - 1);
    return success();
  default:
    return failure();
  }
}

/// Whether `condition`, of a tensor of `shape`, holds for an index along `dim`
/// whatever the other indices are, of which one at most is compared.
static bool holdsSomewhere(Value condition, ArrayRef<int64_t> shape,
                           unsigned dim) {
  MLIRContext *context = condition.getContext();
  SmallVector<AffineExpr> dims, all;
  for (unsigned d = 0; d < shape.size(); ++d)
    dims.push_back(getAffineDimExpr(d, context));
  if (failed(collect(condition, dims, all)))
    return false;
  std::optional<unsigned> row;
  for (AffineExpr expr : all)
    for (unsigned d = 0; d < shape.size(); ++d)
      if (d != dim && expr.isFunctionOfDim(d)) {
        if (row.value_or(d) != d)
          return false;
        row = d;
      }
  // What is 0 or more changes by one from key to key, so these are a range.
  SmallVector<AffineExpr> at(dims.size(), getAffineConstantExpr(0, context));
  auto evaluate = [&](AffineExpr expr, int64_t i, int64_t key) {
    if (row)
      at[*row] = getAffineConstantExpr(i, context);
    at[dim] = getAffineConstantExpr(key, context);
    return cast<AffineConstantExpr>(
               simplifyAffineExpr(expr.replaceDims(at), 0, 0))
        .getValue();
  };
  for (int64_t i = 0; i < (row ? shape[*row] : 1); ++i) {
    int64_t first = 0, last = shape[dim] - 1;
    for (AffineExpr expr : all) {
      const int64_t start = evaluate(expr, i, 0);
      const int64_t step = evaluate(expr, i, 1) - start;
      if (step == 1)
        first = std::max(first, -start);
      else if (step == -1)
        last = std::min(last, start);
      else if (step != 0 || start < 0)
        return false;
    }
    if (first > last)
      return false;
  }
  return true;
}

bool fusec::fuse::hidesForGood(Value scores, unsigned dim) {
  auto select = scores.getDefiningOp<SelectOp>();
  if (!select || !isIndexMask(select.getCondition()))
    return false;
  std::optional<double> hidden = getUniformFloat(select.getRhs());
  return hidden && std::isfinite(*hidden) && *hidden <= kHides &&
         isProduct(select.getLhs()) &&
         holdsSomewhere(select.getCondition(), select.getType().getShape(),
                        dim);
}
