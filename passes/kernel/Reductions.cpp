// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/Reductions.h"

using namespace mlir;

namespace fusec::kernel {

TypedAttr getNeutral(Combiner combiner, Type type) {
  Builder builder(type.getContext());
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    switch (combiner) {
    case Combiner::Mul:
      return builder.getFloatAttr(type, 1.0);
    case Combiner::Max:
      return builder.getFloatAttr(
          type, APFloat::getInf(semantics, /*Negative=*/true));
    case Combiner::Min:
      return builder.getFloatAttr(type, APFloat::getInf(semantics));
    default:
      return builder.getFloatAttr(type, 0.0);
    }
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  switch (combiner) {
  case Combiner::Mul:
  case Combiner::And:
    return builder.getIntegerAttr(type, APInt(bits, 1));
  case Combiner::Max:
    return builder.getIntegerAttr(type, APInt::getSignedMinValue(bits));
  case Combiner::Min:
    return builder.getIntegerAttr(type, APInt::getSignedMaxValue(bits));
  default:
    return builder.getIntegerAttr(type, APInt(bits, 0));
  }
}

Value createCombination(OpBuilder &builder, Location loc, Combiner combiner,
                        Value a, Value b) {
  bool real = isa<FloatType>(getElementTypeOrSelf(a.getType()));
  switch (combiner) {
  case Combiner::Add:
    return real ? arith::AddFOp::create(builder, loc, a, b).getResult()
                : arith::AddIOp::create(builder, loc, a, b).getResult();
  case Combiner::Mul:
    return real ? arith::MulFOp::create(builder, loc, a, b).getResult()
                : arith::MulIOp::create(builder, loc, a, b).getResult();
  case Combiner::Max:
    return real ? arith::MaximumFOp::create(builder, loc, a, b).getResult()
                : arith::MaxSIOp::create(builder, loc, a, b).getResult();
  case Combiner::Min:
    return real ? arith::MinimumFOp::create(builder, loc, a, b).getResult()
                : arith::MinSIOp::create(builder, loc, a, b).getResult();
  case Combiner::And:
    return arith::AndIOp::create(builder, loc, a, b);
  case Combiner::Or:
    return arith::OrIOp::create(builder, loc, a, b);
  }
  llvm_unreachable("all combiners are handled");
}

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
