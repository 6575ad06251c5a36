// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --kernel-narrow-indices: see passes/kernel/Passes.td.
#include "dialects/TargetInfo.h"
#include "passes/kernel/IndexRanges.h"
#include "passes/kernel/Passes.h"

#include "llvm/Support/CheckedArithmetic.h"

namespace fusec::kernel {
#define GEN_PASS_DEF_KERNELNARROWINDICES
#include "passes/kernel/Passes.h.inc"
} // namespace fusec::kernel

using namespace mlir;
using namespace fusec;
using namespace fusec::kernel;

namespace {

struct KernelNarrowIndices
    : fusec::kernel::impl::KernelNarrowIndicesBase<KernelNarrowIndices> {
  using Base::Base;
  void runOnOperation() override;
};

} // namespace

static bool fits(std::optional<int64_t> number) {
  return number && *number <= INT32_MAX;
}

/// `a * b + c`, if 64 bits hold it.
static std::optional<int64_t> multiplyAdd(int64_t a, int64_t b, int64_t c) {
  std::optional<int64_t> product = llvm::checkedMul(a, b);
  return product ? llvm::checkedAdd(*product, c) : std::nullopt;
}

/// Whether all fits that is on the way from the operands of a form to its
/// expressions, and to the place of what they subscript.
static bool fits(const AffineForm &form) {
  SmallVector<IndexRange> ranges = rangesOf(form.operands);
  SmallVector<AffineExpr> exprs = form.exprs;
  if (form.memref) {
    auto type = cast<MemRefType>(form.memref.getType());
    if (!fits(type.getNumElements()))
      return false;
    MLIRContext *context = form.memref.getContext();
    AffineExpr place = getAffineConstantExpr(0, context);
    for (auto [subscript, extent] : llvm::zip_equal(exprs, type.getShape())) {
      // A run-time subscript is inside of its dimension.
      if (isa<AffineSymbolExpr>(subscript)) {
        subscript = getAffineDimExpr(ranges.size(), context);
        ranges.push_back({0, extent - 1});
      }
      place = place * extent + subscript;
    }
    exprs.push_back(place);
  }
  return llvm::all_of(exprs, [&](AffineExpr expr) {
    return fits(getLargestPart(expr, ranges));
  });
}

/// Whether the index of `loop` fits, also after its last iteration, and in
/// threads that have none.
static bool fitsLoop(ForOp loop) {
  IndexRange range = rangeOf(loop.getIndex());
  if (!range.low || !range.high)
    return false;
  const bool isShared = loop.getMapping() == Mapping::warp ||
                        loop.getMapping() == Mapping::thread;
  const int64_t workers =
      isShared ? *loop->getParentOfType<FuncOp>().getThreads() : 1;
  return fits(std::abs(*range.low)) &&
         fits(multiplyAdd(loop.getStep(), workers, *range.high));
}

/// Whether the number of iterations of `loop` and of those around fits, which
/// run as one where they all are constant, and one for each thread more.
static bool fitsNest(ForOp loop) {
  int64_t total = 1;
  for (auto around = loop; around && around.getMapping() == loop.getMapping();
       around = dyn_cast<ForOp>(around->getParentOp())) {
    std::optional<int64_t> trips = around.getConstantTripCount();
    if (!trips)
      break;
    std::optional<int64_t> product = llvm::checkedMul(total, *trips);
    if (!product)
      return false;
    total = *product;
  }
  return fits(multiplyAdd(
      total, 1, loop->getParentOfType<FuncOp>().getThreads().value_or(1)));
}

/// What of `op` is not known to fit 32 bits; nothing if all is.
static std::optional<StringRef> findWide(Operation *op) {
  if (auto loop = dyn_cast<ForOp>(op))
    if (!fitsLoop(loop) || !fitsNest(loop))
      return StringRef("the index of this loop");
  for (Value result : op->getResults()) {
    if (!result.getType().isIndex())
      continue;
    IndexRange range = rangeOf(result);
    if (!range.low || !range.high || !fits(std::abs(*range.low)) ||
        !fits(std::abs(*range.high)))
      return StringRef("this index");
  }
  bool allFit = true;
  rewriteForms(op, [&](AffineForm &form) { allFit &= fits(form); });
  if (!allFit)
    return StringRef("what is computed here of indices");
  return std::nullopt;
}

void KernelNarrowIndices::runOnOperation() {
  FuncOp func = getOperation();
  if (!getTargetInfo(func).platform->narrowsIndices)
    return;
  WalkResult result = func.getBody().walk([&](Operation *op) {
    std::optional<StringRef> wide = findWide(op);
    if (!wide)
      return WalkResult::advance();
    if (remarks)
      op->emitRemark("indices of the kernel have 64 bits: ")
          << *wide << " is not known to fit 32";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return;
  func.setNarrowIndices(true);
  ++numNarrow;
}
