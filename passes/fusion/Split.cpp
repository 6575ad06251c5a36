// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --fuse-split: see Passes.td and README.md.
#include "dialects/TargetInfo.h"
#include "passes/fusion/Clusters.h"
#include "passes/fusion/Passes.h"
#include "passes/fusion/Refusals.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fusec::fuse {
#define GEN_PASS_DEF_SPLIT
#include "passes/fusion/Passes.h.inc"
} // namespace fusec::fuse

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

using Ops = SmallVector<Operation *>;

const Rule fuse::kGroupsRule = {"fusion.groups", RuleArea::Compute, /*level=*/2,
                                Bits::Changed,
                                "Computes several operations in one kernel."};

static Ops getOps(GroupOp group) {
  Ops ops;
  for (Operation &op : group.getBody().front().without_terminator())
    ops.push_back(&op);
  return ops;
}

/// Holds a group against the list in README.md.
static LogicalResult checkGroup(GroupOp group) {
  for (Operation *op : getOps(group)) {
    auto constant = dyn_cast<ConstantOp>(op);
    bool scalar = constant && getTensorType(constant).getRank() == 0;
    if (!scalar && !isa<PrimitiveOpInterface>(op)) {
      InFlightDiagnostic diagnostic =
          group.emitOpError("holds an operation that is no primitive; groups "
                            "are formed by --fuse-aggregate");
      diagnostic.attachNote(op->getLoc()) << "this operation";
      return diagnostic;
    }
  }
  BodyInfos infos;
  if (std::optional<std::string> reason =
          FusionRules(infos, GroupLimits()).refuse(getOps(group)))
    return group.emitOpError() << "cannot become one loop nest: " << *reason;
  return success();
}

/// Puts the group's operations back in place of it.
static void dissolve(GroupOp group) {
  Block &body = group.getBody().front();
  for (auto [argument, operand] :
       llvm::zip(body.getArguments(), group.getOperands()))
    argument.replaceAllUsesWith(operand);
  auto yield = cast<YieldOp>(body.getTerminator());
  for (auto [result, value] : llvm::zip(group.getResults(), yield.getValues()))
    result.replaceAllUsesWith(value);
  for (Operation *op : getOps(group))
    op->moveBefore(group);
  group.erase();
}

/// Rows that give all cores work. The threads of a block share one, and keep as
/// many cores busy as they have warps.
static int64_t countRows(const TargetInfo &target) {
  if (!target.hasBlocks())
    return target.cores;
  const Multiprocessor &mp = *target.multiprocessor;
  return std::max<int64_t>(1, target.cores * mp.warp / mp.blockThreads);
}

namespace {
struct SplitPass : public fusec::fuse::impl::SplitBase<SplitPass> {
  using SplitBase::SplitBase;

  void runOnOperation() override {
    bool failed = false;
    getOperation()->walk(
        [&](GroupOp group) { failed |= mlir::failed(checkGroup(group)); });
    if (failed)
      return signalPassFailure();
    getOperation()->walk([&](func::FuncOp function) {
      llvm::StringSet<> names;
      SmallVector<GroupOp> groups;
      function->walk([&](GroupOp group) {
        names.insert(group.getSymName());
        groups.push_back(group);
      });
      for (GroupOp group : groups)
        split(group, names);
    });
  }

  void split(GroupOp group, llvm::StringSet<> &names) {
    GroupLimits limits;
    const TargetInfo &target = getTargetInfo(group);
    limits.minParallel = minParallel < 0 ? countRows(target) : minParallel;
    limits.weighs = true;
    limits.longReduction = target.getLongReduction();
    limits.maxOperations = limits.mostCounted = maxOperations;
    limits.maxStatements = maxStatements;
    limits.apart = apart;
    limits.maxOperands = maxOperands;
    if (auto apart = group->getAttrOfType<StringAttr>(kRowsApartAttr))
      limits.rowsApart = apart.str();
    std::optional<std::string> reason;
    StringRef hint;
    {
      BodyInfos infos;
      reason = FusionRules(infos, limits).refuse(getOps(group));
      if (!reason)
        return;
      GroupLimits parallel = limits;
      parallel.minParallel = 0;
      parallel.weighs = false;
      // Of a sum over the batch there are no more with another batch.
      bool hasBatch = llvm::any_of(getOps(group), [](Operation *op) {
        auto primitive = dyn_cast<PrimitiveOpInterface>(op);
        if (!primitive || !primitive.hasReduction())
          return false;
        AffineMap read = primitive.getOperandMap(0);
        return read.getNumResults() > 0 &&
               primitive.getResultMap(0)
                   .getResultPosition(read.getResult(0))
                   .has_value();
      });
      if (hasBatch && !FusionRules(infos, parallel).refuse(getOps(group)))
        hint = "with a larger batch there is more to run in parallel, and the "
               "group stays whole";
    }
    std::string name = group.getSymName().str();
    Location loc = group.getLoc();
    Block &block = *group->getBlock();
    names.erase(name);
    dissolve(group);
    BodyInfos infos;
    sinkCheapProducers(block, infos);
    Clusters clusters(block, infos, limits);
    clusters.grow();
    clusters.fuseHorizontally(target.getSmallPoints());
    clusters.reorder();
    SmallVector<Ops> parts = clusters.getGroups();
    shareWithinGroups(outlineGroups(parts, names));
    if (parts.size() > 1)
      ++numSplit;
    if (!remarks)
      return;
    if (parts.size() == 1)
      reportGroup(loc, name, "not cut although ",
                  *reason + ": no part of it can stand alone", hint);
    else
      reportGroup(loc, name,
                  "cut into " + Twine(parts.size()) + " groups: ", *reason,
                  hint);
  }
};
} // namespace
