// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/schedule/Coalescer.h"
#include "passes/schedule/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fusec::sched {
#define GEN_PASS_DEF_COALESCEDIMS
#include "passes/schedule/Passes.h.inc"
} // namespace fusec::sched

using namespace mlir;
using namespace fusec;
using namespace fusec::sched;

namespace {
struct CoalesceDims : fusec::sched::impl::CoalesceDimsBase<CoalesceDims> {
  using Base::Base;

  void runOnOperation() override {
    llvm::StringMap<ScopOp> changed;
    for (auto scop : getOperation().getOps<ScopOp>()) {
      Coalescer coalescer(scop);
      if (!coalescer.run(remarks))
        continue;
      scop.removeScheduleAttr();
      scop.removeConfigAttr();
      numMerged += coalescer.numMerged;
      numDropped += coalescer.numDropped;
      changed[scop.getSymName()] = scop;
    }
    if (changed.empty())
      return;
    for (auto func : getOperation().getOps<func::FuncOp>())
      if (failed(updateLaunches(func, changed)))
        return signalPassFailure();
  }

  /// Gives launches of changed scops operands of the new types.
  LogicalResult updateLaunches(func::FuncOp func,
                               const llvm::StringMap<ScopOp> &changed);
};
} // namespace

LogicalResult
CoalesceDims::updateLaunches(func::FuncOp func,
                             const llvm::StringMap<ScopOp> &changed) {
  LogicalResult result = success();
  llvm::DenseMap<std::pair<std::pair<Value, Type>, Block *>, Value> views;
  func.walk([&](kernel::LaunchOp launch) {
    ScopOp scop = changed.lookup(launch.getKernel());
    if (!scop)
      return;
    Block &body = scop.getBody().front();
    if (launch.getOperands().size() > body.getNumArguments()) {
      result = launch.emitOpError() << "passes " << launch.getOperands().size()
                                    << " operands to a scop of "
                                    << body.getNumArguments() << " arguments";
      return;
    }
    OpBuilder builder(launch);
    for (OpOperand &operand : launch->getOpOperands()) {
      Type type = body.getArgument(operand.getOperandNumber()).getType();
      // The origin of a chain of views, if it has the type already.
      Value source = operand.get();
      while (auto view = source.getDefiningOp<kernel::ViewOp>())
        if (source.getType() != type && !view.getIndex())
          source = view.getSource();
        else
          break;
      if (source.getType() != type) {
        Value &view = views[{{source, type}, launch->getBlock()}];
        if (!view)
          view = kernel::ViewOp::create(builder, operand.get().getLoc(), type,
                                        source);
        source = view;
      }
      operand.set(source);
    }
  });
  func.walk([&](kernel::ViewOp view) {
    if (view->use_empty())
      view.erase();
  });
  return result;
}
