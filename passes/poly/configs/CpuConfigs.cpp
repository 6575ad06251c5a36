// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/CpuConfigs.h"

#include "passes/poly/levels/Streams.h"

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::StmtOp;

namespace fusec::poly {

void addForCpu(const ScheduledScop &group, ConfigSpace &space, StringRef family,
               const CpuDecision &decision, double cost) {
  MLIRContext *context = group.scop.getContext();
  auto add = [&](ArrayRef<int64_t> prefetch, ArrayRef<int64_t> stream,
                 double predicted) {
    auto config = ConfigAttr::of(
        context, "default",
        {sched::CacheLevelAttr::get(context, decision.blocks, decision.depth,
                                    prefetch, stream),
         sched::RegistersLevelAttr::get(
             context, decision.tile, SmallVector<int64_t>(decision.order),
             decision.columns, decision.unroll, decision.accumulators),
         sched::UnitLevelAttr::get(context, group.target.lanes, /*along=*/{},
                                   /*products=*/{})});
    space.insert({config, family, decision.along, predicted});
  };
  double predicted = cost * group.target.costs.simple;
  add(decision.prefetch, {},
      predicted + getOwnershipCost(group.scop, group.streams));
  if (group.streams.empty())
    return;
  // What goes past the caches is not to be fetched.
  SmallVector<int64_t> fetched(decision.prefetch);
  llvm::erase_if(fetched, [&](int64_t argument) {
    return llvm::is_contained(group.streams, argument);
  });
  add(fetched, group.streams, predicted);
}

SmallVector<int64_t> getRowCounts(int64_t extent, int64_t most) {
  SmallVector<int64_t> counts;
  int64_t first = std::max<int64_t>(1, std::min(extent, most));
  for (int64_t rows = first; rows >= (first + 1) / 2; --rows)
    counts.push_back(rows);
  llvm::sort(counts, [&](int64_t a, int64_t b) {
    return std::tuple(countTiles(extent, a), extent % a != 0, -a) <
           std::tuple(countTiles(extent, b), extent % b != 0, -b);
  });
  return counts;
}

int64_t countCopies(StmtOp stmt, int64_t most) {
  int64_t copies = 1;
  for (int64_t dim : llvm::reverse(stmt.getReduced())) {
    int64_t extent = stmt.getExtents()[dim];
    if (extent > kMaxUnrolled || copies * extent > most)
      break;
    copies *= std::max<int64_t>(1, extent);
  }
  return copies;
}

} // namespace fusec::poly
