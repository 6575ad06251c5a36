// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-legalize: see passes/kernel/Passes.td.
#include "passes/kernel/Passes.h"
#include "passes/kernel/Simplify.h"

#include "dialects/TargetInfo.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace fusec::kernel {
#define GEN_PASS_DEF_KERNELLEGALIZE
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

using namespace mlir;
using namespace fusec::kernel;

namespace {

struct KernelLegalize
    : fusec::kernel::impl::KernelLegalizeBase<KernelLegalize> {
  void runOnOperation() override {
    FuncOp func = getOperation();
    if (failed(checkLanes(func)) || failed(expandOperations(func)))
      return signalPassFailure();
    simplify(func);
    if (eraseIdleStores(func))
      simplify(func);
    tileProducts(func);
    hoistInvariants(func);
    // What only a dead local was computed from is dead, too: another local.
    do
      simplify(func);
    while (eraseDeadLocals(func));
    dropIdleCarries(func);
    checkUnrolling(func);
    limitUnrolling(func);
    setGrains(func);
  }

  void simplify(FuncOp func);
  static LogicalResult checkLanes(FuncOp func);
  static void checkUnrolling(FuncOp func);
};

} // namespace

/// Index expressions, then constant folding and dead values, then equal values.
void KernelLegalize::simplify(FuncOp func) {
  simplifyIndices(func);
  // Without patterns this folds and erases only; it cannot fail to converge.
  (void)applyPatternsGreedily(func, FrozenRewritePatternSet());
  IRRewriter rewriter(func.getContext());
  DominanceInfo dominance(func);
  eliminateCommonSubExpressions(rewriter, dominance, func);
}

/// Nothing is left for --kernel-vectorize, and vectors are what it makes.
LogicalResult KernelLegalize::checkLanes(FuncOp func) {
  LogicalResult result = success();
  func.walk([&](Operation *op) {
    if (auto loop = dyn_cast<ForOp>(op);
        loop && loop.getMapping() == Mapping::vector) {
      loop.emitOpError(
          "is still mapped to lanes; run --kernel-vectorize first");
      result = failure();
    }
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(),
                                              op->getResultTypes())) {
      auto vector = dyn_cast<VectorType>(type);
      if (!vector || (vector.getRank() == 1 && !vector.isScalable() &&
                      vector.getDimSize(0) == kLanes))
        continue;
      op->emitOpError() << "has a value of type " << vector
                        << "; kernels have vectors of " << kLanes
                        << " lanes only";
      result = failure();
      break;
    }
  });
  return result;
}

/// Unrolled loops have a small constant trip count.
void KernelLegalize::checkUnrolling(FuncOp func) {
  func.walk([&](ForOp loop) {
    if (loop.getMapping() != Mapping::unroll)
      return;
    std::optional<int64_t> trips = loop.getConstantTripCount();
    if (trips && *trips <= fusec::kMaxUnrolled)
      return;
    if (trips)
      loop.emitRemark("not unrolled: it has ")
          << *trips << " iterations, more than " << fusec::kMaxUnrolled;
    else
      loop.emitRemark("not unrolled: its trip count is not a constant");
    loop.setMapping(Mapping::sequential);
  });
}
