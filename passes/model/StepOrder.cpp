// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/model/StepOrder.h"

#include "passes/model/Launches.h"

using namespace mlir;

namespace fusec::model {

/// Whether the program goes on before `op` has run.
static bool isEnqueued(Operation *op) {
  if (auto copy = dyn_cast<kernel::CopyOp>(op))
    return !kernel::isOnHost(copy.getSource().getType()) &&
           !kernel::isOnHost(copy.getTarget().getType());
  return isa<kernel::LaunchOp, kernel::FillOp>(op);
}

static Value skipViews(Value memory) {
  while (auto view = memory.getDefiningOp<kernel::ViewOp>())
    memory = view.getSource();
  return memory;
}

StepOrder::StepOrder(func::FuncOp func) {
  const SymbolTable symbols(func->getParentOp());
  for (Operation &op : func.getBody().front())
    if (!isa<kernel::ViewOp, kernel::BufferOp, kernel::WeightOp>(op))
      add(&op, symbols);
}

void StepOrder::add(Operation *op, const SymbolTable &symbols) {
  if (!isEnqueued(op)) {
    next += kWindow;
    steps[op] = {next, 0};
    next += kWindow;
    return;
  }
  Recent own;
  own.step.number = next++;
  for (OpOperand &use : op->getOpOperands())
    (mayWrite(use, symbols) ? own.writes : own.reads)
        .push_back(skipViews(use.get()));
  auto shares = [](ArrayRef<Value> some, ArrayRef<Value> others) {
    return llvm::any_of(
        some, [&](Value value) { return llvm::is_contained(others, value); });
  };
  for (const Recent &before : recent) {
    const int64_t distance = own.step.number - before.step.number;
    if (distance >= kWindow ||
        !(shares(own.writes, before.writes) ||
          shares(own.writes, before.reads) || shares(own.reads, before.writes)))
      continue;
    // What that one comes after, it comes after, too.
    own.step.after |= uint32_t(1) << distance | before.step.after << distance;
  }
  steps[op] = own.step;
  recent[own.step.number % kWindow] = std::move(own);
}

bool StepOrder::isBefore(Operation *first, Operation *second) const {
  const Step &a = steps.at(first), &b = steps.at(second);
  const int64_t distance = b.number - a.number;
  return distance >= kWindow || (distance > 0 && (b.after >> distance & 1));
}

} // namespace fusec::model
