// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Teams of threads of a GPU, which share the loops below the outer band: those
// of a block or of a warp, with a point each (TeamConfigs.cpp), those of
// columns side by side (ThreadColumns.cpp), and those whose reduction blocks
// have parts of (ThreadSplitConfigs.cpp).
#ifndef FUSEC_PASSES_POLY_CONFIGS_TEAMCONFIGS_H
#define FUSEC_PASSES_POLY_CONFIGS_TEAMCONFIGS_H

#include "passes/poly/configs/GpuConfigs.h"

namespace fusec::poly {

class TeamProposer : GpuProposer {
public:
  using GpuProposer::GpuProposer;

  /// All numbers of threads. They have as many iterations side by side as leave
  /// none of them without, or one.
  void addTeams();
  /// Rows, or columns where they lie side by side, with their longest reduction
  /// split among as many blocks as give all cores work. The last of them runs
  /// what comes after it, or each adds its part to an output.
  void addSplitRows();
  double getLostTime(sched::ConfigAttr settled) const;

private:
  /// What a point of the band has below it.
  struct Row {
    /// Iterations of the longest loop.
    int64_t length = 1;
    /// How often results of threads become one: combined, or selected, where
    /// each of them goes through those of all.
    int64_t combined = 0, selected = 0;
  };
  Row measureRow() const;
  /// Steps of a warp for the results of a row that `team` threads share, where
  /// values are combined in `steps`.
  static double countResultSteps(const Row &row, int64_t team, double steps);
  /// Threads that the longest row has an iteration for.
  int64_t getMostRowThreads() const;
  /// Nanoseconds that it takes to store what rows have of arrays, and to load
  /// it again; the same where shared memory has no room for those of `together`
  /// rows.
  double getRowMoves() const;
  double getRowMoves(int64_t together, bool hasColumns) const;
  Candidate makeSharedRows(int64_t threads, bool ofWarps, int64_t width) const;
  /// How many neighbouring points of the band the threads of a block may have
  /// as columns at most; 0, with why in `refusal`, if it may have none.
  int64_t countColumns(std::string &refusal) const;
  /// A block of `threads`, which share the loops of `columns` points.
  Candidate makeColumns(int64_t threads, int64_t columns) const;
  void listColumns(std::vector<Candidate> &rows);
};

/// Nanoseconds that rows take, of which a team shares the loops of `settled`,
/// beyond those in which it shares each statement's best ones.
double getLostTime(const ScheduledScop &group, sched::ConfigAttr settled);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_TEAMCONFIGS_H
