// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who proposes configs: a file for each family, which lists whole configs with
// what each is expected to take. Nobody else knows the families.
#ifndef FUSEC_PASSES_POLY_CONFIGS_CONFIGPROPOSERS_H
#define FUSEC_PASSES_POLY_CONFIGS_CONFIGPROPOSERS_H

#include "dialects/TargetInfo.h"
#include "passes/poly/configs/Configs.h"
#include "passes/poly/levels/RowBlocks.h"
#include "passes/poly/tree/OuterBand.h"

#include "llvm/Support/MathExtras.h"

namespace fusec::poly {

/// A scop with the proposed tree that its configs are for.
struct ScheduledScop {
  ScheduledScop(const PolyScop &poly, const isl::schedule &schedule);

  /// Points of the outer band.
  double countPoints() const;

  const PolyScop &poly;
  const isl::schedule &schedule;
  mutable sched::ScopOp scop;
  const TargetInfo &target;
  OuterBand band;
  mutable sched::StmtOp heaviest;
  /// Of a CPU, the loops below the band that lanes run along and rows share.
  llvm::SmallVector<ColumnLoop> columns;
  /// The iterators of a loop over parts of rows, by the statements' names.
  std::map<std::string, unsigned> parts;
  /// Outputs that are worth writing past the caches.
  llvm::SmallVector<int64_t> streams;
};

/// What a proposer has at hand.
class ConfigProposer {
public:
  ConfigProposer(const ScheduledScop &group, ConfigSpace &space)
      : group(group), space(space), poly(group.poly), schedule(group.schedule),
        scop(group.scop), target(group.target), band(group.band),
        heaviest(group.heaviest) {}

protected:
  /// A tile of one iteration of each member of the band, but for one of `size`.
  llvm::SmallVector<int64_t> getTile(std::optional<unsigned> member = {},
                                     int64_t size = 1) const;

  const ScheduledScop &group;
  ConfigSpace &space;
  const PolyScop &poly;
  const isl::schedule &schedule;
  mutable sched::ScopOp scop;
  const TargetInfo &target;
  const OuterBand &band;
  mutable sched::StmtOp heaviest;
};

/// Tiles that `extent` is cut into.
inline double countTiles(int64_t extent, int64_t size) {
  return double(llvm::divideCeil(std::max<int64_t>(1, extent), size));
}

// Of a CPU, in the order in which they are asked: of equals the first is taken.

/// Lanes along a loop of the band, in tiles of it: TileConfigs.cpp, and for
/// contractions RegisterTiles.cpp.
void proposeTiles(const ScheduledScop &group, ConfigSpace &space);
/// Lanes along a loop below the band, which rows of it share: RowConfigs.cpp.
void proposeRows(const ScheduledScop &group, ConfigSpace &space);
/// Lanes along the innermost loops: InnerConfigs.cpp.
void proposeInner(const ScheduledScop &group, ConfigSpace &space);
/// The cheapest of these with parts of its longest reduction for threads, where
/// the group has no band: InnerConfigs.cpp.
void proposeSplit(const ScheduledScop &group, ConfigSpace &space);

// Of a GPU.

/// A thread for each point of the band, or several: ThreadConfigs.cpp.
void proposeThreads(const ScheduledScop &group, ConfigSpace &space);
/// Tiles of a contraction in shared memory: ThreadTileConfigs.cpp.
void proposeThreadTiles(const ScheduledScop &group, ConfigSpace &space);
/// Tiles that turn what threads read across memory: ThreadTransposes.cpp.
void proposeTransposedTiles(const ScheduledScop &group, ConfigSpace &space);
/// Teams of threads that share the loops below the band: TeamConfigs.cpp.
void proposeTeams(const ScheduledScop &group, ConfigSpace &space);
/// The same with parts of a reduction for blocks: ThreadSplitConfigs.cpp.
void proposeSplitTeams(const ScheduledScop &group, ConfigSpace &space);
/// One thread, where no loop is shared by all statements: ThreadConfigs.cpp.
void proposeOneThread(const ScheduledScop &group, ConfigSpace &space);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_CONFIGPROPOSERS_H
