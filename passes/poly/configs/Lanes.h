// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which loop of each statement runs on lanes.
#ifndef FUSEC_PASSES_POLY_CONFIGS_LANES_H
#define FUSEC_PASSES_POLY_CONFIGS_LANES_H

#include "passes/poly/tree/PolyScop.h"

#include <optional>

namespace fusec::poly {

/// A config that a group's tree takes as it stands, and the tree with it.
struct SettledConfig {
  sched::ConfigAttr config;
  isl::schedule schedule;
  /// For who wonders that something does not run on lanes; may be empty.
  std::string remark;
  /// The same tree with arrays in their places, where that they have room is
  /// part of the proof: of tiles whose threads have points.
  std::optional<isl::schedule> placed = std::nullopt;
};

/// Applies `config` to the proposed tree `schedule` and proves the result.
/// Where the config leaves the lanes open, they are settled: of each innermost
/// band the member that costs least and breaks no dependence; with `along` the
/// loops of that member of the outer band, where the band has them. So is the
/// grain, by what an iteration is expected to take. Nothing,
/// with why in `refusal`, if the tree does not take it.
std::optional<SettledConfig>
settle(const PolyScop &poly, const isl::schedule &schedule,
       sched::ConfigAttr config, std::optional<unsigned> along,
       const Dependences &dependences, std::string &refusal);

/// Whether an entry of a lock says what `config` does: lanes, accumulators and
/// the grain it may leave open.
bool isOf(sched::ConfigAttr entry, sched::ConfigAttr config);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_LANES_H
