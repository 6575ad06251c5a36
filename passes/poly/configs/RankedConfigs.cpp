// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/poly/configs/RankedConfigs.h"

#include "passes/poly/configs/Configs.h"
#include "passes/poly/levels/SplitLoops.h"

using namespace mlir;
using namespace fusec;
using namespace fusec::poly;
using fusec::sched::ScopOp;

/// An error: the schedule of `scop` may be written by hand.
static LogicalResult refuseSchedule(ScopOp scop, const Twine &reason) {
  return scop.emitOpError()
         << "has a schedule that does not fit group @" << scop.getSymName()
         << ": it " << reason
         << "; change it, or remove it and run --sched-compute for another";
}

/// Puts `config` where it belongs among `ranked`, of which `count` stay.
static void insert(RankedConfig config, unsigned count,
                   std::vector<RankedConfig> &ranked) {
  if (llvm::any_of(ranked, [&](const RankedConfig &known) {
        return known.settled.config == config.settled.config;
      }))
    return;
  auto place = llvm::upper_bound(
      ranked, config, [](const RankedConfig &a, const RankedConfig &b) {
        return a.predicted < b.predicted;
      });
  ranked.insert(place, std::move(config));
  if (ranked.size() > count)
    ranked.pop_back();
}

FailureOr<std::vector<RankedConfig>>
fusec::poly::chooseConfigs(const ConfiguredGroup &group, unsigned count,
                           bool reproducible) {
  ScopOp scop = group.scop;
  // It may be written by hand.
  if (!group.schedule.domain().is_equal(group.poly.getDomain()))
    return refuseSchedule(scop, "has other points than its statements");
  std::string refusal = "none is known for its loops";
  std::vector<RankedConfig> best;
  // What all are expected to take may be beyond numbers.
  auto isLost = [&](double predicted) {
    return best.size() == count && predicted >= best.back().predicted;
  };
  // What dependences cost the first of a family they cost the next ones, too:
  // sizes of tiles leave lanes where they are.
  std::map<std::tuple<StringRef, std::optional<unsigned>, int64_t>, double>
      lost;
  for (const Candidate &candidate :
       enumerateConfigs(group.poly, group.schedule).candidates) {
    if (isLost(candidate.predicted))
      break;
    if (reproducible && !explainIrreproducible(scop, candidate.config).empty())
      continue;
    auto family = std::tuple(candidate.family, candidate.along,
                             candidate.config.getWidth());
    auto known = lost.find(family);
    if (known != lost.end() && isLost(candidate.predicted + known->second))
      continue;
    auto settled = group.settle(candidate.config, candidate.along, refusal);
    if (!settled)
      continue;
    double predicted =
        predictSettled(group.poly, group.schedule, candidate, settled->config);
    lost[family] = predicted - candidate.predicted;
    insert({*settled, candidate.getName(), predicted}, count, best);
  }
  if (best.empty())
    return refuseSchedule(scop, "takes no config: " + refusal);
  return best;
}
