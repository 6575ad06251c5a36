// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/Algorithms.h"

#include "dialects/TargetInfo.h"
#include "passes/poly/Steps.h"
#include "passes/poly/arrays/Locals.h"
#include "passes/poly/configs/Configs.h"
#include "passes/poly/configs/Lanes.h"
#include "passes/poly/configs/SimilarTiles.h"
#include "passes/poly/levels/SplitLoops.h"
#include "passes/poly/schedules/Propose.h"
#include "passes/poly/tree/CostModel.h"

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
        schedule(getSchedule(context.get(), scop)), similar(poly, schedule) {}

  ScopOp scop;
  PolyScop poly;
  isl::schedule schedule;
  /// What is known of configs by now.
  SimilarTiles similar;
  /// Whether those of a family keep the order of sums, which sizes of tiles do
  /// not change, and what that is proven by.
  std::map<std::tuple<StringRef, std::optional<unsigned>, int64_t>, bool>
      keptOrders;
  std::optional<Dependences> ordered;
};
} // namespace

/// The arrays that are local in a kernel of `poly` that is made as `settled`
/// says.
static FailureOr<std::vector<LocalMark>> findLocals(const PolyScop &poly,
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
  return findLocals(scop, *settled.placed);
}

/// Settles what `candidate` of `group` leaves open in `algorithm`: its config
/// and workspace. False, with why in `refusal`, if the schedule of the group
/// does not take it.
static bool settle(Group &group, const Candidate &candidate,
                   Algorithm &algorithm, std::string &refusal) {
  if (auto known = group.similar.find(candidate.config)) {
    refusal = known->refusal;
    algorithm.config = candidate.config;
    algorithm.workspace = known->workspace;
    return refusal.empty();
  }
  auto settled = settle(group.poly, group.schedule, candidate.config,
                        candidate.along, group.poly.getDependences(), refusal);
  if (!settled)
    return false;
  FailureOr<std::vector<LocalMark>> locals = findLocals(group.poly, *settled);
  if (failed(locals)) {
    refusal = "its arrays cannot be placed";
    return false;
  }
  algorithm.config = settled->config;
  algorithm.workspace = planWorkspace(group.scop, *locals).bytes;
  if (settled->config == candidate.config)
    group.similar.add(candidate.config, *locals, algorithm.workspace);
  return true;
}

/// Whether `config`, settled of `candidate`, adds the terms of each sum of
/// floats one after the other in the order of the model.
static bool keepsOrder(Group &group, const Candidate &candidate,
                       ConfigAttr config) {
  ScopOp scop = group.scop;
  if (!scop.reducesFloats() || scop.getOrdered())
    return true;
  if (config.getSplit())
    return false;
  auto [known, isNew] = group.keptOrders.try_emplace(
      std::tuple(candidate.family, candidate.along, config.getWidth()));
  if (isNew) {
    if (!group.ordered)
      group.ordered = group.poly.getOrderedDependences();
    std::string refusal;
    known->second = settle(group.poly, group.schedule, config, candidate.along,
                           *group.ordered, refusal)
                        .has_value();
  }
  return known->second;
}

/// The algorithm of `group` that is made as `candidate` says. Nothing, with why
/// in `refusal`, if its schedule does not take it.
static std::optional<Algorithm> make(Group &group, const Candidate &candidate,
                                     std::string &refusal) {
  Algorithm algorithm;
  if (!settle(group, candidate, algorithm, refusal))
    return std::nullopt;
  algorithm.name = candidate.getName();
  algorithm.family = candidate.family.str();
  algorithm.reproducible =
      explainIrreproducible(group.scop, algorithm.config).empty();
  algorithm.batchInvariant = keepsOrder(group, candidate, algorithm.config);
  algorithm.predicted =
      predictSettled(group.poly, group.schedule, candidate, algorithm.config);
  return algorithm;
}

static FailureOr<Algorithm> describeNaive(PolyContext &context, ScopOp scop) {
  Algorithm algorithm;
  algorithm.name = algorithm.family = "naive";
  algorithm.naive = true;
  PolyScop poly(context, scop);
  isl::schedule inOrder = proposeNaively(poly);
  algorithm.config = makeNaiveConfig(poly, inOrder);
  FailureOr<std::vector<LocalMark>> locals =
      findLocals(poly, {algorithm.config, inOrder, /*remark=*/""});
  if (failed(locals))
    return failure();
  algorithm.workspace = planWorkspace(scop, *locals).bytes;
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
