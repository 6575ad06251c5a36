// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What proposers of configs for GPUs share.
#ifndef FUSEC_PASSES_POLY_CONFIGS_GPUCONFIGS_H
#define FUSEC_PASSES_POLY_CONFIGS_GPUCONFIGS_H

#include "passes/poly/configs/ConfigProposers.h"

namespace fusec::poly {

/// `config` with parts of `split` iterations of its longest reduction for
/// blocks.
sched::ConfigAttr splitAmongBlocks(sched::ConfigAttr config, int64_t split,
                                   sched::Combine combine);

/// The times of a GPU are estimated in two steps: what all threads do, in steps
/// of a thread, and how many of its cores have warps for that.
class GpuProposer : protected ConfigProposer {
public:
  using ConfigProposer::ConfigProposer;

protected:
  /// A config of `threads` threads a block. Those of a team share loops, which
  /// are settled later; without one they have points of their own.
  sched::ConfigAttr make(llvm::ArrayRef<int64_t> tile,
                         llvm::ArrayRef<int64_t> order, int64_t threads,
                         std::optional<sched::Team> team = {},
                         int64_t width = 1) const;
  /// Adds a config whose longest reduction `parts` blocks share. A large kernel
  /// on few threads takes as much longer as threads are missing, and thrice as
  /// long at least: nothing hides what they wait for.
  void insert(sched::ConfigAttr config, llvm::StringRef family,
              std::optional<unsigned> along, double predicted,
              int64_t parts = 1);

  /// The member of the band whose neighbours in memory follow, for threads that
  /// all have theirs along it, and for those that go on along others where it
  /// is short.
  unsigned findLanes() const;
  unsigned findNeighbours() const;
  /// The members with `along` last, as a config orders them: empty where that
  /// is their own order.
  llvm::SmallVector<int64_t> getOrder(unsigned along) const;

  /// Warps that give all cores work: half of those that can be on one, so that
  /// it has one that need not wait for memory.
  double countBusyWarps() const;
  /// Nanoseconds of `steps` that so many warps share; the same, but what does
  /// not show beside a launch is all the same.
  double getBusyTime(double steps, double warps) const;
  double getTime(double steps, double warps) const;
  /// What is on its way of `width` elements at a time is as much as of more
  /// warps, as long as all schedulers have one: not of `width` times as many,
  /// by what rows of an H100 took.
  double getWarpsWorth(double warps, int64_t width) const;
  /// What memory operations cost in accesses of `width` elements against such
  /// of one.
  double getRowShare(int64_t width) const;
  /// Drawing a ticket takes a trip to memory and back, twice.
  double getTicketSteps() const { return double(target.launchSteps) / 4; }
  /// Nanoseconds that the loads of the heaviest reduction take where each of
  /// its products has its own, and that a thread waits for them that adds up
  /// all of one point.
  double getLoadTime() const;
  double getLoadWaits() const;

private:
  double countProductLoads() const;
};

/// How many points along member `along` have their elements side by side in all
/// arrays that follow it, in words that begin at multiples of them: as many as
/// one access moves of the widest; 1 if there is an array whose elements lie
/// otherwise. Of bands without loops below.
int64_t findRowWidth(const ScheduledScop &group, unsigned along);
/// The same of the loops below the band that threads are expected to share.
int64_t findSharedWidth(const ScheduledScop &group);

} // namespace fusec::poly

#endif // FUSEC_PASSES_POLY_CONFIGS_GPUCONFIGS_H
