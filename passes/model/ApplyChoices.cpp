// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --model-apply-choices: see Passes.td.
#include "dialects/kernel/Choices.h"
#include "passes/OptionWords.h"
#include "passes/graph/Algorithms.h"
#include "passes/lock/Advisor.h"
#include "passes/lock/GroupKey.h"
#include "passes/lock/Lock.h"
#include "passes/model/LaunchCost.h"
#include "passes/model/Launches.h"
#include "passes/model/Passes.h"
#include "passes/model/Selections.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace fusec::model {
#define GEN_PASS_DEF_APPLYCHOICES
#include "passes/model/Passes.h.inc"
} // namespace fusec::model

using namespace mlir;
using namespace fusec;
using fusec::model::Decision;
using fusec::model::Selection;

namespace {
/// The alternatives of a choice.
struct Ranking {
  /// By number; none where nobody knows.
  SmallVector<std::optional<double>> steps;
  SmallVector<unsigned> order; ///< numbers, the best first
};

struct ApplyChoices : fusec::model::impl::ApplyChoicesBase<ApplyChoices> {
  using Base::Base;
  ApplyChoices(fusec::model::ApplyChoicesOptions options,
               lock::Advisor *advisor)
      : Base(std::move(options)), advisor(advisor) {}
  LogicalResult initialize(MLIRContext *context) override {
    return checkWord(context, getArgument(), "numerics", numerics,
                     {"reproducible", "fast"});
  }
  void runOnOperation() override;

private:
  InFlightDiagnostic refuseForced();
  LogicalResult readForced();
  LogicalResult checkForced();
  std::optional<unsigned> findForced(kernel::ChoiceOp choice) const;
  FailureOr<SmallVector<Selection>> findLocked(kernel::ChoiceOp choice,
                                               const std::string &key) const;
  SmallVector<Selection> findAdvice(kernel::ChoiceOp choice,
                                    const std::string &key);
  FailureOr<Decision> decide(kernel::ChoiceOp choice, const std::string &key,
                             const Ranking &ranking);
  void keepSeveral(kernel::ChoiceOp choice, const Decision &decision,
                   const Ranking &ranking, const std::string &key);
  void take(kernel::ChoiceOp choice, const Decision &decision);

  /// Name of a choice -> algorithm.
  llvm::MapVector<StringRef, StringRef> forced;
  lock::Lock locked;
  /// Asked where a lock says nothing; may be null.
  lock::Advisor *advisor = nullptr;
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

/// "direct, split_reduce"
static std::string listAlgorithms(kernel::ChoiceOp choice) {
  return llvm::join(choice.getAlgorithms().getAsValueRange<StringAttr>(), ", ");
}

static SmallVector<kernel::ChoiceOp> findChoices(Operation *root) {
  SmallVector<kernel::ChoiceOp> choices;
  root->walk<WalkOrder::PreOrder>(
      [&](kernel::ChoiceOp choice) { choices.push_back(choice); });
  return choices;
}

/// The first choice that nothing was decided about, outermost ones first.
static kernel::ChoiceOp findOpen(Operation *root) {
  for (kernel::ChoiceOp choice : findChoices(root))
    if (!choice->hasAttr(lock::kKeyAttr))
      return choice;
  return {};
}

/// What was decided about choices of `function` before the pass.
static ArrayRef<Attribute> findDecided(func::FuncOp function) {
  auto all = function->getAttrOfType<ArrayAttr>(kChoicesAttr);
  return all ? all.getValue() : ArrayRef<Attribute>();
}

/// An error of the option, wherever the module is from.
InFlightDiagnostic ApplyChoices::refuseForced() {
  return mlir::emitError(
      FileLineColLoc::get(&getContext(), fusec::model::kChoicesOption, 0, 0));
}

LogicalResult ApplyChoices::readForced() {
  for (StringRef text : choices) {
    auto [name, algorithm] = text.rsplit('=');
    if (name.empty() || algorithm.empty())
      return refuseForced()
             << "'" << text << "' forces no choice: expected name=algorithm";
    if (const auto *lower = fuse::findLowerPrecision(algorithm))
      algorithm = lower->algorithm;
    auto [entry, isFirst] = forced.try_emplace(name, algorithm);
    if (!isFirst && entry->second != algorithm)
      return refuseForced()
             << "choice '" << name << "' is forced to be '" << entry->second
             << "' and '" << algorithm << "'; keep one of them";
  }
  return success();
}

LogicalResult ApplyChoices::checkForced() {
  SmallVector<kernel::ChoiceOp> all = findChoices(getOperation());
  SmallVector<DictionaryAttr> decided;
  getOperation()->walk([&](func::FuncOp function) {
    for (Attribute one : findDecided(function))
      if (auto record = dyn_cast<DictionaryAttr>(one);
          record && record.getAs<StringAttr>("name") &&
          record.getAs<StringAttr>("algorithm") &&
          record.getAs<ArrayAttr>("alternatives"))
        decided.push_back(record);
  });
  for (auto [name, algorithm] : forced) {
    bool isNamed = false, fits = false;
    std::string known;
    llvm::SetVector<StringRef> algorithms;
    for (DictionaryAttr record : decided) {
      StringRef own = record.getAs<StringAttr>("name");
      if (name == "*" || own == name) {
        isNamed = true;
        fits |= record.getAs<StringAttr>("algorithm") == algorithm;
        algorithms.insert_range(record.getAs<ArrayAttr>("alternatives")
                                    .getAsValueRange<StringAttr>());
      }
      known += (known.empty() ? " @" : ", @") + own.str();
    }
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
      return refuseForced()
             << "'" << name << "' names no choice; there "
             << (known.empty() ? "is none; leave it out" : "are") << known;
    if (!fits)
      return refuseForced()
             << "no choice '" << name << "' has an algorithm '" << algorithm
             << "'; take one of " << llvm::join(algorithms, ", ")
             << " (--remarks=all says why others are not offered)";
  }
  return success();
}

/// What alternatives cost, in steps of a core, and their numbers in the order
/// in which they are wanted: by bytes above `limit`, then by cost, and those of
/// which that is not known last, as they stand.
static Ranking rank(kernel::ChoiceOp choice, model::LaunchCosts &costs,
                    int64_t limit) {
  Ranking ranking;
  SmallVector<int64_t> excess;
  const bool lowers = llvm::any_of(
      choice.getAlgorithms().getAsValueRange<StringAttr>(),
      [](StringRef algorithm) { return fuse::findLowerPrecision(algorithm); });
  const model::Detail detail =
      lowers ? model::Detail::precision : model::Detail::operations;
  for (auto [number, region] : llvm::enumerate(choice.getAlternatives())) {
    std::optional<double> &steps = ranking.steps.emplace_back();
    if (!fusec::model::callsOperator(region))
      steps = costs.ofBlock(region.front(), detail);
    int64_t bytes = model::getArenaBytes(region);
    excess.push_back(limit < 0 || bytes <= limit ? 0 : bytes);
    ranking.order.push_back(number);
  }
  llvm::sort(ranking.order, [&](unsigned a, unsigned b) {
    const std::optional<double> &left = ranking.steps[a],
                                &right = ranking.steps[b];
    return std::tuple(excess[a], !left, left.value_or(0), a) <
           std::tuple(excess[b], !right, right.value_or(0), b);
  });
  return ranking;
}

/// The alternative that is wanted most.
static Decision findCheapest(kernel::ChoiceOp choice, const Ranking &ranking) {
  Decision decision{ranking.order.front(), ""};
  llvm::raw_string_ostream reason(decision.reason);
  const std::optional<double> &taken = ranking.steps[decision.number];
  if (taken)
    reason << int64_t(*taken) << " steps of a core";
  else
    reason << "the first of those whose cost nobody knows";
  bool isCheaper = false; // another one, or as good as known to be
  for (auto [number, cost] : llvm::enumerate(ranking.steps)) {
    if (number == decision.number)
      continue;
    isCheaper |=
        taken ? cost && *cost < *taken : cost || number < decision.number;
    if (cost)
      reason << ", " << getAlgorithm(choice, number) << " " << int64_t(*cost);
    else if (taken)
      reason << ", " << getAlgorithm(choice, number) << " unknown";
  }
  if (isCheaper)
    reason << "; what " << (taken ? "costs less" : "goes before it")
           << " has larger buffers than the limit";
  return decision;
}

std::optional<unsigned>
ApplyChoices::findForced(kernel::ChoiceOp choice) const {
  for (StringRef name : {choice.getSymName(), StringRef("*")})
    if (StringRef algorithm = forced.lookup(name); !algorithm.empty())
      if (std::optional<unsigned> number = findAlgorithm(choice, algorithm))
        return number;
  return std::nullopt;
}

FailureOr<SmallVector<Selection>>
ApplyChoices::findLocked(kernel::ChoiceOp choice,
                         const std::string &key) const {
  SmallVector<Selection> known;
  for (const InstructionSet *set : getTargetInfo(choice).sets) {
    SmallVector<const lock::Choice *> entries =
        locked.findChoicesByThreads(key, set->name);
    if (const lock::Choice *entry = locked.findChoice(key, set->name))
      entries.insert(entries.begin(), entry);
    for (const lock::Choice *entry : entries) {
      std::optional<unsigned> number = findAlgorithm(choice, entry->algorithm);
      if (!number)
        return lock::refuse(entry->loc,
                            "there is no algorithm '" + entry->algorithm +
                                "' for choice @" + choice.getSymName(),
                            "take one of " + listAlgorithms(choice) +
                                ", or remove the line for what costs least");
      known.push_back({set->name, entry->threads, *number});
    }
  }
  return known;
}

/// Warns of advice that is left.
static void refuseAdvice(kernel::ChoiceOp choice, const Twine &reason) {
  choice.emitWarning() << "what a cache says of choice @" << choice.getSymName()
                       << " does not fit it, and its default is taken: "
                       << reason;
}

SmallVector<Selection> ApplyChoices::findAdvice(kernel::ChoiceOp choice,
                                                const std::string &key) {
  SmallVector<Selection> known;
  if (!advisor)
    return known;
  const TargetInfo &target = getTargetInfo(choice);
  for (const InstructionSet *set : target.sets)
    for (const lock::Advice &said :
         advisor->advise({lock::Subject::Kind::choice, key, set->name,
                          choice.getSymName()})) {
      std::string refusal;
      std::optional<lock::Choice> advice = lock::parseChoiceAdvice(
          said, target.name, set->name, &getContext(), refusal);
      std::optional<unsigned> number;
      if (advice) {
        number = findAlgorithm(choice, advice->algorithm);
        refusal = "there is no algorithm '" + advice->algorithm + "'; it has " +
                  listAlgorithms(choice);
      }
      if (number)
        known.push_back({set->name, said.threads, *number});
      else
        refuseAdvice(choice, refusal);
    }
  return known;
}

FailureOr<Decision> ApplyChoices::decide(kernel::ChoiceOp choice,
                                         const std::string &key,
                                         const Ranking &ranking) {
  if (std::optional<unsigned> number = findForced(choice))
    return Decision{*number, "forced"};
  FailureOr<SmallVector<Selection>> known = findLocked(choice, key);
  if (failed(known))
    return failure();
  if (known->empty())
    known = findAdvice(choice, key);
  Decision cheapest = findCheapest(choice, ranking);
  Decision decision = settle(*known, cheapest.number, getTargetInfo(choice));
  // What would have been decided anyway leaves no trace.
  if (decision.number == cheapest.number && decision.selections.empty())
    return cheapest;
  decision.reason = "locked";
  return decision;
}

/// Leaves the best alternatives, the one that was decided on first.
void ApplyChoices::keepSeveral(kernel::ChoiceOp choice,
                               const Decision &decision, const Ranking &ranking,
                               const std::string &key) {
  llvm::SetVector<unsigned> order;
  order.insert(decision.number);
  for (const Selection &one : decision.selections)
    order.insert(one.number);
  for (unsigned number : ranking.order)
    if (order.size() < alternatives)
      order.insert(number);
  OpBuilder builder(choice);
  SmallVector<Attribute> names;
  for (unsigned number : order)
    names.push_back(choice.getAlgorithms()[number]);
  auto kept = kernel::ChoiceOp::create(
      builder, choice.getLoc(), choice.getSymName(),
      builder.getArrayAttr(names), unsigned(order.size()));
  kept->setAttr(lock::kKeyAttr, builder.getStringAttr(key));
  if (!decision.selections.empty())
    kept->setAttr(kernel::kSelectedAttr, describeSelections(choice, decision));
  for (auto [region, number] : llvm::zip(kept.getAlternatives(), order))
    region.takeBody(choice.getAlternatives()[number]);
  choice.erase();
  ++numChoices;
}

void ApplyChoices::take(kernel::ChoiceOp choice, const Decision &decision) {
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
  model::LaunchCosts costs(symbols, getTargetInfo(module), numerics == "fast");
  FailureOr<lock::Lock> given =
      lock::read(lockFile, getTargetInfo(getOperation()).name, &getContext());
  if (failed(given))
    return signalPassFailure();
  locked = std::move(*given);
  if (failed(readForced()) || (!lenient && failed(checkForced())) ||
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
  if (!findChoices(module).empty()) {
    std::string own = keys.get(module);
    module->setAttr(kernel::kModelKeyAttr, builder.getStringAttr(own));
    if (advisor)
      advisor->enter(own);
  }
  WalkResult walk = module.walk([&](func::FuncOp function) {
    SmallVector<Attribute> taken = llvm::to_vector(findDecided(function));
    // One that is taken may hold further ones.
    while (kernel::ChoiceOp choice = findOpen(function)) {
      std::string key = keys.get(choice, symbols);
      Ranking ranking = rank(choice, costs, workspaceLimit);
      FailureOr<Decision> decision = decide(choice, key, ranking);
      if (failed(decision))
        return WalkResult::interrupt();
      auto around = choice->getParentOfType<kernel::ChoiceOp>();
      const bool canSelect = !around && !findForced(choice);
      if (!canSelect)
        decision->selections.clear();
      // What no program takes by itself was not decided for anybody.
      if (!around || around.getAlternatives().front().isAncestor(
                         choice->getParentRegion()))
        taken.push_back(describeTaken(choice, *decision, key));
      if (remarks)
        choice.emitRemark() << "@" << choice.getSymName() << " is "
                            << getAlgorithm(choice, decision->number) << ": "
                            << decision->reason;
      // Whoever named one wants no other.
      if (canSelect && (alternatives > 1 || !decision->selections.empty()))
        keepSeveral(choice, *decision, ranking, key);
      else
        take(choice, *decision);
    }
    if (!taken.empty())
      function->setAttr(kChoicesAttr, builder.getArrayAttr(taken));
    return WalkResult::advance();
  });
  if (walk.wasInterrupted())
    return signalPassFailure();
  eraseUnused(module, used.getArrayRef());
}

std::unique_ptr<Pass>
fusec::model::createApplyChoices(ApplyChoicesOptions options,
                                 lock::Advisor *advisor) {
  return std::make_unique<ApplyChoices>(std::move(options), advisor);
}
