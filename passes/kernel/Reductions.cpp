// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/kernel/Reductions.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace fusec::kernel {

//===----------------------------------------------------------------------===//
// Combiners
//===----------------------------------------------------------------------===//

/// The combiner of an operation whose operand number `accumulator` is the
/// accumulated value, if it is associative.
static std::optional<Combiner> getCombiner(Operation *op,
                                           unsigned accumulator) {
  bool isBool = op->getResult(0).getType().isInteger(1);
  using Found = std::optional<Combiner>;
  return llvm::TypeSwitch<Operation *, Found>(op)
      .Case<arith::AddFOp>([](Operation *) { return Found(Combiner::Add); })
      .Case<arith::MulFOp>([](Operation *) { return Found(Combiner::Mul); })
      .Case<arith::MaximumFOp>([](Operation *) { return Found(Combiner::Max); })
      .Case<arith::MinimumFOp>([](Operation *) { return Found(Combiner::Min); })
      // acc - x accumulates -x.
      .Case<arith::SubFOp>([&](Operation *) {
        return accumulator == 0 ? Found(Combiner::Add) : Found();
      })
      .Case<math::FmaOp>([&](Operation *) {
        return accumulator == 2 ? Found(Combiner::Add) : Found();
      })
      .Case<arith::AndIOp>(
          [&](Operation *) { return isBool ? Found(Combiner::And) : Found(); })
      .Case<arith::OrIOp>(
          [&](Operation *) { return isBool ? Found(Combiner::Or) : Found(); })
      .Case<arith::AddIOp>(
          [&](Operation *) { return isBool ? Found() : Found(Combiner::Add); })
      .Case<arith::SubIOp>([&](Operation *) {
        return isBool || accumulator != 0 ? Found() : Found(Combiner::Add);
      })
      .Case<arith::MulIOp>(
          [&](Operation *) { return isBool ? Found() : Found(Combiner::Mul); })
      .Case<arith::MaxSIOp>(
          [&](Operation *) { return isBool ? Found() : Found(Combiner::Max); })
      .Case<arith::MinSIOp>(
          [&](Operation *) { return isBool ? Found() : Found(Combiner::Min); })
      .Default([](Operation *) { return Found(); });
}

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

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

static AffineForm getSubscripts(Operation *op) {
  AffineForm form;
  if (auto load = dyn_cast<LoadOp>(op))
    form = AffineForm(load.getMap(), load.getIndices());
  else
    form =
        AffineForm(cast<StoreOp>(op).getMap(), cast<StoreOp>(op).getIndices());
  form.compose();
  return form;
}

static bool isInvariant(const AffineForm &form, ForOp loop) {
  return llvm::all_of(form.operands, [&](Value value) {
    return !loop.getBody().isAncestor(value.getParentRegion());
  });
}

/// `load` and the operations of its block that compute something from it.
using Dependents = llvm::DenseSet<Operation *>;

static Dependents getDependents(LoadOp load) {
  Dependents dependents = {load};
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode())
    if (llvm::any_of(op->getOperands(), [&](Value operand) {
          return dependents.contains(operand.getDefiningOp());
        }))
      dependents.insert(op);
  return dependents;
}

/// The combiner of the chain of operations from `load` to `stored`, if the
/// chain has only one and nothing else sees its values.
static std::optional<Combiner> getChainCombiner(Value stored, LoadOp load,
                                                const Dependents &dependents,
                                                NotReducible &why) {
  std::optional<Combiner> combiner;
  auto fail = [&](Operation *op,
                  const char *reason) -> std::optional<Combiner> {
    why = {op, reason};
    return std::nullopt;
  };
  Value value = stored;
  while (value.getDefiningOp() != load) {
    Operation *def = value.getDefiningOp();
    if (!value.hasOneUse())
      return fail(def ? def : load.getOperation(),
                  "a partial result has another use");
    std::optional<unsigned> position;
    for (OpOperand &operand : def->getOpOperands()) {
      if (!dependents.contains(operand.get().getDefiningOp()))
        continue;
      if (position)
        return fail(def, "the accumulated value goes into an operation twice");
      position = operand.getOperandNumber();
    }
    std::optional<Combiner> next = getCombiner(def, *position);
    if (!next)
      return fail(def, "this is no combiner that is known to be associative");
    if (combiner && *combiner != *next)
      return fail(def, "two different combiners follow one another");
    combiner = next;
    value = def->getOperand(*position);
  }
  if (!load->hasOneUse())
    return fail(load, "a partial result has another use");
  if (!combiner)
    return fail(load, "the location is copied to itself");
  return combiner;
}

/// The accumulator that `store` writes.
static FailureOr<Accumulator> getAccumulator(ForOp loop, StoreOp store,
                                             NotReducible &why) {
  auto fail = [&](Operation *op, const char *reason) -> FailureOr<Accumulator> {
    why = {op, reason};
    return failure();
  };
  if (store.isVector() || store.getMask())
    return fail(store, "the location is stored in lanes or under a mask");
  AffineForm subscripts = getSubscripts(store);
  LoadOp load;
  for (Operation *user : store.getMemref().getUsers()) {
    if (user == store || !loop->isProperAncestor(user))
      continue;
    if (!isa<LoadOp>(user))
      return fail(user, "the accumulator is used twice in an iteration");
    if (load)
      return fail(user, "the accumulator is read twice in an iteration");
    load = cast<LoadOp>(user);
  }
  if (!load)
    return fail(store, "the iterations overwrite one location");
  AffineForm read = getSubscripts(load);
  if (read.exprs != subscripts.exprs || read.operands != subscripts.operands)
    return fail(
        load, "it reads another location of the array that it accumulates in");
  Dependents dependents = getDependents(load);
  if (load.isVector() || load.getMask() ||
      load->getBlock() != store->getBlock() || !load->isBeforeInBlock(store) ||
      !dependents.contains(store.getValue().getDefiningOp()))
    return fail(load,
                "the accumulator is not read, combined and stored in one go");
  std::optional<Combiner> combiner =
      getChainCombiner(store.getValue(), load, dependents, why);
  if (!combiner)
    return failure();
  return Accumulator{load, store, *combiner};
}

FailureOr<SmallVector<Accumulator>> findAccumulators(ForOp loop,
                                                     NotReducible &why) {
  SmallVector<Accumulator> accumulators;
  WalkResult result = loop.walk([&](StoreOp store) {
    // A local of the body is new in each iteration.
    bool isPrivate =
        loop.getBody().isAncestor(store.getMemref().getParentRegion());
    if (isPrivate || !isInvariant(getSubscripts(store), loop))
      return WalkResult::advance();
    FailureOr<Accumulator> accumulator = getAccumulator(loop, store, why);
    if (failed(accumulator))
      return WalkResult::interrupt();
    accumulators.push_back(*accumulator);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return accumulators;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// Adds the accumulator that `store` writes as acc = takes ? offered : acc.
static bool addChosen(ForOp loop, StoreOp store, Choice &choice) {
  Block *body = &loop.getBody().front();
  auto select = store.getValue().getDefiningOp<arith::SelectOp>();
  if (store->getBlock() != body || store.isVector() || store.getMask() ||
      !select || select->getBlock() != body || !select->hasOneUse())
    return false;
  auto load = select.getFalseValue().getDefiningOp<LoadOp>();
  if (!load || load->getBlock() != body || load.isVector() || load.getMask() ||
      load.getMemref() != store.getMemref())
    return false;
  AffineForm read = getSubscripts(load), written = getSubscripts(store);
  if (read.exprs != written.exprs || read.operands != written.operands)
    return false;
  for (Operation *user : store.getMemref().getUsers())
    if (user != load && user != store && loop->isProperAncestor(user))
      return false;
  if (choice.takes && choice.takes != select.getCondition())
    return false;
  choice.takes = select.getCondition();
  choice.accumulators.push_back({load, store, std::nullopt});
  choice.offered.push_back(select.getTrueValue());
  return true;
}

/// Collects what computes `value` from what is held and offered and from values
/// around the loop; false if anything else takes part.
static bool collectDecision(Value value, ForOp loop, Choice &choice) {
  bool isHeld =
      llvm::any_of(choice.accumulators, [&](Accumulator &accumulator) {
        return accumulator.load.getResult() == value;
      });
  bool isAround = !loop.getBody().isAncestor(value.getParentRegion());
  if (isHeld || isAround || llvm::is_contained(choice.offered, value))
    return true;
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != &loop.getBody().front() ||
      def->getNumRegions() != 0 || !isMemoryEffectFree(def))
    return false;
  if (llvm::is_contained(choice.decision, def))
    return true;
  for (Value operand : def->getOperands())
    if (!collectDecision(operand, loop, choice))
      return false;
  choice.decision.push_back(def);
  return true;
}

std::optional<Choice> findChoice(ForOp loop) {
  Choice choice;
  WalkResult result = loop.walk([&](StoreOp store) {
    bool isPrivate =
        loop.getBody().isAncestor(store.getMemref().getParentRegion());
    if (isPrivate || !isInvariant(getSubscripts(store), loop) ||
        addChosen(loop, store, choice))
      return WalkResult::advance();
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted() || !choice.takes ||
      !collectDecision(choice.takes, loop, choice))
    return std::nullopt;
  // Nothing else sees what is held in between, or the decision.
  SmallVector<Operation *> allowed(choice.decision);
  for (Accumulator &accumulator : choice.accumulators)
    allowed.push_back(accumulator.store.getValue().getDefiningOp());
  auto isSeen = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !llvm::is_contained(allowed, user);
    });
  };
  for (Accumulator &accumulator : choice.accumulators)
    if (isSeen(accumulator.load.getResult()))
      return std::nullopt;
  for (Operation *op : choice.decision)
    if (llvm::any_of(op->getResults(), isSeen))
      return std::nullopt;
  return choice;
}

SmallVector<Value> createChoice(OpBuilder &builder, const Choice &choice,
                                ValueRange held, ValueRange offered) {
  IRMapping mapping;
  for (auto [accumulator, value] : llvm::zip(choice.accumulators, held))
    mapping.map(Accumulator(accumulator).load.getResult(), value);
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
