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

  /// A scop in isl's terms, with numbered statements. After isl was stopped,
  /// none of it can be used.
  struct Session {
    explicit Session(ScopOp scop)
        : poly(context.get(), scop, /*numbered=*/true) {}

    const Dependences &getDependences() {
      if (!dependences)
        dependences.emplace(poly.getDependences());
      return *dependences;
    }

    IslContext context;
    PolyScop poly;
    std::optional<Dependences> dependences;
  };

  using Proposer = isl::schedule (*)(const PolyScop &, const Dependences &);

  /// A schedule as isl's text, if it is legal, with its rank: those that
  /// threads can share come first, then those with fewer loops.
  struct Proposal {
    std::string schedule;
    std::pair<bool, unsigned> rank;
  };

  /// What is wrong with `schedule`, by the names of the statements.
  static std::string explain(ScopOp scop, const isl::schedule &schedule) {
    PolyScop poly(schedule.ctx(), scop);
    Violation violation =
        findViolation(poly, schedule, poly.getDependences()).value();
    return violation.reason + ": " + violation.example;
  }

  /// What `propose` makes of the scop: the proposal, its checks, and the
  /// dependences that these need, all within one limit. Nothing, with a reason
  /// in `refusal`, if it is illegal or isl was stopped in any of it.
  std::optional<Proposal> ask(Proposer propose, const Twine &what, ScopOp scop,
                              std::unique_ptr<Session> &session,
                              std::string &refusal) {
    if (!session)
      session = std::make_unique<Session>(scop);
    std::optional<Proposal> result;
    bool ended = session->context.runWithin(
        {(unsigned long)operations, std::chrono::milliseconds(limit)}, [&] {
          const Dependences &dependences = session->getDependences();
          isl::schedule schedule = propose(session->poly, dependences);
          isl::schedule named = session->poly.toNamed(schedule);
          if (findViolation(session->poly, schedule, dependences))
            refusal = explain(scop, named);
          else
            result = {
                toText(named),
                {getOuterBand(schedule).is_null(), countLoopNests(schedule)}};
        });
    if (ended)
      return result;
    ++numTimedOut;
    reportStopped(scop, what);
    refusal = ("isl did not end " + what + " within its limit").str();
    // Half changed objects: none of them may be freed one by one.
    session = nullptr;
    return std::nullopt;
  }

  LogicalResult compute(ScopOp scop, const Asked &asked) {
    auto session = std::make_unique<Session>(scop);
    std::optional<Proposal> fromIsl, structural;
    std::string refusal;
    if (asked.proposer == "isl" ||
        (asked.proposer == "auto" && suitsIsl(session->poly))) {
      fromIsl = ask(proposeWithIsl, "its own proposal", scop, session, refusal);
      if (!fromIsl && session) // it is told where isl was stopped
        scop.emitRemark() << "isl's schedule refused: " << refusal;
    }
    if (asked.proposer != "isl")
      structural = ask(proposeStructurally, "the check of the structural one",
                       scop, session, refusal);
    bool takeIsl =
        fromIsl && (!structural || fromIsl->rank <= structural->rank);
    if (!takeIsl && !structural && asked.entry)
      return lock::refuse(asked.entry->loc,
                          "proposer '" + asked.proposer +
                              "' has no legal schedule for @" +
                              scop.getSymName() + ": " + refusal,
                          "name the other proposer, or remove the line");
    // The order of the program is legal by itself: nothing has to be asked.
    if (!takeIsl && !structural && asked.proposer == "auto") {
      IslContext context;
      PolyScop poly(context.get(), scop);
      scop.setProposer(StringRef("program order"));
      setSchedule(scop, proposeNaively(poly));
      return success();
    }
    if (!takeIsl && !structural)
      return scop.emitOpError()
             << "got no legal schedule from proposer '" << proposer
             << "': " << refusal << "; try another --sched-proposer";
    scop.setProposer(StringRef(takeIsl ? "isl" : "structural"));
    scop.setScheduleAttr(sched::TreeAttr::get(
        scop.getContext(), (takeIsl ? fromIsl : structural)->schedule));
    return success();
  }
};

} // namespace
