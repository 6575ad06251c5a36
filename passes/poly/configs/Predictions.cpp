// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/Predictions.h"

#include "passes/poly/Steps.h"
#include "passes/poly/configs/ConfigProposers.h"
#include "passes/poly/configs/RankedConfigs.h"
#include "passes/poly/tree/OuterBand.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;

/// The fraction of the work of `group` that the busiest core has.
static double getLargestShare(const ConfiguredGroup &group,
                              sched::ConfigAttr config) {
  const TargetInfo &target = getTargetInfo(group.scop);
  // What a GPU takes is what all of it takes.
  if (target.hasBlocks())
    return 1;
  OuterBand band(group.scop, group.schedule);
  double tasks = 1;
  for (auto [member, size] : llvm::enumerate(config.getTile()))
    tasks *= double(countTiles(band.getExtent(member), size));
  return target.getLargestShare(std::max<int64_t>(1, int64_t(tasks)));
}

FailureOr<double> fusec::poly::predictTime(ScopOp scop,
                                           const InstructionSet &set) {
  PolyContext context;
  double time = 0;
  llvm::scope_exit restore(
      [&, isa = scop.getIsaAttr()] { scop.setIsaAttr(isa); });
  scop.setIsa(set.name);
  auto ended = runStep(
      context, scop, IslLimit(), "predicting its time",
      [&](PolyContext &context, ScopOp op) -> LogicalResult {
        ConfiguredGroup group(context, op);
        auto best = chooseConfigs(group, 1, /*reproducible=*/true);
        if (failed(best))
          return failure();
        const RankedConfig &first = best->front();
        time = first.predicted * getLargestShare(group, first.settled.config);
        return success();
      });
  if (!ended || failed(*ended))
    return failure();
  return time;
}
