// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TargetInfo.h"
#include "passes/lock/GroupKey.h"
#include "passes/lock/Lock.h"
#include "passes/poly/Configs.h"
#include "passes/poly/Lanes.h"
#include "passes/poly/OuterBand.h"
#include "passes/poly/Passes.h"
#include "passes/poly/Propose.h"
#include "passes/poly/Steps.h"

#include "mlir/IR/SymbolTable.h"
#include "llvm/Support/MathExtras.h"

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

/// What the configs of a scop are settled with.
struct Group {
  Group(IslContext &context, ScopOp scop)
      : scop(scop), schedule(getSchedule(context.get(), scop)),
        poly(context.get(), scop), dependences(poly.getDependences()) {}

  std::optional<ConfigAttr> settle(ConfigAttr config,
                                   std::optional<unsigned> along,
                                   std::string &refusal) const {
    auto settled = fusec::poly::settle(poly, schedule, config, along,
                                       dependences, refusal);
    return settled ? std::optional(settled->config) : std::nullopt;
  }

  ScopOp scop;
  isl::schedule schedule;
  PolyScop poly;
  Dependences dependences;
};

/// The config of the group, by itself: the cheapest that its schedule takes.
ConfigAttr chooseConfig(const Group &group) {
  std::string refusal;
  for (const Candidate &candidate :
       enumerateConfigs(group.poly, group.schedule).candidates)
    if (auto config = group.settle(candidate.config, candidate.along, refusal))
      return *config;
  llvm_unreachable("loops as they are need no tiles");
}

/// The config that a lock has for the group, settled. The lock was written by
/// hand, or for what another version made of the group.
FailureOr<ConfigAttr> takeLocked(const Group &group, const lock::Group &entry) {
  ScopOp scop = group.scop;
  ArrayRef<int64_t> tile = entry.config.getTile();
  OuterBand band(scop, group.schedule);
  int64_t lanes = getTargetInfo(scop).lanes;
  auto refuse = [&](const Twine &reason) {
    return lock::refuse(entry.loc,
                        "the config does not fit group @" + scop.getSymName() +
                            ": " + reason,
                        "change the line, or remove it for the default");
  };
  if (tile.size() != band.size())
    return refuse("it has " + Twine(tile.size()) + " tile sizes for " +
                  Twine(band.size()) + " loops");
  if (int64_t vector = entry.config.getVector(); vector != 1 && vector != lanes)
    return refuse("vector is 1 or " + Twine(lanes) + ", not " + Twine(vector));
  for (auto [m, size] : llvm::enumerate(tile)) {
    int64_t extent = band.getExtent(m);
    int64_t most = std::max<int64_t>(
        1, llvm::alignTo(std::max<int64_t>(0, extent), lanes));
    if (size > most)
      return refuse("tile size " + Twine(size) + " is more than " +
                    Twine(most) + ", for a loop of " + Twine(extent));
  }
  if (ArrayRef<int64_t> of = entry.config.getLanes();
      !of.empty() && of.size() != group.poly.getStmts().size())
    return refuse("it has lanes of " + Twine(of.size()) +
                  " statements, and the group has " +
                  Twine(group.poly.getStmts().size()));
  std::string refusal;
  if (auto config = group.settle(entry.config, {}, refusal))
    return *config;
  return refuse(refusal);
}

/// Whether a schedule, which may be written by hand, is of the scop's points.
LogicalResult checkDomain(const Group &group) {
  if (group.schedule.domain().is_equal(group.poly.getDomain()))
    return success();
  ScopOp scop = group.scop;
  return scop.emitOpError("has a schedule of other points than its statements "
                          "have; run --sched-compute again");
}

} // namespace

ConfigAttr fusec::poly::makeSequential(MLIRContext *context, StringRef name) {
  return ConfigAttr::get(context, name, /*tile=*/{}, /*order=*/{},
                         /*vector=*/1, /*columns=*/0, /*lanes=*/{});
}

LogicalResult fusec::poly::selectConfig(IslContext &context, ScopOp scop) {
  Group group(context, scop);
  if (failed(checkDomain(group)))
    return failure();
  if (OuterBand(scop, group.schedule).size() == 0)
    scop.emitRemark("runs on one thread: no loop around all statements is "
                    "free of dependences");
  scop.setConfigAttr(chooseConfig(group));
  return success();
}

namespace {

struct SchedSelectConfigsPass
    : fusec::poly::impl::SchedSelectConfigsBase<SchedSelectConfigsPass> {
  using SchedSelectConfigsBase::SchedSelectConfigsBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    FailureOr<lock::Lock> locked =
        lock::read(lockFile, getTargetInfo(getOperation()).name, &getContext());
    if (failed(locked))
      return signalPassFailure();
    for (ScopOp scop :
         llvm::make_early_inc_range(getOperation().getOps<ScopOp>())) {
      if (scop.getConfigAttr())
        continue;
      if (!scop.getScheduleAttr()) {
        scop.emitOpError("has no schedule; run --sched-compute first");
        return signalPassFailure();
      }
      std::string key = lock::getGroupKey(scop, target);
      const lock::Group *entry = locked->findGroup(key);
      scop->setAttr(lock::kKeyAttr, StringAttr::get(&getContext(), key));
      LogicalResult result = guarded(scop, [&] {
        auto selectFor = [&](IslContext &context, ScopOp op) {
          return select(context, op, entry);
        };
        if (failed(runOrFallBack(scop, IslLimit::of(operations, limit),
                                 "choosing a config", StepsBefore::config,
                                 selectFor)))
          return failure();
        if (naive)
          addNaive(scop, entry && entry->variant == "naive", symbols);
        return success();
      });
      if (failed(result))
        return signalPassFailure();
    }
  }

  static LogicalResult select(IslContext &context, ScopOp scop,
                              const lock::Group *entry) {
    if (failed(selectConfig(context, scop)))
      return failure();
    scop.setGroupAttr(scop.getSymNameAttr());
    if (!entry)
      return success();
    FailureOr<ConfigAttr> locked = takeLocked(Group(context, scop), *entry);
    if (failed(locked))
      return failure();
    if (*locked == scop.getConfigAttr())
      return success();
    scop.setConfigAttr(*locked);
    scop->setAttr(lock::kLockedAttr, UnitAttr::get(scop.getContext()));
    return success();
  }

  /// Adds the variant `naive` of a group, as its default if `first`: that is
  /// the one that has the group's name.
  static void addNaive(ScopOp scop, bool first, SymbolTable &symbols) {
    auto clone = cast<ScopOp>(scop->clone());
    StringRef group = *scop.getGroup();
    clone.setProposer(StringRef("program order"));
    clone.setConfigAttr(makeSequential(scop.getContext(), "naive"));
    IslContext context;
    PolyScop poly(context.get(), clone);
    setSchedule(clone, proposeNaively(poly));
    clone->removeAttr(lock::kLockedAttr);
    if (!first) {
      clone.setSymName((group + "_naive").str());
      symbols.insert(clone, std::next(Block::iterator(scop)));
      return;
    }
    symbols.remove(scop);
    scop.setSymName((group + "_default").str());
    scop->removeAttr(lock::kLockedAttr);
    clone->setAttr(lock::kLockedAttr, UnitAttr::get(scop.getContext()));
    symbols.insert(clone, std::next(Block::iterator(scop)));
    symbols.insert(scop);
  }
};

} // namespace
