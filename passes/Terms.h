// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the terms of a contraction's sums lie in its operands.
#ifndef FUSEC_PASSES_TERMS_H
#define FUSEC_PASSES_TERMS_H

#include "dialects/fuse/FuseOps.h"

namespace fusec::fuse {

/// Whether `map`, from the iterators of the contraction `op` to what it reads,
/// ends in an iterator that it sums over: the terms of a sum lie side by side
/// in memory then, and the elements for neighbouring results do not.
inline bool endsInTerms(PrimitiveOpInterface op, mlir::AffineMap map) {
  auto last =
      map.getNumResults() == 0
          ? mlir::AffineDimExpr(nullptr)
          : mlir::dyn_cast<mlir::AffineDimExpr>(map.getResults().back());
  return last && !op.getResultMap(0).isFunctionOfDim(last.getPosition());
}

} // namespace fusec::fuse

#endif // FUSEC_PASSES_TERMS_H
