// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --fuse-aggregate: see Passes.td and README.md.
#include "dialects/TargetInfo.h"
#include "passes/RefuseComposites.h"
#include "passes/fusion/Clusters.h"
#include "passes/fusion/Passes.h"
#include "passes/fusion/Refusals.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace fusec::fuse {
#define GEN_PASS_DEF_AGGREGATE
#include "passes/fusion/Passes.h.inc"
} // namespace fusec::fuse

using namespace mlir;
using namespace fusec;
using namespace fusec::fuse;

/// The blocks that operations are grouped in: the function's and those of
/// control flow, outer ones first.
static SmallVector<Block *> getBlocks(func::FuncOp function) {
  SmallVector<Block *> blocks;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<PrimitiveOpInterface, GroupOp>(op))
      return WalkResult::skip();
    for (Region &region : op->getRegions())
      for (Block &block : region)
        blocks.push_back(&block);
    return WalkResult::advance();
  });
  return blocks;
}

namespace {
struct AggregatePass : public fusec::fuse::impl::AggregateBase<AggregatePass> {
  using AggregateBase::AggregateBase;

  void runOnOperation() override {
    if (failed(refuseComposites(getOperation(), "forming groups")))
      return signalPassFailure();
    getOperation()->walk([&](func::FuncOp function) {
      llvm::StringSet<> names;
      function->walk([&](GroupOp group) { names.insert(group.getSymName()); });
      // Outer blocks first: they hand cheap producers down to their readers.
      SmallVector<Block *> blocks = getBlocks(function);
      for (Block *block : blocks)
        aggregate(*block, names);
    });
  }

  void aggregate(Block &block, llvm::StringSet<> &names) {
    BodyInfos infos;
    sinkCheapProducers(block, infos);
    GroupLimits limits;
    limits.mostCounted = maxOperations;
    Clusters clusters(block, infos, limits);
    clusters.grow();
    clusters.fuseHorizontally(
        getTargetInfo(block.getParentOp()).getSmallPoints());
    SmallVector<Refusal> refusals;
    if (remarks)
      refusals = findRefusals(block, clusters);
    clusters.reorder();
    SmallVector<GroupOp> groups = outlineGroups(clusters.getGroups(), names);
    numGroups += groups.size();
    reportRefusals(refusals);
    shareWithinGroups(groups);
  }
};
} // namespace
