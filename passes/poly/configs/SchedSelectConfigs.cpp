// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TargetInfo.h"
#include "passes/OptionWords.h"
#include "passes/lock/Advisor.h"
#include "passes/lock/GroupKey.h"
#include "passes/lock/Lock.h"
#include "passes/poly/Passes.h"
#include "passes/poly/Steps.h"
#include "passes/poly/configs/Configs.h"
#include "passes/poly/configs/GroupVariants.h"
#include "passes/poly/configs/RankedConfigs.h"
#include "passes/poly/configs/SerialReason.h"
#include "passes/poly/levels/Mapping.h"
#include "passes/poly/levels/SplitLoops.h"
#include "passes/poly/schedules/Propose.h"
#include "passes/poly/schedules/Proposers.h"
#include "passes/poly/tree/OuterBand.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "llvm/Support/FormatVariadic.h"
#include <atomic>

namespace fusec::poly {
#define GEN_PASS_DEF_SCHEDSELECTCONFIGS
#include "passes/poly/Passes.h.inc"
} // namespace fusec::poly

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ConfigAttr;
using fusec::sched::ScopOp;

namespace {

/// Remarks are made once, for the first of the target's instruction sets.
bool makesRemarks(ScopOp scop) {
  const TargetInfo &target = getTargetInfo(scop);
  return target.tiledFor == target.sets.front();
}

/// Says how much longer `scop` is expected to take than if its sums might be
/// added up in another order; `kept` is the best config in their own.
LogicalResult compareOrders(PolyContext &context, ScopOp scop,
                            const RankedConfig &kept) {
  scop.setOrdered(false);
  FailureOr<std::vector<RankedConfig>> best =
      chooseConfigs(ConfiguredGroup(context, scop), 1, /*reproducible=*/true);
  scop.setOrdered(true);
  if (failed(best))
    return failure();
  const RankedConfig &free = best->front();
  if (free.predicted < kept.predicted)
    scop.emitRemark(llvm::formatv(
        "its sums keep the order of their terms, and so it is expected to take "
        "{0:F1} times as long: {1}, instead of {2}",
        kept.predicted / free.predicted, kept.name, free.name));
  return success();
}

/// Warns of advice that is left.
void refuseAdvice(ScopOp scop, const Twine &reason) {
  scop.emitWarning() << "what a cache says of group @" << scop.getSymName()
                     << " does not fit it, and its default is taken: "
                     << reason;
}

/// The config of `entry`, settled; of advice that does not fit, `byDefault`. A
/// lock was written by hand, or for what another version made of the group.
FailureOr<SettledConfig> takeEntry(const ConfiguredGroup &group,
                                   const lock::Group &entry,
                                   const SettledConfig &byDefault,
                                   bool reproducible) {
  std::string refusal = findMisfit(group.poly, group.schedule, entry.config);
  if (std::string reason = explainIrreproducible(group.scop, entry.config);
      reproducible && !reason.empty())
    refusal = reason + "; --numerics=fast allows that";
  if (refusal.empty())
    if (auto settled = group.settle(entry.config, {}, refusal))
      return *settled;
  ScopOp scop = group.scop;
  if (entry.isAdvice) {
    refuseAdvice(scop, refusal);
    return byDefault;
  }
  std::string of = ("@" + scop.getSymName()).str();
  if (!entry.isa.empty())
    of += " for " + entry.isa;
  return lock::refuse(entry.loc,
                      "the config does not fit group " + of + ": " + refusal,
                      "change the line, or remove it for the default");
}

/// Sets the config, which is that of `entry` if there is one.
LogicalResult decide(PolyContext &context, ScopOp scop,
                     const lock::Group *entry, bool reproducible,
                     bool comparesOrders = false) {
  ConfiguredGroup group(context, scop);
  FailureOr<std::vector<RankedConfig>> best =
      chooseConfigs(group, 1, reproducible);
  if (failed(best))
    return failure();
  if (comparesOrders && scop.getOrdered() && makesRemarks(scop) &&
      failed(compareOrders(context, scop, best->front())))
    return failure();
  FailureOr<SettledConfig> settled = best->front().settled;
  ConfigAttr byDefault = settled->config;
  if (entry && !isOf(entry->config, byDefault))
    settled = takeEntry(group, *entry, *settled, reproducible);
  if (failed(settled))
    return failure();
  if (OuterBand(scop, group.schedule).size() == 0 &&
      settled->config.getSplit() == 0 && makesRemarks(scop))
    scop.emitRemark("runs on one ")
        << (byDefault.getLevel<sched::TeamLevelAttr>() ? "block" : "thread")
        << ": no loop around all statements is free of dependences";
  if (!settled->remark.empty() && makesRemarks(scop))
    scop.emitRemark(settled->remark);
  if (settled->config != byDefault)
    scop->setAttr(lock::kLockedAttr, UnitAttr::get(scop.getContext()));
  noteSingleTile(group.poly, group.schedule, settled->config);
  // A variant that isl was stopped with keeps its name.
  ConfigAttr before = scop.getConfigAttr();
  scop.setConfigAttr(before ? settled->config.withName(before.getName())
                            : settled->config);
  return success();
}

/// Lists in `others` the `count` cheapest configs of `scop` beside those that
/// are taken, each by its name as a variant.
LogicalResult listOthers(PolyContext &context, ScopOp scop,
                         ArrayRef<ConfigAttr> taken, unsigned count,
                         bool reproducible, std::vector<ConfigAttr> &others) {
  ConfiguredGroup group(context, scop);
  FailureOr<std::vector<RankedConfig>> best =
      chooseConfigs(group, count + taken.size(), reproducible);
  if (failed(best))
    return failure();
  for (const RankedConfig &one : *best)
    if (!llvm::is_contained(taken, one.settled.config) && others.size() < count)
      others.push_back(one.settled.config.withName(one.name));
  return success();
}

} // namespace

LogicalResult fusec::poly::selectConfig(PolyContext &context, ScopOp scop) {
  return decide(context, scop, /*entry=*/nullptr, /*reproducible=*/true);
}

namespace {

struct SchedSelectConfigsPass
    : fusec::poly::impl::SchedSelectConfigsBase<SchedSelectConfigsPass> {
  using SchedSelectConfigsBase::SchedSelectConfigsBase;
  SchedSelectConfigsPass(SchedSelectConfigsOptions options,
                         lock::Advisor *advisor)
      : SchedSelectConfigsBase(std::move(options)), advisor(advisor) {}

  LogicalResult initialize(MLIRContext *context) override {
    return checkWord(context, getArgument(), "numerics", numerics,
                     {"reproducible", "fast"});
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    FailureOr<lock::Lock> locked =
        lock::read(lockFile, getTargetInfo(getOperation()).name, &getContext());
    if (failed(locked))
      return signalPassFailure();
    lock::GroupKeys groupKeys(target);
    std::vector<Group> groups;
    for (ScopOp scop : getOperation().getOps<ScopOp>()) {
      if (scop.getConfigAttr())
        continue;
      if (!scop.getScheduleAttr()) {
        scop.emitOpError("has no schedule; run --sched-compute first");
        return signalPassFailure();
      }
      groups.push_back({scop, groupKeys.get(scop)});
    }
    if (advisor)
      advisor->enter(groupKeys.get(getOperation()));
    for (Group &group : groups) {
      group.scop->setAttr(lock::kKeyAttr,
                          StringAttr::get(&getContext(), group.key));
      for (const InstructionSet *set : getTargetInfo(group.scop).sets)
        group.advice.push_back(
            isSaid(group, *locked, set->name)
                ? std::vector<lock::Group>()
                : findAdvice(group.scop, group.key, set->name));
    }
    if (failed(makeVariants(groups, *locked)))
      return signalPassFailure();
    for (Group &group : groups) {
      StringAttr name = group.scop.getGroupAttr();
      symbols.remove(group.scop);
      arrangeVariants(name, group.variants, symbols);
      if (group.isLocked)
        group.variants.front()->setAttr(lock::kLockedAttr,
                                        UnitAttr::get(&getContext()));
    }
  }

private:
  /// Asked where a lock says nothing; may be null.
  lock::Advisor *advisor = nullptr;

  /// What is decided of a scop.
  struct Group {
    ScopOp scop;
    std::string key;
    /// For each instruction set.
    std::vector<std::vector<lock::Group>> advice = {};
    SmallVector<ScopOp> variants = {}; ///< in their order
    bool isLocked = false;
  };

  /// Whether a lock says what `group` takes on `isa`.
  static bool isSaid(const Group &group, const lock::Lock &locked,
                     StringRef isa) {
    return locked.findGroup(group.key, isa) ||
           !locked.findGroupsByThreads(group.key, isa).empty();
  }

  /// Makes the variants of all groups, on several threads: each in a module of
  /// its own within this one, as long as that takes, so that nothing that is
  /// common changes.
  LogicalResult makeVariants(std::vector<Group> &groups,
                             const lock::Lock &locked) {
    PolyContexts &contexts = getAnalysis<PolyContexts>();
    std::vector<std::pair<PolyContext *, ModuleOp>> own;
    for (Group &group : groups) {
      OpBuilder builder(group.scop);
      auto module = ModuleOp::create(builder, group.scop.getLoc());
      own.push_back({&contexts.get(group.scop), module});
      group.scop->moveBefore(module.getBody(), module.getBody()->end());
    }
    std::atomic<bool> allSucceed = true;
    parallelFor(&getContext(), 0, groups.size(), [&](size_t i) {
      if (failed(guarded(groups[i].scop, [&] {
            return makeVariants(*own[i].first, groups[i], locked);
          })))
        allSucceed = false;
    });
    for (auto [context, module] : own) {
      module->getBlock()->getOperations().splice(
          module->getIterator(), module.getBody()->getOperations());
      module.erase();
    }
    return success(allSucceed);
  }

  bool hasNaive() const { return variants > 1; }
  bool isReproducible() const { return numerics != "fast"; }

  /// What the advisor says of `scop` for the instruction set `isa`: for all
  /// numbers of threads, and for more of them.
  std::vector<lock::Group> findAdvice(ScopOp scop, const std::string &key,
                                      StringRef isa) {
    if (!advisor || scop.getProposer() == StringRef(kProgramOrder))
      return {};
    std::vector<lock::Group> all;
    for (const lock::Advice &one : advisor->advise(
             {lock::Subject::Kind::group, key, isa, scop.getSymName()})) {
      std::string refusal;
      std::optional<lock::Group> advice = lock::parseAdvice(
          one, getTargetInfo(scop).name, isa, &getContext(), refusal);
      if (advice && advice->proposer != scop.getProposer().value_or("")) {
        refusal = "it is for a schedule of proposer " + advice->proposer;
        advice.reset();
      }
      if (advice)
        all.push_back(*advice);
      else
        refuseAdvice(scop, refusal);
    }
    return all;
  }

  /// Adds the variants that ship beside that of `scop` and the naive one, for
  /// the same instruction sets. Where isl is stopped, there are none.
  void addOthers(PolyContext &context, ScopOp scop, ArrayRef<ScopOp> selected,
                 SmallVector<ScopOp> &others) {
    if (variants <= 2 || scop.getProposer() == StringRef(kProgramOrder))
      return;
    SmallVector<ConfigAttr> taken = {scop.getConfigAttr()};
    for (ScopOp one : selected)
      if (!one.getIsa() || !scop.getIsa() || one.getIsa() == scop.getIsa())
        taken.push_back(one.getConfigAttr());
    std::vector<ConfigAttr> configs;
    std::optional<LogicalResult> listed = runStep(
        context, scop, IslLimit::of(operations, limit),
        "choosing further configs", [&](PolyContext &context, ScopOp op) {
          return listOthers(context, op, taken, variants - 2,
                            isReproducible() && !anyVariants, configs);
        });
    if (!listed || failed(*listed))
      return;
    for (ConfigAttr config : configs) {
      ScopOp other = cloneBehind(scop);
      other.setConfigAttr(config);
      others.push_back(other);
    }
  }

  /// Whether the naive variant is the default that `entry` asks for.
  bool isNaive(const lock::Group *entry) const {
    return hasNaive() && entry && entry->variant == "naive";
  }

  /// Adds what sessions of more threads take in place of the default of
  /// `isa`, which is `base` or the naive variant, as `entries` say.
  LogicalResult selectByThreads(PolyContext &context, ScopOp base,
                                StringRef isa, bool isNaiveBefore,
                                ArrayRef<const lock::Group *> entries,
                                SmallVector<Selection> &selections) {
    ScopOp before = base;
    for (const lock::Group *entry : entries) {
      ScopOp other = cloneForConfig(base);
      other.setIsa(isa);
      if (failed(select(context, other, entry)))
        return failure();
      other->removeAttr(lock::kLockedAttr);
      bool changes = isNaive(entry) != isNaiveBefore ||
                     (!isNaive(entry) && !takesSame(other, before));
      if (changes)
        selections.push_back(
            {isa, entry->threads, isNaive(entry) ? ScopOp() : other});
      if (!changes || isNaive(entry))
        other.erase();
      else
        before = other;
      isNaiveBefore = isNaive(entry);
    }
    return success();
  }

  LogicalResult select(PolyContext &context, ScopOp scop,
                       const lock::Group *entry) {
    auto decideBy = [&](PolyContext &context, ScopOp op) {
      return decide(context, op, entry, isReproducible(), comparesOrders);
    };
    return runOrFallBack(context, scop, IslLimit::of(operations, limit),
                         "choosing a config", StepsBefore::config, decideBy);
  }

  /// Makes a variant for each instruction set of the target, or one for all of
  /// them where they take the same, `naive`, and others, as many as are asked
  /// for. The default of a set is the first that serves it.
  LogicalResult makeVariants(PolyContext &context, Group &group,
                             const lock::Lock &locked) {
    ScopOp scop = group.scop;
    scop.setGroupAttr(scop.getSymNameAttr());
    SmallVector<ScopOp> first, behindNaive, all;
    SmallVector<Selection> selections;
    bool isLocked = false;
    for (auto [set, advice] :
         llvm::zip_equal(getTargetInfo(scop).sets, group.advice)) {
      const lock::Group *entry = locked.findGroup(group.key, set->name);
      SmallVector<const lock::Group *> byThreads =
          locked.findGroupsByThreads(group.key, set->name);
      for (const lock::Group &one : advice)
        if (one.threads)
          byThreads.push_back(&one);
        else
          entry = &one;
      ScopOp own = all.empty() ? scop : cloneForConfig(scop);
      own.setIsa(set->name);
      // What is for all of them is as the first one sees it. What another one
      // would take only tells whether that makes a difference.
      bool isTaken = !all.empty() && entry && entry->isa.empty();
      if (failed(select(context, own, isTaken ? nullptr : entry)))
        return failure();
      isLocked |= own->removeAttr(lock::kLockedAttr) != nullptr;
      if (failed(selectByThreads(context, isTaken ? scop : own, set->name,
                                 isNaive(entry), byThreads, selections)))
        return failure();
      if (isTaken) {
        isLocked |= !takesSame(own, scop);
        own.erase();
        continue;
      }
      (isNaive(entry) ? behindNaive : first).push_back(own);
      all.push_back(own);
    }
    isLocked |= !behindNaive.empty();
    if ((first.empty() || behindNaive.empty()) &&
        llvm::all_of(all, [&](ScopOp own) { return takesSame(own, scop); })) {
      for (ScopOp own : ArrayRef(all).drop_front())
        own.erase();
      scop.removeIsaAttr();
      (first.empty() ? behindNaive : first).assign({scop});
    }
    SmallVector<ScopOp> defaults = first;
    defaults.append(behindNaive);
    ScopOp naive = hasNaive() ? makeNaive(scop) : ScopOp();
    SmallVector<ScopOp> selected = placeSelections(defaults, naive, selections);
    SmallVector<ScopOp> others;
    for (ScopOp own : first)
      addOthers(context, own, selected, others);
    nameSelected(selected);
    if (naive)
      first.push_back(naive);
    for (ArrayRef<ScopOp> more :
         {ArrayRef(behindNaive), ArrayRef(selected), ArrayRef(others)})
      first.append(more.begin(), more.end());
    group.variants = first;
    group.isLocked = isLocked || !selections.empty();
    return success();
  }
};

} // namespace

std::unique_ptr<Pass>
fusec::poly::createSchedSelectConfigs(SchedSelectConfigsOptions options,
                                      lock::Advisor *advisor) {
  return std::make_unique<SchedSelectConfigsPass>(std::move(options), advisor);
}
