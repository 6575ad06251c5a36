// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/Algorithms.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/Configs.h"
#include "passes/poly/CostModel.h"
#include "passes/poly/Lanes.h"
#include "passes/poly/Locals.h"
#include "passes/poly/Propose.h"
#include "passes/poly/SplitLoops.h"
#include "passes/poly/Steps.h"

#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ConfigAttr;
using fusec::sched::ScopOp;

namespace {
/// What does not change with the config of a scop.
struct Group {
  Group(PolyContext &context, ScopOp scop)
      : scop(scop), poly(context, scop),
        schedule(getSchedule(context.get(), scop)) {}

  ScopOp scop;
  PolyScop poly;
  isl::schedule schedule;
};
} // namespace

/// Bytes of workspace that a kernel of `poly` takes as `settled` says.
static FailureOr<int64_t> findWorkspace(const PolyScop &poly,
                                        SettledConfig settled) {
  ScopOp scop = poly.getOp();
  llvm::scope_exit restore(
      [&, before = scop.getConfigAttr()] { scop.setConfigAttr(before); });
  scop.setConfigAttr(settled.config);
  if (!settled.placed)
    settled.placed = promoteArrays(poly, settled.schedule, settled.config,
                                   [](BlockArgument, const Twine &) {})
                         .schedule;
  if (!settled.placed)
    return failure();
  FailureOr<std::vector<LocalMark>> locals = findLocals(scop, *settled.placed);
  if (failed(locals))
    return failure();
  return planWorkspace(scop, *locals).bytes;
}

/// Makes `algorithm`, of which config, name and prediction are known, of
/// `group` as `candidate` says. Nothing, with why in `refusal`, if its schedule
/// does not take it.
static std::optional<Algorithm>
make(const Group &group, const Candidate &candidate, std::string &refusal) {
  auto settled = settle(group.poly, group.schedule, candidate.config,
                        candidate.along, group.poly.getDependences(), refusal);
  if (!settled)
    return std::nullopt;
  FailureOr<int64_t> workspace = findWorkspace(group.poly, *settled);
  if (failed(workspace)) {
    refusal = "its arrays cannot be placed";
    return std::nullopt;
  }
  Algorithm algorithm;
  algorithm.name = candidate.getName();
  algorithm.family = candidate.family.str();
  algorithm.config = settled->config;
  algorithm.reproducible = isReproducible(group.scop, settled->config);
  algorithm.workspace = *workspace;
  algorithm.predicted =
      predictSettled(group.poly, group.schedule, candidate, settled->config);
  return algorithm;
}

static FailureOr<Algorithm> describeNaive(PolyContext &context, ScopOp scop) {
  Algorithm algorithm;
  algorithm.name = algorithm.family = "naive";
  algorithm.naive = true;
  PolyScop poly(context, scop);
  isl::schedule inOrder = proposeNaively(poly);
  algorithm.config = makeNaiveConfig(poly, inOrder);
  FailureOr<int64_t> workspace =
      findWorkspace(poly, {algorithm.config, inOrder, /*remark=*/""});
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
static LogicalResult listTiled(PolyContext &context, ScopOp scop,
                               Algorithms &result) {
  FailureOr<ConfigSpace> space = listCandidates(scop);
  if (failed(space))
    return failure();
  result.refused = space->refused;
  llvm::SmallDenseSet<Attribute> known;
  // Where isl is stopped, nothing of its context may be used any more.
  std::optional<Group> group;
  for (const Candidate &candidate : space->candidates) {
    std::string refusal = "isl did not end its proof within its limit";
    std::optional<Algorithm> algorithm;
    bool ended = context.runWithin(IslLimit(), [&] {
      if (!group)
        group.emplace(context, scop);
      algorithm = make(*group, candidate, refusal);
    });
    if (!ended) {
      algorithm.reset();
      group.reset();
      context.renew();
      reportStopped(scop, "listing " + candidate.getName());
    }
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
static LogicalResult listForEach(PolyContext &context, ScopOp scop,
                                 Algorithms &result) {
  std::vector<Algorithms> lists;
  llvm::scope_exit restore(
      [&, isa = scop.getIsaAttr()] { scop.setIsaAttr(isa); });
  ArrayRef<const InstructionSet *> sets = getTargetInfo(scop).sets;
  for (const InstructionSet *set : sets) {
    scop.setIsa(set->name);
    if (failed(listTiled(context, scop, lists.emplace_back())))
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
  PolyContext context;
  LogicalResult listed = guarded(scop, [&]() -> LogicalResult {
    if (failed(listForEach(context, scop, result)))
      return failure();
    FailureOr<Algorithm> naive = failure();
    runStep(context, scop, IslLimit(), "listing the naive one",
            [&](PolyContext &context, ScopOp op) {
              naive = describeNaive(context, op);
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
