// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of pairs of narrow integers.
#include "codegen/KernelEmitter.h"

using namespace mlir;

namespace fusec::codegen {

/// Whether `even` and `odd` are the elements of a pair as it lies in memory.
static bool areSideBySide(kernel::LoadOp even, kernel::LoadOp odd) {
  if (!even || !odd || even.isVector() || even.getMask() || odd.getMask() ||
      even.getMemref() != odd.getMemref() ||
      even.getIndices() != odd.getIndices() ||
      even.getMemref().getDefiningOp<kernel::LocalOp>())
    return false;
  MemRefType type = even.getMemRefType();
  auto element = dyn_cast<IntegerType>(type.getElementType());
  if (!element || element.getWidth() != 16 || !type.hasStaticShape())
    return false;
  AffineMap map = even.getMap();
  auto distance = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(linearIndex(odd.getMap(), type.getShape()) -
                             linearIndex(map, type.getShape()),
                         map.getNumDims(), map.getNumSymbols()));
  return distance && distance.getValue() == 1;
}

static Expr pairs(kernel::PairsOp op, KernelEmitter &emitter) {
  auto even = op.getEven().getDefiningOp<kernel::LoadOp>(),
       odd = op.getOdd().getDefiningOp<kernel::LoadOp>();
  if (areSideBySide(even, odd) && even->hasOneUse() && odd->hasOneUse())
    return call("pairs", address(even.getMemref(), even.getMap(),
                                 even.getIndices(), emitter));
  return call("pairs", emitter.arguments(op.getOperands()));
}

void addPairPatterns(PatternSet &patterns) {
  patterns.expression<kernel::PairsOp>(pairs);
  patterns.expression<kernel::DotOp>(
      [](kernel::DotOp op, KernelEmitter &emitter) {
        return call("dot", emitter.arguments(op.getOperands()));
      });
}

} // namespace fusec::codegen
