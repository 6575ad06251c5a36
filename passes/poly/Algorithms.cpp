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

/// Lists those with tiles, for the instruction set that `scop` is limited to.
static LogicalResult listTiled(ScopOp scop, Algorithms &result) {
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
  return success();
}

static bool isSame(const Algorithms &a, const Algorithms &b) {
  auto isSameOne = [](const Algorithm &one, const Algorithm &other) {
    return one.name == other.name && one.config == other.config &&
           one.predicted == other.predicted;
  };
  return llvm::equal(a.algorithms, b.algorithms, isSameOne);
}

/// The same for each instruction set of the target; once where it makes no
/// difference.
static LogicalResult listForEach(ScopOp scop, Algorithms &result) {
  std::vector<Algorithms> lists;
  llvm::scope_exit restore(
      [&, isa = scop.getIsaAttr()] { scop.setIsaAttr(isa); });
  ArrayRef<const InstructionSet *> sets = getTargetInfo(scop).sets;
  for (const InstructionSet *set : sets) {
    scop.setIsa(set->name);
    if (failed(listTiled(scop, lists.emplace_back())))
      return failure();
  }
  if (llvm::all_of(lists, [&](const Algorithms &list) {
        return isSame(list, lists.front());
      })) {
    result = std::move(lists.front());
    return success();
  }
  for (auto [set, list] : llvm::zip(sets, lists)) {
    for (Algorithm &algorithm : list.algorithms)
      result.algorithms.emplace_back(std::move(algorithm)).isa = set->name;
    for (RefusedAlgorithm &refused : list.refused)
      result.refused.emplace_back(std::move(refused)).isa = set->name;
  }
  return success();
}

FailureOr<Algorithms> fusec::poly::listAlgorithms(ScopOp scop) {
  Algorithms result;
  LogicalResult listed = guarded(scop, [&]() -> LogicalResult {
    if (failed(listForEach(scop, result)))
      return failure();
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
