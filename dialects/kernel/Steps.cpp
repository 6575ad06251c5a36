// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/kernel/Steps.h"

using namespace mlir;

namespace fusec::kernel {

std::optional<Combiner> getCombiner(Carry carry) {
  if (carry == Carry::Select || carry == Carry::Update)
    return std::nullopt;
  return symbolizeCombiner(stringifyCarry(carry));
}

Carry getCarry(Combiner combiner) {
  return *symbolizeCarry(stringifyCombiner(combiner));
}

/// The combiner of the operation that has `use` as the accumulated value, if it
/// is associative.
static std::optional<Combiner> getCombiner(OpOperand &use) {
  if (auto dot = dyn_cast<DotOp>(use.getOwner()))
    return use == dot.getSumMutable() ? std::optional(Combiner::Add)
                                      : std::nullopt;
  return fusec::getCombiner(use.getOwner(), use.getOperandNumber());
}

FailureOr<Combiner> findCombiner(Step step, NoCombiner &why) {
  std::optional<Combiner> combiner;
  auto fail = [&](Operation *op, StringRef reason) -> FailureOr<Combiner> {
    why = {op, reason};
    return failure();
  };
  auto failAtUses = [&](Value value) {
    if (value.use_empty())
      return fail(*step.after.user_begin(),
                  "what was there before is overwritten");
    Operation *user = *value.user_begin();
    bool isTwice = llvm::all_equal(value.getUsers());
    return fail(user, isTwice
                          ? "the accumulated value goes into an operation twice"
                          : "a partial result has another use");
  };
  for (Value value = step.before; value != step.after;) {
    if (!value.hasOneUse())
      return failAtUses(value);
    OpOperand &use = *value.use_begin();
    Operation *op = use.getOwner();
    std::optional<Combiner> next = getCombiner(use);
    if (!next)
      return fail(op, "this is no combiner that is known to be associative");
    if (combiner && *combiner != *next)
      return fail(op, "two different combiners follow one another");
    combiner = next;
    value = op->getResult(0);
  }
  if (!step.after.hasOneUse())
    return failAtUses(step.after);
  if (!combiner)
    return fail(*step.after.user_begin(), "the location is copied to itself");
  return *combiner;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

/// Adds a step that makes after = takes ? offered : before.
static bool addChosen(Step step, Choice &choice) {
  auto select = step.after.getDefiningOp<arith::SelectOp>();
  if (!select || select->getBlock() != step.before.getParentBlock() ||
      !select->hasOneUse() || select.getFalseValue() != step.before)
    return false;
  if (choice.takes && choice.takes != select.getCondition())
    return false;
  choice.takes = select.getCondition();
  choice.held.push_back(step.before);
  choice.offered.push_back(select.getTrueValue());
  return true;
}

/// Collects what computes `value` from what is held and offered and from values
/// around the block; false if anything else takes part.
static bool collectDecision(Value value, Block *block, Choice &choice) {
  if (llvm::is_contained(choice.held, value) ||
      llvm::is_contained(choice.offered, value) ||
      !block->getParent()->isAncestor(value.getParentRegion()))
    return true;
  Operation *def = value.getDefiningOp();
  if (!def || def->getBlock() != block || def->getNumRegions() != 0 ||
      !isMemoryEffectFree(def))
    return false;
  if (llvm::is_contained(choice.decision, def))
    return true;
  for (Value operand : def->getOperands())
    if (!collectDecision(operand, block, choice))
      return false;
  choice.decision.push_back(def);
  return true;
}

std::optional<Choice> findChoice(ArrayRef<Step> steps) {
  Choice choice;
  Block *block = nullptr;
  SmallVector<Operation *> allowed;
  for (Step step : steps) {
    bool isFirst = !std::exchange(block, step.before.getParentBlock());
    if ((!isFirst && block != choice.held.front().getParentBlock()) ||
        !addChosen(step, choice))
      return std::nullopt;
    allowed.push_back(step.after.getDefiningOp());
  }
  if (!choice.takes || !collectDecision(choice.takes, block, choice))
    return std::nullopt;
  llvm::append_range(allowed, choice.decision);
  auto isSeen = [&](Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return !llvm::is_contained(allowed, user);
    });
  };
  if (llvm::any_of(choice.held, isSeen))
    return std::nullopt;
  for (Operation *op : choice.decision)
    if (llvm::any_of(op->getResults(), isSeen))
      return std::nullopt;
  return choice;
}

} // namespace fusec::kernel
