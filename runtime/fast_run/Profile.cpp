// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/fast_run/Profile.h"

#include <algorithm>
#include <limits>

namespace fusec::fast_run {

/// Runs after which a candidate may be left as too slow.
static constexpr size_t kFewestRuns = 3;
/// How many times as long as the fastest such a one takes.
static constexpr uint64_t kTooSlow = 2;
/// The part of a median, one in so many, that a spread may be.
static constexpr uint64_t kStable = 10;

bool isStable(uint64_t median, uint64_t spread) {
  return spread <= median / kStable;
}

void summarise(std::vector<uint64_t> &runs, Timing &timing) {
  std::sort(runs.begin(), runs.end());
  timing.picoseconds = runs[runs.size() / 2];
  timing.spread = runs[runs.size() * 3 / 4] - runs[runs.size() / 4];
}

bool isFasterInTurns(const std::vector<double> &before,
                     const std::vector<double> &after) {
  const size_t rounds = std::min(before.size(), after.size());
  double ahead = 0; // rounds won minus rounds lost
  for (size_t i = 0; i < rounds; ++i)
    ahead += double(after[i] < before[i]) - double(before[i] < after[i]);
  // Where chance decides, this has a variance of one a round.
  return ahead > 0 && ahead * ahead > 4 * double(rounds);
}

/// One / other of each round, sorted.
static std::vector<double> getRatios(const std::vector<double> &one,
                                     const std::vector<double> &other) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(one.size(), other.size()); ++i)
    if (one[i] > 0 && other[i] > 0)
      ratios.push_back(one[i] / other[i]);
  std::sort(ratios.begin(), ratios.end());
  return ratios;
}

Comparison compareInTurns(const std::vector<double> &before,
                          const std::vector<double> &again,
                          const std::vector<double> &after) {
  Comparison result;
  const std::vector<double> ratios = getRatios(before, after),
                            same = getRatios(before, again);
  if (ratios.empty() || same.empty())
    return result;
  result.ratio = ratios[ratios.size() / 2];
  const size_t quarter = (same.size() - 1) / 4;
  result.chance =
      std::max({1.0, same[same.size() - 1 - quarter], 1 / same[quarter]});
  result.isFaster =
      result.ratio > result.chance && isFasterInTurns(before, after);
  result.isSlower =
      result.ratio * result.chance < 1 && isFasterInTurns(after, before);
  return result;
}

namespace {
/// The times of all candidates in one go.
class Session {
public:
  Session(Runner &by, std::vector<Timing> &all)
      : runner(by), candidates(all), times(all.size()), isLeft(all.size()) {}

  /// Returns whether the times can be relied on.
  bool run(const ProfileOptions &options);

private:
  /// One run of each that is not left, counted or not.
  void runRound(bool counts);
  void leaveSlowOnes();
  /// Sets median and spread; returns whether they are stable.
  bool setTimes(size_t candidate);

  Runner &runner;
  std::vector<Timing> &candidates;
  std::vector<std::vector<uint64_t>> times;
  std::vector<bool> isLeft;
  size_t first = 0; ///< of the next round
};
} // namespace

void Session::runRound(bool counts) {
  for (size_t turn = 0; turn < candidates.size(); ++turn) {
    const size_t i = (first + turn) % candidates.size();
    if (isLeft[i] || !candidates[i].failure.empty())
      continue;
    const uint64_t time = runner.run(i, candidates[i].failure);
    if (counts && candidates[i].failure.empty())
      times[i].push_back(time);
  }
  ++first;
}

void Session::leaveSlowOnes() {
  const auto fastest = [](const std::vector<uint64_t> &runs) {
    return *std::min_element(runs.begin(), runs.end());
  };
  uint64_t best = std::numeric_limits<uint64_t>::max();
  for (size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].failure.empty())
      best = std::min(best, fastest(times[i]));
  for (size_t i = 0; i < candidates.size(); ++i)
    if (candidates[i].failure.empty() && fastest(times[i]) / kTooSlow > best)
      isLeft[i] = true;
}

bool Session::setTimes(size_t candidate) {
  std::vector<uint64_t> &runs = times[candidate];
  Timing &timing = candidates[candidate];
  if (!timing.failure.empty() || runs.empty())
    return true;
  summarise(runs, timing);
  return isLeft[candidate] || isStable(timing.picoseconds, timing.spread);
}

bool Session::run(const ProfileOptions &options) {
  for (unsigned round = 0; round < options.warmUps; ++round)
    runRound(/*counts=*/false);
  (void)runner.wasDisturbed();
  for (unsigned round = 1; round <= options.runs; ++round) {
    runRound(/*counts=*/true);
    if (options.leavesSlow && round >= kFewestRuns)
      leaveSlowOnes();
  }
  bool isStable = !runner.wasDisturbed();
  for (size_t i = 0; i < candidates.size(); ++i)
    isStable &= setTimes(i);
  return isStable;
}

void profile(Runner &runner, const ProfileOptions &options,
             std::vector<Timing> &candidates) {
  for (unsigned attempt = 0; attempt <= options.repeats; ++attempt)
    if (Session(runner, candidates).run(options))
      return;
  for (Timing &timing : candidates)
    timing.unstable = timing.failure.empty();
}

} // namespace fusec::fast_run
