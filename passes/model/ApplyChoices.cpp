// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --model-apply-choices: see Passes.td.
#include "passes/lock/GroupKey.h"
#include "passes/lock/Lock.h"
#include "passes/model/LaunchCost.h"
#include "passes/model/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace fusec::model {
#define GEN_PASS_DEF_APPLYCHOICES
#include "passes/model/Passes.h.inc"
} // namespace fusec::model

using namespace mlir;
using namespace fusec;

/// What is taken of a choice, and why.
namespace {
struct Decision {
  unsigned number;
  std::string reason;
};

struct ApplyChoices : fusec::model::impl::ApplyChoicesBase<ApplyChoices> {
  using Base::Base;
  void runOnOperation() override;

private:
  LogicalResult readForced();
  LogicalResult checkForced();
  FailureOr<Decision> decide(kernel::ChoiceOp choice, const std::string &key,
                             model::LaunchCosts &costs);
  void take(kernel::ChoiceOp choice, const Decision &decision);

  /// Name of a choice -> algorithm.
  llvm::MapVector<StringRef, StringRef> forced;
  lock::Lock locked;
};
} // namespace

static StringRef getAlgorithm(kernel::ChoiceOp choice, unsigned number) {
  return cast<StringAttr>(choice.getAlgorithms()[number]).getValue();
}

static std::optional<unsigned> findAlgorithm(kernel::ChoiceOp choice,
                                             StringRef algorithm) {
  for (unsigned i = 0, e = choice.getAlgorithms().size(); i < e; ++i)
    if (getAlgorithm(choice, i) == algorithm)
      return i;
  return std::nullopt;
}

static SmallVector<kernel::ChoiceOp> findChoices(Operation *root) {
  SmallVector<kernel::ChoiceOp> choices;
  root->walk<WalkOrder::PreOrder>(
      [&](kernel::ChoiceOp choice) { choices.push_back(choice); });
  return choices;
}

LogicalResult ApplyChoices::readForced() {
  for (StringRef text : choices) {
    auto [name, algorithm] = text.rsplit('=');
    if (name.empty() || algorithm.empty())
      return getOperation().emitError()
             << "'" << text << "' forces no choice: expected name=algorithm";
    auto [entry, isFirst] = forced.try_emplace(name, algorithm);
    if (!isFirst && entry->second != algorithm)
      return getOperation().emitError()
             << "choice '" << name << "' is forced to be '" << entry->second
             << "' and '" << algorithm << "'; keep one of them";
  }
  return success();
}

LogicalResult ApplyChoices::checkForced() {
  SmallVector<kernel::ChoiceOp> all = findChoices(getOperation());
  for (auto [name, algorithm] : forced) {
    bool isNamed = false, fits = false;
    std::string known;
    llvm::SetVector<StringRef> algorithms;
    for (kernel::ChoiceOp choice : all) {
      if (name == "*" || choice.getSymName() == name) {
        isNamed = true;
        fits |= findAlgorithm(choice, algorithm).has_value();
        algorithms.insert_range(
            choice.getAlgorithms().getAsValueRange<StringAttr>());
      }
      known += (known.empty() ? " @" : ", @") + choice.getSymName().str();
    }
    // The name * is every choice's, and no choice's where there is none.
    if (!isNamed)
      return getOperation().emitError()
             << "'" << name << "' names no choice; there "
             << (known.empty() ? "is none; leave it out" : "are") << known;
    if (!fits)
      return getOperation().emitError()
             << "no choice '" << name << "' has an algorithm '" << algorithm
             << "'; take one of " << llvm::join(algorithms, ", ");
  }
  return success();
}

/// The alternative that costs least, the first of equals.
static Decision findCheapest(kernel::ChoiceOp choice,
                             model::LaunchCosts &costs) {
  unsigned best = 0;
  SmallVector<double> steps;
  for (Region &region : choice.getAlternatives()) {
    steps.push_back(costs.ofBlock(region.front()));
    if (steps.back() < steps[best])
      best = steps.size() - 1;
  }
  Decision decision{best, ""};
  llvm::raw_string_ostream reason(decision.reason);
  reason << int64_t(steps[best]) << " steps of a core";
  for (auto [number, cost] : llvm::enumerate(steps))
    if (number != best)
      reason << ", " << getAlgorithm(choice, number) << " " << int64_t(cost);
  return decision;
}

FailureOr<Decision> ApplyChoices::decide(kernel::ChoiceOp choice,
                                         const std::string &key,
                                         model::LaunchCosts &costs) {
  for (StringRef name : {choice.getSymName(), StringRef("*")})
    if (StringRef algorithm = forced.lookup(name); !algorithm.empty())
      if (std::optional<unsigned> number = findAlgorithm(choice, algorithm))
        return Decision{*number, "forced"};
  Decision cheapest = findCheapest(choice, costs);
  const lock::Choice *entry = locked.findChoice(key);
  if (!entry)
    return cheapest;
  std::optional<unsigned> number = findAlgorithm(choice, entry->algorithm);
  if (!number) {
    std::string known;
    for (StringRef name : choice.getAlgorithms().getAsValueRange<StringAttr>())
      known += (known.empty() ? "" : ", ") + name.str();
    return lock::refuse(entry->loc,
                        "there is no algorithm '" + entry->algorithm +
                            "' for choice @" + choice.getSymName(),
                        "take one of " + known +
                            ", or remove the line for what costs least");
  }
  return *number == cheapest.number ? cheapest : Decision{*number, "locked"};
}

void ApplyChoices::take(kernel::ChoiceOp choice, const Decision &decision) {
  if (remarks)
    choice.emitRemark() << "@" << choice.getSymName() << " is "
                        << getAlgorithm(choice, decision.number) << ": "
                        << decision.reason;
  Block &block = choice.getAlternatives()[decision.number].front();
  block.getTerminator()->erase();
  choice->getBlock()->getOperations().splice(Block::iterator(choice),
                                             block.getOperations());
  choice.erase();
  ++numChoices;
}

/// Erases kernels and weights that only alternatives used that are gone.
static void eraseUnused(ModuleOp module, ArrayRef<Operation *> candidates) {
  llvm::DenseSet<StringAttr> launched;
  module.walk([&](kernel::LaunchOp launch) {
    launched.insert(launch.getKernelAttr().getAttr());
  });
  for (Operation *op : candidates)
    if (auto scop = dyn_cast<sched::ScopOp>(op)) {
      if (!launched.contains(scop.getSymNameAttr()))
        scop.erase();
    } else if (op->use_empty()) {
      op->erase();
    }
}

void ApplyChoices::runOnOperation() {
  ModuleOp module = getOperation();
  SymbolTable symbols(module);
  model::LaunchCosts costs(symbols, getTargetInfo(module));
  FailureOr<lock::Lock> given =
      lock::read(lockFile, getTargetInfo(getOperation()).name, &getContext());
  if (failed(given))
    return signalPassFailure();
  locked = std::move(*given);
  if (failed(readForced()) || failed(checkForced()) ||
      failed(costs.check(module)))
    return signalPassFailure();
  // Kernels and weights that choices use, each once and in order.
  llvm::SetVector<Operation *> used;
  for (kernel::ChoiceOp choice : findChoices(module))
    choice->walk([&](Operation *op) {
      if (auto launch = dyn_cast<kernel::LaunchOp>(op))
        used.insert(symbols.lookup(launch.getKernel()));
      for (Value operand : op->getOperands())
        if (auto weight = operand.getDefiningOp<kernel::WeightOp>())
          used.insert(weight);
    });
  lock::GroupKeys keys(target);
  Builder builder(module);
  WalkResult walk = module.walk([&](func::FuncOp function) {
    SmallVector<Attribute> taken;
    auto record = [&](StringRef key, Attribute value) {
      return builder.getNamedAttr(key, value);
    };
    // One that is taken may hold further ones.
    for (SmallVector<kernel::ChoiceOp> left;
         !(left = findChoices(function)).empty();) {
      kernel::ChoiceOp choice = left.front();
      std::string key = keys.get(choice, symbols);
      FailureOr<Decision> decision = decide(choice, key, costs);
      if (failed(decision))
        return WalkResult::interrupt();
      taken.push_back(builder.getDictionaryAttr(
          {record("name", choice.getSymNameAttr()),
           record(lock::kKeyAttr, builder.getStringAttr(key)),
           record("algorithm", choice.getAlgorithms()[decision->number]),
           record("alternatives", choice.getAlgorithms()),
           record("reason", builder.getStringAttr(decision->reason))}));
      take(choice, *decision);
    }
    if (!taken.empty())
      function->setAttr("kernel.choices", builder.getArrayAttr(taken));
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return signalPassFailure();
  eraseUnused(module, used.getArrayRef());
}
