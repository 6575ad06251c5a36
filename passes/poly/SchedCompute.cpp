// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/lock/GroupKey.h"
#include "passes/lock/Lock.h"
#include "passes/poly/Bands.h"
#include "passes/poly/Passes.h"
#include "passes/poly/Propose.h"

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

/// Whether isl's scheduler is asked: by the scop alone, so that the output
/// never depends on how busy the machine is.
bool suitsIsl(const PolyScop &scop) {
  size_t count = scop.getStmts().size();
  if (count > kMaxStmtsForIsl) {
    scop.getOp().emitRemark() << "isl not asked: " << count
                              << " statements, more than " << kMaxStmtsForIsl;
    return false;
  }
  if (hasDivision(scop.getOp())) {
    scop.getOp().emitRemark("isl not asked: a subscript divides");
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
    FailureOr<lock::Lock> locked = lock::read(lockFile, target, &getContext());
    if (failed(locked))
      return signalPassFailure();
    for (ScopOp scop : getOperation().getOps<ScopOp>()) {
      if (scop.getScheduleAttr())
        continue;
      Asked asked = findProposer(scop, *locked);
      if (failed(guarded(scop, [&] { return compute(scop, asked); })))
        return signalPassFailure();
    }
  }

  /// Who is asked for a scop's schedule, and the entry of the lock that says
  /// so.
  struct Asked {
    StringRef proposer;
    const lock::Group *entry = nullptr;
  };

  Asked findProposer(ScopOp scop, const lock::Lock &locked) {
    if (proposer == "auto")
      if (auto *entry = locked.findGroup(lock::getGroupKey(scop, target)))
        return {entry->proposer, entry};
    return {StringRef(proposer)};
  }

  LogicalResult compute(ScopOp scop, const Asked &asked) {
    IslContext context;
    PolyScop poly(context.get(), scop);
    Dependences dependences = poly.getDependences();
    isl::schedule fromIsl, structural;
    std::string refusal;
    // isl's classes throw where a null one is copied.
    auto check = [&](const isl::schedule &schedule) -> isl::schedule {
      if (schedule.is_null())
        return {};
      auto violation = findViolation(poly, schedule, dependences);
      if (!violation)
        return schedule;
      refusal = violation->reason + ": " + violation->example;
      return {};
    };
    if (asked.proposer == "isl" ||
        (asked.proposer == "auto" && suitsIsl(poly))) {
      isl::schedule proposal = proposeWithIsl(context, poly, dependences,
                                              std::chrono::milliseconds(limit));
      if (proposal.is_null()) {
        ++numTimedOut;
        scop.emitWarning("isl's scheduler did not end in time and was aborted");
        scop->setAttr("timed_out", UnitAttr::get(scop.getContext()));
        if (asked.proposer == "auto")
          return compute(scop, {"structural"});
        refusal = "isl's scheduler did not end in time";
      }
      fromIsl = check(proposal);
      if (fromIsl.is_null())
        scop.emitRemark() << "isl's schedule refused: " << refusal;
    }
    if (asked.proposer != "isl")
      structural = check(proposeStructurally(poly, dependences));
    // One that threads can share comes first.
    auto rank = [](const isl::schedule &schedule) {
      return std::pair(getOuterBand(schedule).is_null(),
                       countLoopNests(schedule));
    };
    bool takeIsl = !fromIsl.is_null() &&
                   (structural.is_null() || rank(fromIsl) <= rank(structural));
    if (!takeIsl && structural.is_null() && asked.entry)
      return lock::refuse(asked.entry->loc,
                          "proposer '" + asked.proposer +
                              "' has no legal schedule for @" +
                              scop.getSymName() + ": " + refusal,
                          "name the other proposer, or remove the line");
    if (!takeIsl && structural.is_null())
      return scop.emitOpError()
             << "got no legal schedule from proposer '" << proposer
             << "': " << refusal << "; try another --sched-proposer";
    scop.setProposer(StringRef(takeIsl ? "isl" : "structural"));
    setSchedule(scop, takeIsl ? fromIsl : structural);
    return success();
  }
};

} // namespace
