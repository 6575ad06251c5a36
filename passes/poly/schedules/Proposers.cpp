// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/schedules/Proposers.h"

#include "passes/poly/schedules/ProposalCost.h"
#include "passes/poly/schedules/Propose.h"
#include "passes/poly/tree/Bands.h"

#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/union_map.h>

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;

struct Proposers::Session {
  explicit Session(ScopOp scop)
      : poly(context.get(), scop, /*numbered=*/true) {}

  PolyContext context;
  PolyScop poly;
};

/// What is wrong with `schedule`, by the names of the statements.
static std::string explain(ScopOp scop, const isl::schedule &schedule) {
  PolyScop poly(schedule.ctx(), scop);
  Violation violation =
      findViolation(poly, schedule, poly.getDependences()).value();
  return violation.reason + ": " + violation.example;
}

static std::string describeTimes(const isl::schedule &schedule) {
  std::map<std::string, std::string> times;
  schedule.map().foreach_map([&](isl::map map) {
    times[map.domain_tuple_id().name()] = toString(map);
  });
  isl::schedule_node outer = getOuterBand(schedule);
  std::string text = std::to_string(
      outer.is_null()
          ? 0
          : unsigned(outer.as<isl::schedule_node_band>().n_member()));
  for (const auto &[statement, map] : times)
    text += "\n" + map;
  return text;
}

/// What estimates say of tiles that nobody has chosen yet is no closer.
static constexpr double kSure = 0.95;

/// The cheapest legal one of `schedules`: the first, or a later one that is
/// expected to take less than that `share` of those before. Sets the refusal if
/// there is none.
std::optional<Proposal>
Proposers::takeCheapest(ArrayRef<isl::schedule> schedules, double share) {
  std::optional<Proposal> result;
  double least = 0;
  for (const isl::schedule &schedule : schedules) {
    isl::schedule named = session->poly.toNamed(schedule);
    if (findViolation(session->poly, schedule,
                      session->poly.getDependences())) {
      refusal = explain(scop, named);
      continue;
    }
    double total = 0;
    if (schedules.size() > 1)
      total = estimate(PolyScop(session->context, scop), named).getTotal();
    if (!result || total < share * least) {
      result = {toText(named), describeTimes(schedule)};
      least = total;
    }
  }
  return result;
}

std::optional<Proposal> Proposers::ask(StringRef proposer) {
  bool byIsl = proposer == kByIsl;
  if (!session)
    session = std::make_shared<Session>(scop);
  std::optional<Proposal> result;
  wasStopped = !session->context.runWithin(limit, [&] {
    const PolyScop &poly = session->poly;
    const Dependences &dependences = session->poly.getDependences();
    result = byIsl
                 ? takeCheapest(proposeWithIsl(poly, dependences), 1)
                 : takeCheapest(proposeStructurally(poly, dependences), kSure);
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

bool Proposers::isCheaper(const Proposal &other, const Proposal &first,
                          std::string &comparison) {
  if (other.times == first.times)
    return false;
  std::optional<ProposalCost> costs[2];
  IslContext context;
  bool ended = context.runWithin(limit, [&] {
    PolyScop poly(context.get(), scop);
    for (auto [cost, proposal] :
         {std::pair(&costs[0], &first), {&costs[1], &other}})
      *cost = estimate(poly, isl::schedule(context.get(), proposal->schedule));
  });
  if (!ended)
    return false;
  double a = costs[0]->getTotal(), b = costs[1]->getTotal();
  if (std::min(a, b) < kSure * std::max(a, b))
    comparison = costs[0]->describe() + " against " + costs[1]->describe();
  return b < kSure * a;
}

LogicalResult fusec::poly::takeNextProposal(ScopOp scop,
                                            const IslLimit &limit) {
  StringRef last = scop.getProposer().value_or(kByIsl);
  if (last == kProgramOrder)
    return scop.emitOpError() << "has no schedule that isl ends to make loops "
                                 "of within its limit, "
                                 "not even the order of the program; --no-fuse "
                                 "makes each operation "
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
