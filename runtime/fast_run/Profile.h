// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How candidates are timed. Who runs them, and what a run takes, is an
// interface: tests have one without a clock.
#ifndef FUSEC_RUNTIME_FAST_RUN_PROFILE_H
#define FUSEC_RUNTIME_FAST_RUN_PROFILE_H

#include "runtime/fast_run/Record.h"

namespace fusec::fast_run {

class Runner {
public:
  virtual ~Runner() = default;

  /// Runs a candidate once and returns how many picoseconds that took, or says
  /// in `failure` why it did not.
  virtual uint64_t run(size_t candidate, std::string &failure) = 0;
  /// Whether others had the processors since the last call: then times say
  /// little.
  virtual bool wasDisturbed() = 0;
};

struct ProfileOptions {
  /// Runs of each candidate before the first that counts, and runs that count.
  unsigned warmUps = 2, runs = 15;
  /// How often unstable times are measured again.
  unsigned repeats = 2;
  /// Whether one that is too slow is left early: nobody asks how slow it is.
  bool leavesSlow = true;
};

/// Whether a median can be relied on whose middle half is so wide: by no more
/// than a tenth of it.
bool isStable(uint64_t median, uint64_t spread);

/// Sorts the times of a candidate's runs, and sets its median and spread.
void summarise(std::vector<uint64_t> &runs, Timing &timing);

/// Whether `after` is faster than `before`: times of two that took turns, one
/// of each a round. What disturbs a machine meets both of a round, so that wide
/// times may still say which is the faster one: it is in so many more of the
/// rounds that chance does not explain it (the sign test, at two standard
/// deviations; W. J. Dixon, A. M. Mood: The Statistical Sign Test, 1946).
bool isFasterInTurns(const std::vector<double> &before,
                     const std::vector<double> &after);

/// Two that took turns, with a further run of the first: what tells it from
/// itself is chance.
struct Comparison {
  double ratio = 1;  ///< before / after, of the median round
  double chance = 1; ///< the same of before and itself: 1 / chance to chance
  bool isFaster = false, isSlower = false; ///< after, beyond chance
};

/// Times of rounds in which `before` ran, ran `again`, and `after` did. Chance
/// is as wide as the middle half of the rounds say of `before` and `again`, on
/// either side of 1. Who is faster or slower is so beyond that, and in enough
/// rounds.
Comparison compareInTurns(const std::vector<double> &before,
                          const std::vector<double> &again,
                          const std::vector<double> &after);

/// Fills in the times of `candidates`, of which names and attributes are known.
/// They take turns, so that what changes on the machine meets all of them, and
/// another one begins each round, so that none always follows the same. One
/// that takes more than twice the time of the fastest is left early, unless the
/// options say otherwise; one that fails is named and left. Where the machine
/// was disturbed, or times are not stable, all are measured again, and in the
/// end marked as unstable.
void profile(Runner &runner, const ProfileOptions &options,
             std::vector<Timing> &candidates);

} // namespace fusec::fast_run

#endif
