// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/IndexRanges.h"

#include <numeric>

using namespace mlir;

namespace fusec::kernel {

SmallVector<IndexRange> rangesOf(ValueRange operands) {
  SmallVector<IndexRange> ranges;
  for (Value operand : operands)
    ranges.push_back(rangeOf(operand));
  return ranges;
}

/// The range of the largest (or smallest) result of a map.
static IndexRange rangeOfExtreme(AffineMap map, ValueRange operands,
                                 bool largest) {
  SmallVector<IndexRange> dims = rangesOf(operands);
  IndexRange result = rangeOf(map.getResult(0), dims);
  for (AffineExpr expr : map.getResults().drop_front()) {
    IndexRange next = rangeOf(expr, dims);
    result.divisor = std::gcd(result.divisor, next.divisor);
    // One known bound is enough on the side of the extreme, both are needed on
    // the other.
    auto tight = [&](std::optional<int64_t> a, std::optional<int64_t> b) {
      if (!a || !b)
        return a ? a : b;
      return std::optional<int64_t>(largest ? std::max(*a, *b)
                                            : std::min(*a, *b));
    };
    auto loose = [&](std::optional<int64_t> a, std::optional<int64_t> b) {
      return a && b ? tight(a, b) : std::nullopt;
    };
    result.low =
        largest ? tight(result.low, next.low) : loose(result.low, next.low);
    result.high =
        largest ? loose(result.high, next.high) : tight(result.high, next.high);
  }
  return result;
}

static IndexRange rangeOfLoopIndex(ForOp loop) {
  IndexRange lower =
      rangeOfExtreme(loop.getLowerMap(), loop.getLowerOperands(), true);
  IndexRange upper =
      rangeOfExtreme(loop.getUpperMap(), loop.getUpperOperands(), false);
  int64_t step = loop.getStep();
  IndexRange range;
  range.low = lower.low;
  range.divisor = std::gcd(lower.divisor, step);
  if (upper.high)
    range.high = *upper.high - 1;
  // The last iteration of a loop that starts at a constant.
  if (lower.isConstant() && range.high && *range.high >= *range.low)
    range.high = *range.low + (*range.high - *range.low) / step * step;
  return range;
}

IndexRange rangeOf(Value index) {
  if (auto arg = dyn_cast<BlockArgument>(index)) {
    if (auto loop = dyn_cast<ForOp>(arg.getOwner()->getParentOp()))
      return rangeOfLoopIndex(loop);
    return {};
  }
  if (auto apply = index.getDefiningOp<ApplyOp>())
    return rangeOf(apply.getMap().getResult(0), rangesOf(apply.getOperands()));
  if (auto min = index.getDefiningOp<MinOp>())
    return rangeOfExtreme(min.getMap(), min.getOperands(), /*largest=*/false);
  if (auto constant = index.getDefiningOp<arith::ConstantIndexOp>())
    return IndexRange::constant(constant.value());
  return {};
}

bool mayEndBefore(const AffineForm &lower, const AffineForm &upper,
                  int64_t step) {
  auto isMultiple = [&](AffineExpr expr) { return expr.isMultipleOf(step); };
  if (llvm::all_of(lower.exprs, isMultiple) &&
      llvm::all_of(upper.exprs, isMultiple))
    return false;
  for (AffineExpr begin : lower.exprs)
    for (AffineExpr end : upper.exprs) {
      AffineForm from = lower, to = upper;
      from.exprs = {begin};
      to.exprs = {end};
      AffineForm trips = subtract(to, from);
      IndexRange range = rangeOf(trips.exprs.front(), rangesOf(trips.operands));
      if (!range.low || *range.low < 0)
        return true;
    }
  return false;
}

AffineForm endAtLeast(OpBuilder &builder, Location loc, const AffineForm &lower,
                      const AffineForm &upper) {
  AffineForm less = subtract(lower, upper);
  less.exprs.insert(less.exprs.begin(),
                    getAffineConstantExpr(0, builder.getContext()));
  Value negative =
      MinOp::create(builder, loc, builder.getIndexType(),
                    less.getMap(builder.getContext()), less.operands);
  return subtract(lower, formOf(negative));
}

} // namespace fusec::kernel
