// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/Reductions.h"

using namespace mlir;

namespace fusec::kernel {

SmallVector<Accumulator> getAccumulators(ForOp loop) {
  SmallVector<Accumulator> accumulators;
  for (Value array : loop.getCarried()) {
    Accumulator accumulator{{}, {}, *loop.getCarry(array)};
    for (Operation *user : array.getUsers()) {
      if (!loop->isProperAncestor(user))
        continue;
      if (auto load = dyn_cast<LoadOp>(user))
        accumulator.load = load;
      else if (auto store = dyn_cast<StoreOp>(user))
        accumulator.store = store;
    }
    accumulators.push_back(accumulator);
  }
  return accumulators;
}

AffineForm placeOf(Accumulator accumulator) {
  AffineForm form(accumulator.store.getMap(), accumulator.store.getIndices());
  form.compose();
  return form;
}

Operation *findPartialScope(ForOp loop, ArrayRef<Accumulator> accumulators) {
  Operation *scope = loop;
  while (auto outer = dyn_cast<ForOp>(scope->getParentOp())) {
    if (outer.getMapping() != Mapping::sequential)
      break;
    bool fits = llvm::all_of(accumulators, [&](const Accumulator &accumulator) {
      Value memref = StoreOp(accumulator.store).getMemref();
      bool outside = !outer.getBody().isAncestor(memref.getParentRegion());
      bool alone = llvm::all_of(memref.getUsers(), [&](Operation *user) {
        return !outer->isProperAncestor(user) || isa<ForOp>(user) ||
               user == accumulator.load || user == accumulator.store;
      });
      bool fixed =
          llvm::none_of(placeOf(accumulator).operands, [&](Value value) {
            return outer.getBody().isAncestor(value.getParentRegion());
          });
      return outside && alone && fixed;
    });
    if (!fits)
      break;
    scope = outer;
  }
  return scope;
}

SmallVector<Value> createChoice(OpBuilder &builder, const Choice &choice,
                                ValueRange held, ValueRange offered) {
  IRMapping mapping;
  for (auto [value, replacement] : llvm::zip(choice.held, held))
    mapping.map(value, replacement);
  for (auto [value, replacement] : llvm::zip(choice.offered, offered))
    mapping.map(value, replacement);
  for (Operation *op : choice.decision)
    builder.clone(*op, mapping);
  Value takes = mapping.lookupOrDefault(choice.takes);
  SmallVector<Value> results;
  for (auto [taken, kept] : llvm::zip(offered, held))
    results.push_back(arith::SelectOp::create(builder, choice.takes.getLoc(),
                                              takes, taken, kept));
  return results;
}

} // namespace fusec::kernel
