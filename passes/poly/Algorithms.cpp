// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/Algorithms.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/Configs.h"
#include "passes/poly/CostModel.h"
#include "passes/poly/Lanes.h"
#include "passes/poly/Locals.h"
#include "passes/poly/Propose.h"
#include "passes/poly/Steps.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ConfigAttr;
using fusec::sched::ScopOp;

/// Bytes of workspace that a kernel with the schedule and config of `scop`
/// takes.
static FailureOr<int64_t> findWorkspace(IslContext &context, ScopOp scop) {
  if (failed(promoteArrays(context, scop)))
    return failure();
  FailureOr<std::vector<LocalMark>> locals =
      findLocals(scop, getSchedule(context.get(), scop));
  if (failed(locals))
    return failure();
  return planWorkspace(scop, *locals).bytes;
}

/// Makes `algorithm`, of which config, name and prediction are known, of `scop`
/// as `candidate` says. Nothing, with why in `refusal`, if the scop's schedule
/// does not take it.
static std::optional<Algorithm> make(IslContext &context, ScopOp scop,
                                     const Candidate &candidate,
                                     std::string &refusal) {
  PolyScop poly(context.get(), scop);
  auto settled =
      settle(poly, getSchedule(context.get(), scop), candidate.config,
             candidate.along, poly.getDependences(), refusal);
  if (!settled)
    return std::nullopt;
  auto copy = cast<ScopOp>(OpBuilder(scop).clone(*scop));
  llvm::scope_exit drop([&] { copy.erase(); });
  copy.setConfigAttr(settled->config);
  setSchedule(copy, settled->schedule);
  FailureOr<int64_t> workspace = findWorkspace(context, copy);
  if (failed(workspace)) {
    refusal = "its arrays cannot be placed";
    return std::nullopt;
  }
  Algorithm algorithm;
  algorithm.name = candidate.getName();
  algorithm.family = candidate.family.str();
  algorithm.config = settled->config;
  algorithm.workspace = *workspace;
  algorithm.predicted = predictSettled(poly, getSchedule(context.get(), scop),
                                       candidate, settled->config);
  return algorithm;
}

/// Statements one after the other, a point at a time.
static FailureOr<Algorithm> makeNaive(IslContext &context, ScopOp scop) {
  auto copy = cast<ScopOp>(OpBuilder(scop).clone(*scop));
  llvm::scope_exit drop([&] { copy.erase(); });
  Algorithm algorithm;
  algorithm.name = algorithm.family = "naive";
  algorithm.naive = true;
  algorithm.config = makeSequential(scop.getContext(), "naive");
  copy.setConfigAttr(algorithm.config);
  PolyScop poly(context.get(), copy);
  setSchedule(copy, proposeNaively(poly));
  FailureOr<int64_t> workspace = findWorkspace(context, copy);
  if (failed(workspace))
    return failure();
  algorithm.workspace = *workspace;
  for (const PolyStmt &stmt : poly.getStmts())
    algorithm.predicted +=
        getScalarCost(scop, stmt.op) * getTargetInfo(scop).costs.simple;
  return algorithm;
}

/// Keeps the cheapest first, of equals the one that came first.
static void insert(Algorithm algorithm, std::vector<Algorithm> &algorithms) {
  auto place = llvm::upper_bound(algorithms, algorithm,
                                 [](const Algorithm &a, const Algorithm &b) {
                                   return a.predicted < b.predicted;
                                 });
  algorithms.insert(place, std::move(algorithm));
}

static FailureOr<ConfigSpace> listCandidates(ScopOp scop) {
  IslContext context;
  PolyScop poly(context.get(), scop);
  isl::schedule schedule = getSchedule(context.get(), scop);
  if (schedule.is_null() || !schedule.domain().is_equal(poly.getDomain()))
    return scop.emitOpError("has no schedule of the points of its statements; "
                            "run --sched-compute first");
  return enumerateConfigs(poly, schedule);
}

FailureOr<Algorithms> fusec::poly::listAlgorithms(ScopOp scop) {
  Algorithms result;
  LogicalResult listed = guarded(scop, [&]() -> LogicalResult {
    FailureOr<ConfigSpace> space = listCandidates(scop);
    if (failed(space))
      return failure();
    result.refused = space->refused;
    llvm::SmallDenseSet<Attribute> known;
    for (const Candidate &candidate : space->candidates) {
      std::string refusal = "isl did not end its proof within its limit";
      std::optional<Algorithm> algorithm;
      runStep(scop, IslLimit(), "listing " + candidate.getName(),
              [&](IslContext &context, ScopOp op) {
                algorithm = make(context, op, candidate, refusal);
                return success();
              });
      if (!algorithm)
        result.refused.push_back({candidate.getName(), refusal});
      else if (known.insert(algorithm->config).second)
        insert(std::move(*algorithm), result.algorithms);
    }
    FailureOr<Algorithm> naive = failure();
    runStep(scop, IslLimit(), "listing the naive one",
            [&](IslContext &context, ScopOp op) {
              naive = makeNaive(context, op);
              return success();
            });
    if (failed(naive))
      return failure();
    result.algorithms.push_back(std::move(*naive));
    return success();
  });
  if (failed(listed))
    return failure();
  return result;
}
