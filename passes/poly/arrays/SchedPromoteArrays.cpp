// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tree: adds a mark (Locals.h) above the deepest node that covers all accesses
// to a promoted array, and none of whose values passes from one iteration of
// the loops above to another. Where a reduction has blocks, a mark above its
// loops says that its tile accumulates to a copy.
#include "dialects/TargetInfo.h"
#include "passes/poly/Passes.h"
#include "passes/poly/Steps.h"
#include "passes/poly/arrays/Locals.h"
#include "passes/poly/arrays/SharedTiles.h"
#include "passes/poly/arrays/ThreadRows.h"
#include "passes/poly/arrays/TileCopies.h"
#include "passes/poly/tree/Bands.h"
#include "passes/poly/tree/CostModel.h"
#include "passes/poly/tree/LocalPlaces.h"
#include "passes/poly/tree/Strides.h"

#include <fmt/format.h>
#include <isl/schedule_node.h>

namespace fusec::poly {
#define GEN_PASS_DEF_SCHEDPROMOTEARRAYS
#include "passes/poly/Passes.h.inc"
} // namespace fusec::poly

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;
using fusec::sched::StmtOp;

namespace {

/// The iterator of each statement that runs on lanes.
std::map<std::string, unsigned> findLanes(const isl::schedule &schedule) {
  std::map<std::string, unsigned> lanes;
  schedule.root().foreach_descendant_top_down([&](isl::schedule_node node) {
    if (getMarkName(node) == kVectorMark &&
        node.child(0).isa<isl::schedule_node_band>())
      lanes.merge(
          getMemberIterators(node.child(0).as<isl::schedule_node_band>(), 0));
    return true;
  });
  return lanes;
}

/// The dimension of `array` that lanes run along in most of the instances that
/// access it, if they run along any.
std::optional<unsigned> findLaneDim(const PolyScop &poly, Value array,
                                    const isl::schedule &schedule) {
  std::map<std::string, unsigned> lanes = findLanes(schedule);
  SmallVector<double> instances(cast<MemRefType>(array.getType()).getRank());
  for (const PolyStmt &stmt : poly.getStmts()) {
    auto iterator = lanes.find(stmt.name);
    if (iterator == lanes.end())
      continue;
    for (const Access &access : getAccesses(stmt.op))
      for (auto [dim, expr] : llvm::enumerate(access.map.getResults()))
        if (access.memref == array && expr.isFunctionOfDim(iterator->second))
          instances[dim] += getInstances(stmt.op);
  }
  const double *most = llvm::max_element(instances);
  if (most == instances.end() || *most == 0)
    return std::nullopt;
  if (llvm::count(instances, 0) + 1 < int64_t(instances.size())) {
    ScopOp scop = poly.getOp();
    scop.emitRemark() << "lanes run along several dimensions of array "
                      << scop.getArrayName(array)
                      << ": statements other than those with most instances "
                         "access it in strides";
  }
  return most - instances.begin();
}

/// Whether one thread of a GPU runs all that stands at and below `node`.
bool isOfOneThread(const isl::schedule_node &node) {
  bool isShared = false;
  node.foreach_descendant_top_down([&](isl::schedule_node below) {
    isShared |= isParallelMark(getMarkName(below));
    return !isShared;
  });
  return !isShared;
}

void remarkUnplaced(ScopOp scop, BlockArgument array, const Twine &reason) {
  // The variants without tiles keep whole arrays by design.
  if (scop.getConfigAttr() && scop.getConfigAttr().getTile().empty())
    return;
  bool isOwn = llvm::is_contained(scop.getArrays(), array);
  scop.emitRemark() << (isOwn ? "array " : "operand ")
                    << scop.getArrayName(array) << " stays in "
                    << (isOwn ? "the workspace: " : "global memory: ")
                    << reason;
}

/// `schedule` with a mark where `array` becomes local, with at most `maxBytes`,
/// or as it is. Nothing, with why, where a thread has no registers for the
/// points that `config` says it has.
Rewritten promote(const PolyScop &poly, const isl::schedule &schedule,
                  BlockArgument array, sched::ConfigAttr config,
                  int64_t maxBytes, TellUnplaced tell) {
  ScopOp scop = poly.getOp();
  isl::ctx context = poly.getContext();
  auto refuse = [&](const Twine &reason) {
    tell(array, reason);
    return Rewritten{schedule, ""};
  };
  std::string refusal;
  std::optional<LocalPlace> place =
      findLocalPlace(poly, schedule, array, refusal);
  if (!place)
    return refusal.empty() ? Rewritten{schedule, ""} : refuse(refusal);
  SmallVector<int64_t> apart;
  if (getTargetInfo(scop).kind == TargetKind::gpu &&
      !isOfOneThread(place->node)) {
    auto part = findThreadRegisters(poly, place->node, array, refusal);
    if (!part)
      return refuse(refusal);
    place->shape = part->shape;
    apart = part->apart;
  }
  if (int64_t bytes = place->getBytes(array); bytes > maxBytes) {
    if (!apart.empty() && config && !config.getPoints().empty())
      return {std::nullopt,
              fmt::format("a thread would have {} bytes of array {}, of which "
                          "its registers take {}; fewer points take less, and "
                          "fusec algos lists configs that fit",
                          bytes, scop.getArrayName(array), maxBytes)};
    return refuse(Twine(bytes) + " bytes are live at a time, more than " +
                  Twine(maxBytes));
  }
  const SmallVector<int64_t> &shape = place->shape;
  // Lanes side by side in memory are what can be a register.
  std::optional<unsigned> last = findLaneDim(poly, array, schedule);
  if (last && llvm::all_of(ArrayRef(shape).drop_front(*last + 1),
                           [](int64_t extent) { return extent == 1; }))
    last = std::nullopt; // As it lies.
  LocalArray local{array, shape, last, /*isCopy=*/false, /*isShared=*/false,
                   apart};
  return {place->node.insert_mark(isl::id(context, local.toMark())).schedule(),
          ""};
}

} // namespace

Rewritten fusec::poly::promoteArrays(const PolyScop &poly,
                                     isl::schedule schedule,
                                     sched::ConfigAttr config,
                                     TellUnplaced tell,
                                     std::optional<int64_t> maxBytes) {
  ScopOp scop = poly.getOp();
  int64_t most = maxBytes.value_or(getTargetInfo(scop).stackBytes);
  if (hasSharedLoops(poly, schedule))
    return {promoteInRows(poly, schedule, most, tell), ""};
  for (BlockArgument array : scop.getArrays()) {
    Rewritten promoted = promote(poly, schedule, array, config, most, tell);
    if (!promoted.schedule)
      return promoted;
    schedule = *promoted.schedule;
  }
  if (config && !config.getPoints().empty())
    return markOperands(poly, schedule, config, tell);
  // A tile adds to what other tiles, of other parts of the sum or of the rows,
  // share with it.
  if (config && (config.getDepth() > 0 || config.getColumns() > 0))
    schedule = markCopies(poly, schedule);
  return {schedule, ""};
}

LogicalResult fusec::poly::promoteArrays(PolyContext &context, ScopOp scop,
                                         std::optional<int64_t> maxBytes) {
  PolyScop poly(context, scop);
  auto tell = [&](BlockArgument array, const Twine &reason) {
    remarkUnplaced(scop, array, reason);
  };
  Rewritten promoted = promoteArrays(poly, getSchedule(context.get(), scop),
                                     scop.getConfigAttr(), tell, maxBytes);
  if (!promoted.schedule)
    return refuseConfig(scop, promoted.refusal);
  setSchedule(scop, *promoted.schedule);
  return success();
}

namespace {

struct SchedPromoteArraysPass
    : fusec::poly::impl::SchedPromoteArraysBase<SchedPromoteArraysPass> {
  using SchedPromoteArraysBase::SchedPromoteArraysBase;

  void runOnOperation() override {
    std::optional<int64_t> most;
    if (maxBytes >= 0)
      most = maxBytes;
    auto promote = [&](PolyContext &context, ScopOp scop) {
      return promoteArrays(context, scop, most);
    };
    auto work = [&](PolyContext &context, ScopOp scop) -> LogicalResult {
      sched::ConfigAttr config = scop.getConfigAttr();
      bool hasPoints = config && !config.getPoints().empty();
      if (!scop.getScheduleAttr() || (scop.getArrays().empty() && !hasPoints))
        return success();
      return runOrFallBack(context, scop, IslLimit::of(operations, limit),
                           "promoting arrays", StepsBefore::promote, promote);
    };
    if (failed(forEachScop(getOperation(), getAnalysis<PolyContexts>(), work)))
      signalPassFailure();
  }
};

} // namespace
