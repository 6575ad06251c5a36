// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest configs that a group's schedule takes.
#ifndef FUSEC_PASSES_POLY_CONFIGS_RANKEDCONFIGS_H
#define FUSEC_PASSES_POLY_CONFIGS_RANKEDCONFIGS_H

#include "passes/poly/configs/Lanes.h"

namespace fusec::poly {

/// What the configs of a scop are settled with.
struct ConfiguredGroup {
  ConfiguredGroup(PolyContext &context, sched::ScopOp scop)
      : scop(scop), schedule(getSchedule(context.get(), scop)),
        poly(context, scop) {}

  /// Nothing, with why in `refusal`, if the schedule does not take it.
  std::optional<SettledConfig> settle(sched::ConfigAttr config,
                                      std::optional<unsigned> along,
                                      std::string &refusal) const {
    return fusec::poly::settle(poly, schedule, config, along,
                               poly.getDependences(), refusal);
  }

  sched::ScopOp scop;
  isl::schedule schedule;
  PolyScop poly;
};

/// One of the configs of a group.
struct RankedConfig {
  SettledConfig settled;
  std::string name; ///< as fusec algos lists it
  double predicted;
};

/// The configs of the group, by itself: the `count` cheapest that its schedule
/// takes, or all of them where there are fewer; by reproducible numerics only
/// those that give the same bits however many threads there are. Fails, with an
/// error, where the schedule takes none.
mlir::FailureOr<std::vector<RankedConfig>>
chooseConfigs(const ConfiguredGroup &group, unsigned count, bool reproducible);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_RANKEDCONFIGS_H
