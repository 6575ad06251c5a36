// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/TargetInfo.h"
#include "passes/lock/GroupKey.h"
#include "passes/lock/Lock.h"
#include "passes/poly/Passes.h"
#include "passes/poly/Steps.h"
#include "passes/poly/schedules/Propose.h"
#include "passes/poly/schedules/Proposers.h"

namespace fusec::poly {
#define GEN_PASS_DEF_SCHEDCOMPUTE
#include "passes/poly/Passes.h.inc"
} // namespace fusec::poly

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;

namespace {

/// isl's scheduler solves integer programs whose size grows with the product
/// of statements and iterators; beyond this it takes seconds.
constexpr unsigned kMaxStmtsForIsl = 24;

/// Divisions in subscripts (reshapes that did not fold) are the known cause of
/// integer programs that do not end.
bool hasDivision(ScopOp scop) {
  auto divides = [](AffineMap map) {
    bool found = false;
    map.walkExprs([&](AffineExpr expr) {
      found |= expr.getKind() == AffineExprKind::Mod ||
               expr.getKind() == AffineExprKind::FloorDiv ||
               expr.getKind() == AffineExprKind::CeilDiv;
    });
    return found;
  };
  for (auto stmt : scop.getBody().getOps<sched::StmtOp>())
    for (ArrayAttr maps : {stmt.getReadMaps(), stmt.getWriteMaps()})
      for (auto map : maps.getAsValueRange<AffineMapAttr>())
        if (divides(map))
          return true;
  return false;
}

/// The pairs of accesses to one array, one of them a write, which are the
/// dependences that isl may find, times the iterators of the deepest statement:
/// as many constraints for each loop of as many. isl takes about a millisecond
/// for each.
int64_t countWork(ScopOp scop) {
  int64_t pairs = 0, deepest = 0;
  for (auto source : scop.getBody().getOps<sched::StmtOp>()) {
    deepest = std::max<int64_t>(deepest, source.getNumIterators());
    for (auto sink : scop.getBody().getOps<sched::StmtOp>())
      for (Value array : source.getWrites())
        pairs += llvm::count(sink.getReads(), array) +
                 llvm::count(sink.getWrites(), array);
  }
  return pairs * deepest;
}

/// Whether `scop` adds partial sums, as those that keep their order have them.
/// isl sees no reduction in such a sum, and runs its steps one behind another
/// in one loop, under conditions.
bool mergesParts(ScopOp scop) {
  llvm::SmallDenseSet<Value> sums;
  for (auto stmt : scop.getBody().getOps<sched::StmtOp>()) {
    if (!scop.getOrdered() || !stmt.reducesFloats())
      continue;
    auto terms =
        ValueRange(stmt.getReads()).drop_front(stmt.getWrites().size());
    if (!terms.empty() &&
        llvm::all_of(terms, [&](Value array) { return sums.contains(array); }))
      return true;
    sums.insert(stmt.getWrites().begin(), stmt.getWrites().end());
  }
  return false;
}

/// Whether isl's scheduler is asked: by the scop alone, so that the output
/// never depends on how busy the machine is.
bool suitsIsl(ScopOp scop, int64_t maxWork) {
  auto stmts = scop.getBody().getOps<sched::StmtOp>();
  size_t count = std::distance(stmts.begin(), stmts.end());
  if (count > kMaxStmtsForIsl) {
    scop.emitRemark() << "isl not asked: " << count << " statements, more than "
                      << kMaxStmtsForIsl;
    return false;
  }
  if (int64_t work = countWork(scop); work > maxWork) {
    scop.emitRemark() << "isl not asked: " << work
                      << " pairs of accesses to one array times iterators, "
                         "more than "
                      << maxWork;
    return false;
  }
  if (mergesParts(scop)) {
    scop.emitRemark("isl not asked: sums that keep their order have parts");
    return false;
  }
  if (hasDivision(scop)) {
    scop.emitRemark("isl not asked: a subscript divides");
    return false;
  }
  return true;
}

struct SchedComputePass
    : fusec::poly::impl::SchedComputeBase<SchedComputePass> {
  using SchedComputeBase::SchedComputeBase;

  void runOnOperation() override {
    if (proposer != "auto" && proposer != "isl" && proposer != "structural") {
      getOperation().emitError() << "unknown proposer '" << proposer
                                 << "'; use auto, isl or structural";
      return signalPassFailure();
    }
    FailureOr<lock::Lock> locked =
        lock::read(lockFile, getTargetInfo(getOperation()).name, &getContext());
    if (failed(locked))
      return signalPassFailure();
    lock::GroupKeys keys(target);
    auto work = [&](PolyContext &, ScopOp scop) -> LogicalResult {
      if (scop.getScheduleAttr())
        return success();
      return compute(scop, findProposer(keys.get(scop), *locked));
    };
    if (failed(forEachScop(getOperation(), getAnalysis<PolyContexts>(), work)))
      signalPassFailure();
  }

  /// Who is asked for a scop's schedule, and the entry of the lock that says
  /// so.
  struct Asked {
    StringRef proposer;
    const lock::Group *entry = nullptr;
  };

  Asked findProposer(const std::string &key, const lock::Lock &locked) {
    if (proposer == "auto")
      if (auto *entry = locked.findAny(key))
        return {entry->proposer, entry};
    return {StringRef(proposer)};
  }

  LogicalResult compute(ScopOp scop, const Asked &asked) {
    Proposers proposers(scop, IslLimit::of(operations, limit));
    std::optional<Proposal> fromIsl, structural;
    if (asked.proposer == kByIsl ||
        (asked.proposer == "auto" && suitsIsl(scop, maxWork))) {
      fromIsl = proposers.ask(kByIsl);
      numTimedOut += proposers.wasStopped;
      if (!fromIsl && !proposers.wasStopped) // else it has been told
        scop.emitRemark() << "isl's schedule refused: " << proposers.refusal;
    }
    if (asked.proposer != kByIsl) {
      structural = proposers.ask(kStructural);
      numTimedOut += proposers.wasStopped;
    }
    std::string comparison;
    bool takeIsl =
        fromIsl && (!structural ||
                    !proposers.isCheaper(*structural, *fromIsl, comparison));
    if (!comparison.empty())
      scop.emitRemark() << "takes "
                        << (takeIsl ? "isl's schedule" : "the structural one")
                        << ": isl's is expected to take " << comparison
                        << " of the structural one";
    if (!takeIsl && !structural && asked.entry)
      return lock::refuse(asked.entry->loc,
                          "proposer '" + asked.proposer +
                              "' has no legal schedule for @" +
                              scop.getSymName() + ": " + proposers.refusal,
                          "name the other proposer, or remove the line");
    // The order of the program is legal by itself: nothing has to be asked.
    if (!takeIsl && !structural && asked.proposer == "auto") {
      IslContext context;
      PolyScop poly(context.get(), scop);
      scop.setProposer(StringRef(kProgramOrder));
      setSchedule(scop, proposeNaively(poly));
      return success();
    }
    if (!takeIsl && !structural)
      return scop.emitOpError()
             << "got no legal schedule from proposer '" << proposer
             << "': " << proposers.refusal << "; try another --sched-proposer";
    scop.setProposer(StringRef(takeIsl ? kByIsl : kStructural));
    scop.setScheduleAttr(sched::TreeAttr::get(
        scop.getContext(), (takeIsl ? fromIsl : structural)->schedule));
    return success();
  }
};

} // namespace
