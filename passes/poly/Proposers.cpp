// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/Proposers.h"

#include "passes/poly/Bands.h"
#include "passes/poly/Propose.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;

struct Proposers::Session {
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

/// What is wrong with `schedule`, by the names of the statements.
static std::string explain(ScopOp scop, const isl::schedule &schedule) {
  PolyScop poly(schedule.ctx(), scop);
  Violation violation =
      findViolation(poly, schedule, poly.getDependences()).value();
  return violation.reason + ": " + violation.example;
}

std::optional<Proposal> Proposers::ask(StringRef proposer) {
  bool byIsl = proposer == kByIsl;
  if (!session)
    session = std::make_shared<Session>(scop);
  std::optional<Proposal> result;
  wasStopped = !session->context.runWithin(limit, [&] {
    const PolyScop &poly = session->poly;
    const Dependences &dependences = session->getDependences();
    isl::schedule schedule = byIsl ? proposeWithIsl(poly, dependences)
                                   : proposeStructurally(poly, dependences);
    isl::schedule named = poly.toNamed(schedule);
    if (findViolation(poly, schedule, dependences))
      refusal = explain(scop, named);
    else
      result = {toText(named),
                {getOuterBand(schedule).is_null(), countLoopNests(schedule)}};
  });
  if (!wasStopped)
    return result;
  StringRef what =
      byIsl ? "its own proposal" : "the check of the structural one";
  reportStopped(scop, what);
  refusal = ("isl did not end " + what + " within its limit").str();
  // Half changed objects: none of them may be freed one by one.
  session = nullptr;
  return std::nullopt;
}

LogicalResult fusec::poly::takeNextProposal(ScopOp scop,
                                            const IslLimit &limit) {
  StringRef last = scop.getProposer().value_or(kByIsl);
  if (last == kProgramOrder)
    return scop.emitOpError()
           << "has no schedule that isl ends to make loops of within its limit, "
              "not even the order of the program; --no-fuse makes each operation "
              "a group, which is smaller";
  if (last == kByIsl)
    if (auto proposal = Proposers(scop, limit).ask(kStructural)) {
      scop.setProposer(StringRef(kStructural));
      scop.setScheduleAttr(
          sched::TreeAttr::get(scop.getContext(), proposal->schedule));
      return success();
    }
  IslContext context;
  PolyScop poly(context.get(), scop);
  scop.setProposer(StringRef(kProgramOrder));
  setSchedule(scop, proposeNaively(poly));
  return success();
}
