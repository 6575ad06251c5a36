// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways in which the kernel of a group can be made.
#ifndef FUSEC_PASSES_POLY_CONFIGS_CONFIGS_H
#define FUSEC_PASSES_POLY_CONFIGS_CONFIGS_H

#include "passes/poly/configs/Algorithms.h"
#include "passes/poly/tree/PolyScop.h"

#include <optional>
#include <string>
#include <vector>

namespace fusec::poly {

/// A config, before the lanes of each statement are settled.
struct Candidate {
  sched::ConfigAttr config;
  /// Where lanes run: along a loop of the outer band ("tiles"), along one below
  /// that blocks of rows share ("rows"), or along the innermost ("inner"),
  /// which threads take parts of ("split"). Of a GPU "threads" with a point
  /// each, "tiles", where they have several, "rows", "warps" and "columns",
  /// where a block, a warp or so many neighbours share one.
  llvm::StringRef family;
  /// The member of the outer band that runs on lanes, where one does.
  std::optional<unsigned> along;
  /// Nanoseconds that one core is expected to take. Comparable between the
  /// candidates of a group, not between groups.
  double predicted;

  /// "tiles_6x16", unique among a group's candidates.
  std::string getName() const;
};

struct ConfigSpace {
  void insert(Candidate candidate);
  /// Notes that a family, or a config of it, does not apply, and why.
  void refuse(const llvm::Twine &name, const llvm::Twine &reason);

  /// The cheapest first; at least one.
  std::vector<Candidate> candidates;
  std::vector<RefusedAlgorithm> refused;
};

/// Lists the configs of the proposed tree `schedule` that the registers and
/// caches of the scop's target have room for.
ConfigSpace enumerateConfigs(const PolyScop &poly,
                             const isl::schedule &schedule);

/// What `candidate` of that schedule is expected to take with the lanes of
/// `settled`: where dependences keep a statement off lanes that were counted
/// on, more than was predicted.
double predictSettled(const PolyScop &poly, const isl::schedule &schedule,
                      const Candidate &candidate, sched::ConfigAttr settled);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_CONFIGS_H
