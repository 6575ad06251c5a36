// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/LoopWalks.h"

using namespace mlir;

namespace fusec::kernel {

std::optional<LoopWalk> followLoops(AffineForm form, ArrayRef<int64_t> shape,
                                    ArrayRef<ForOp> loops) {
  form.compose();
  MLIRContext *context = form.exprs.front().getContext();
  SmallVector<IndexRange> ranges = rangesOf(form.operands);
  SmallVector<std::optional<unsigned>> places;
  for (ForOp loop : loops) {
    auto found =
        loop ? llvm::find(form.operands, loop.getIndex()) : form.operands.end();
    if (found == form.operands.end()) {
      places.push_back(std::nullopt);
      continue;
    }
    const unsigned place = found - form.operands.begin();
    const int64_t lower = loop.getLowerMap().getSingleConstantResult();
    AffineExpr number = getAffineDimExpr(place, context);
    for (AffineExpr &expr : form.exprs)
      expr = expr.replace(number, number * loop.getStep() + lower);
    ranges[place] = {0, *loop.getConstantTripCount() - 1, 1};
    places.push_back(place);
  }
  for (AffineExpr &expr : form.exprs)
    expr = simplifyInRange(expr, ranges);
  AffineExpr element = simplifyInRange(form.linearize(shape), ranges);
  LoopWalk walk;
  for (std::optional<unsigned> place : places) {
    std::optional<int64_t> slope = place ? getSlope(element, *place) : 0;
    if (!slope)
      return std::nullopt;
    walk.slopes.push_back(*slope);
    if (place)
      for (AffineExpr &expr : form.exprs)
        expr = simplifyInRange(expr.replace(getAffineDimExpr(*place, context),
                                            getAffineConstantExpr(0, context)),
                               ranges);
  }
  form.compose();
  walk.begin = form;
  return walk;
}

} // namespace fusec::kernel
