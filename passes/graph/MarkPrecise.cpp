// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --fuse-mark-precise: see Passes.td.
#include "passes/OptionWords.h"
#include "passes/graph/Passes.h"
#include "passes/graph/Precision.h"

namespace fusec::fuse {
#define GEN_PASS_DEF_MARKPRECISE
#include "passes/graph/Passes.h.inc"
} // namespace fusec::fuse

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

namespace {
struct MarkPrecisePass
    : public fusec::fuse::impl::MarkPreciseBase<MarkPrecisePass> {
  using MarkPreciseBase::MarkPreciseBase;

  LogicalResult initialize(MLIRContext *context) override {
    return checkWord(context, getArgument(), "precision", precision,
                     {"auto", "strict", "relaxed"});
  }

  void runOnOperation() override {
    getOperation()->walk([](Operation *op) { op->removeAttr(kPreciseAttr); });
    if (precision == "relaxed")
      return;
    // What a primitive computes of scalars is its own affair.
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      WalkResult next = isa<PrimitiveOpInterface>(op) ? WalkResult::skip()
                                                      : WalkResult::advance();
      bool decides = decidesByLastBit(op);
      if (!decides && precision == "auto")
        return next;
      size_t marked = 0;
      for (Value operand : op->getOperands())
        marked += markPrecise(operand);
      numPrecise += marked;
      if (remarks && decides && marked)
        emitRemark(op->getLoc()) << "a last bit may decide here: " << marked
                                 << (marked == 1 ? " operation" : " operations")
                                 << " before it round as they are written";
      return next;
    });
  }
};
} // namespace
