// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/levels/Accumulators.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/tree/Carries.h"

#include <fmt/format.h>

using namespace mlir;
using fusec::sched::ConfigAttr;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace fusec::poly {

/// How many `stmt` can add to: what it selects is offered to one a lane.
static int64_t countVectors(StmtOp stmt, int64_t iterator) {
  if (llvm::any_of(getCarries(stmt), [](const StatementCarry &each) {
        return !kernel::getCombiner(each.carry);
      }))
    return 1;
  return std::max<int64_t>(1, stmt.getExtents()[iterator] /
                                  getTargetInfo(stmt).lanes);
}

int64_t countAccumulators(StmtOp stmt, int64_t reduced) {
  const TargetInfo &target = getTargetInfo(stmt);
  int64_t most = target.sets.front()->countInFlight(
      target.getVectorBytes(stmt.getLaneBytes()));
  return std::min(most, countVectors(stmt, reduced));
}

/// The most that `count` says of a statement that reduces along its lanes; 0 if
/// none does.
static int64_t
findMost(ScopOp scop, ConfigAttr config,
         llvm::function_ref<int64_t(StmtOp stmt, int64_t reduced)> count) {
  int64_t most = 0;
  for (auto [stmt, lanes] :
       llvm::zip(scop.getBody().getOps<StmtOp>(), config.getLanes()))
    if (llvm::is_contained(stmt.getReduced(), lanes))
      most = std::max(most, count(stmt, lanes));
  return most;
}

ConfigAttr withAccumulators(ConfigAttr config, int64_t accumulators) {
  return config.with(sched::RegistersLevelAttr::get(
      config.getContext(), config.getTile(), config.getOrder(),
      config.getColumns(), config.getUnroll(), accumulators));
}

ConfigAttr settleAccumulators(ScopOp scop, ConfigAttr config) {
  if (config.getAccumulators() > 0)
    return config;
  return withAccumulators(config, findMost(scop, config, countAccumulators));
}

std::string findAccumulatorMisfit(ScopOp scop, ConfigAttr config) {
  int64_t vectors = findMost(scop, config, countVectors);
  int64_t registers = getTargetInfo(scop).tiledFor->registers;
  int64_t most = std::min(vectors, registers);
  if (config.getAccumulators() <= most)
    return "";
  if (most == 0)
    return "it has accumulators, and no statement reduces along its lanes";
  return fmt::format("accumulators are up to {}, not {}: its longest reduction "
                     "has {} vectors, and there are {} registers",
                     most, config.getAccumulators(), vectors, registers);
}

} // namespace fusec::poly
