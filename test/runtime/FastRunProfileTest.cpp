// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How candidates are timed and chosen, by a clock that the tests turn.
#include "runtime/fast_run/Profile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

using namespace fusec::fast_run;

namespace {
/// Times by rule; what was run, in its order.
class TestRunner final : public Runner {
public:
  std::function<uint64_t(size_t candidate, size_t run)> time;
  std::function<bool(size_t session)> disturbed = [](size_t) { return false; };
  size_t failing = ~size_t(0);
  std::vector<size_t> order, counts;

  explicit TestRunner(size_t candidates) : counts(candidates) {}

  uint64_t run(size_t candidate, std::string &failure) override {
    order.push_back(candidate);
    if (candidate == failing)
      failure = "signal 11";
    return time(candidate, counts[candidate]++);
  }
  bool wasDisturbed() override { return disturbed(asked++ / 2); }

private:
  size_t asked = 0;
};

std::vector<Timing> makeCandidates(size_t count) {
  std::vector<Timing> candidates(count);
  for (size_t i = 0; i < count; ++i)
    candidates[i].name = "tiles_" + std::to_string(i);
  return candidates;
}
} // namespace

TEST(FastRunProfile, CandidatesTakeTurns) {
  TestRunner runner(3);
  runner.time = [](size_t candidate, size_t) { return 1000 + candidate; };
  std::vector<Timing> candidates = makeCandidates(3);
  profile(runner, {}, candidates);
  for (size_t i = 0; i < runner.order.size(); ++i)
    ASSERT_EQ(runner.order[i], (i / 3 + i) % 3);
  EXPECT_EQ(runner.counts, std::vector<size_t>(3, 2 + 15));
  EXPECT_EQ(candidates[2].picoseconds, 1002u);
  EXPECT_EQ(candidates[2].spread, 0u);
  EXPECT_FALSE(candidates[2].unstable);
}

TEST(FastRunProfile, WarmUpsDoNotCount) {
  TestRunner runner(1);
  runner.time = [](size_t, size_t run) { return run < 2 ? 1000000 : 1000; };
  std::vector<Timing> candidates = makeCandidates(1);
  profile(runner, {}, candidates);
  EXPECT_EQ(candidates[0].picoseconds, 1000u);
  EXPECT_EQ(candidates[0].spread, 0u);
}

/// The number of the one that is taken where number `byDefault` is the default.
static std::optional<size_t> decideAmong(std::vector<Timing> candidates,
                                         size_t byDefault) {
  candidates[byDefault].isDefault = true;
  std::vector<const Timing *> all;
  for (const Timing &timing : candidates)
    all.push_back(&timing);
  const Timing *taken = decide(all);
  if (!taken)
    return std::nullopt;
  return taken - candidates.data();
}

TEST(FastRunProfile, SlowOnesAreLeftEarly) {
  TestRunner runner(3);
  runner.time = [](size_t candidate, size_t) {
    return uint64_t(candidate == 0 ? 1000 : candidate == 1 ? 2000 : 2002);
  };
  std::vector<Timing> candidates = makeCandidates(3);
  profile(runner, {}, candidates);
  EXPECT_EQ(runner.counts, (std::vector<size_t>{17, 17, 5}));
  EXPECT_EQ(candidates[2].picoseconds, 2002u);
}

TEST(FastRunProfile, SlowOnesStayWhereTheyAreAskedFor) {
  TestRunner runner(2);
  runner.time = [](size_t candidate, size_t) {
    return candidate ? 5000 : 1000;
  };
  std::vector<Timing> candidates = makeCandidates(2);
  ProfileOptions options;
  options.leavesSlow = false;
  profile(runner, options, candidates);
  EXPECT_EQ(runner.counts, (std::vector<size_t>{17, 17}));
  EXPECT_EQ(candidates[1].picoseconds, 5000u);
}

TEST(FastRunProfile, OneThatFailsIsNamedAndLeft) {
  TestRunner runner(2);
  runner.time = [](size_t candidate, size_t) { return candidate ? 10 : 1000; };
  runner.failing = 1;
  std::vector<Timing> candidates = makeCandidates(2);
  profile(runner, {}, candidates);
  EXPECT_EQ(candidates[1].failure, "signal 11");
  EXPECT_EQ(runner.counts[1], 1u);
  EXPECT_EQ(runner.counts[0], 17u);
  EXPECT_EQ(decideAmong(candidates, 1), 0u);
  runner.failing = 0;
  candidates[0].failure = candidates[1].failure;
  EXPECT_EQ(decideAmong(candidates, 0), std::nullopt);
}

TEST(FastRunProfile, UnstableTimesAreMeasuredAgainAndThenMarked) {
  TestRunner runner(1);
  // The first session jumps about, the second does not.
  runner.time = [](size_t, size_t run) {
    return uint64_t(run < 17 ? 1000 + 500 * (run % 2) : 1000);
  };
  std::vector<Timing> candidates = makeCandidates(1);
  profile(runner, {}, candidates);
  EXPECT_EQ(runner.counts[0], 2 * 17u);
  EXPECT_FALSE(candidates[0].unstable);
  EXPECT_EQ(candidates[0].spread, 0u);

  TestRunner restless(1);
  restless.time = [](size_t, size_t run) {
    return uint64_t(1000 + 500 * (run % 2));
  };
  candidates = makeCandidates(1);
  profile(restless, {}, candidates);
  EXPECT_EQ(restless.counts[0], 3 * 17u);
  EXPECT_TRUE(candidates[0].unstable);
}

TEST(FastRunProfile, ADisturbedMachineIsMeasuredAgain) {
  TestRunner runner(1);
  runner.time = [](size_t, size_t) { return 1000; };
  runner.disturbed = [](size_t session) { return session == 0; };
  std::vector<Timing> candidates = makeCandidates(1);
  profile(runner, {}, candidates);
  EXPECT_EQ(runner.counts[0], 2 * 17u);
  EXPECT_FALSE(candidates[0].unstable);
}

TEST(FastRunProfile, TheDefaultStaysUnlessItIsBeaten) {
  std::vector<Timing> candidates = makeCandidates(3);
  const auto set = [&](size_t i, uint64_t time, uint64_t spread,
                       uint64_t workspace = 0) {
    candidates[i].picoseconds = time;
    candidates[i].spread = spread;
    candidates[i].workspace = workspace;
  };
  set(0, 1000, 10);
  set(1, 995, 2);
  set(2, 1200, 0);
  EXPECT_EQ(decideAmong(candidates, 0), 0u);
  EXPECT_EQ(decideAmong(candidates, 2), 0u); // as fast as 1, and before it
  set(1, 989, 2);
  EXPECT_EQ(decideAmong(candidates, 0), 1u);
  // As fast, within the spread: least workspace, then the first.
  set(1, 500, 10, 64);
  set(2, 505, 10);
  EXPECT_EQ(decideAmong(candidates, 0), 2u);
  set(2, 505, 10, 64);
  EXPECT_EQ(decideAmong(candidates, 0), 1u);
}

TEST(FastRunProfile, RoundsSayWhichIsFasterWhereTimesAreWide) {
  // A machine that is up to ten times as slow as by itself, and one that takes
  // 3 % less time, but for a round in five that meets only one of the two.
  std::vector<double> slow, fast;
  for (unsigned round = 0; round < 45; ++round) {
    double load = 1 + round * 7 % 10;
    slow.push_back(load);
    fast.push_back(load * (round % 5 == 4 ? 1.5 : 0.97));
  }
  EXPECT_TRUE(isFasterInTurns(slow, fast));
  EXPECT_FALSE(isFasterInTurns(fast, slow));
}

TEST(FastRunProfile, ChanceMakesNoneFaster) {
  EXPECT_FALSE(isFasterInTurns({}, {}));
  EXPECT_FALSE(isFasterInTurns({2, 2}, {1, 1}));
  const std::vector<double> same(15, 3.0);
  EXPECT_FALSE(isFasterInTurns(same, same));
  // 15 rounds: 11 to 4 is chance, 12 to 3 is not.
  for (unsigned won : {11u, 12u}) {
    std::vector<double> other(15, 4.0);
    std::fill_n(other.begin(), won, 2.0);
    EXPECT_EQ(isFasterInTurns(same, other), won == 12) << won;
  }
}

TEST(FastRunProfile, AGainIsClaimedBeyondChanceOnly) {
  // What runs is as fast as itself, give or take a fifth, and what is compared
  // with it takes so much of its time.
  const auto compare = [](double part, double noise) {
    std::vector<double> before, again, after;
    for (unsigned round = 0; round < 20; ++round) {
      const double load = 1 + round * 7 % 10;
      before.push_back(load);
      again.push_back(load * (1 + noise * (double(round % 5) - 2)));
      after.push_back(load * part);
    }
    return compareInTurns(before, again, after);
  };
  // 5 % less in each round: that is a gain on a quiet machine only.
  Comparison quiet = compare(0.95, 0.01);
  EXPECT_NEAR(quiet.ratio, 1 / 0.95, 1e-9);
  EXPECT_NEAR(quiet.chance, 1 / 0.99, 1e-9);
  EXPECT_TRUE(quiet.isFaster);
  EXPECT_FALSE(quiet.isSlower);
  Comparison loud = compare(0.95, 0.1);
  EXPECT_NEAR(loud.ratio, quiet.ratio, 1e-9);
  EXPECT_NEAR(loud.chance, 1 / 0.9, 1e-9);
  EXPECT_FALSE(loud.isFaster);
  EXPECT_TRUE(compare(0.8, 0.1).isFaster);
  // A loss is no less.
  EXPECT_TRUE(compare(1.05, 0.01).isSlower);
  EXPECT_FALSE(compare(1.05, 0.1).isSlower);
}

TEST(FastRunProfile, WhatIsAlwaysAsFarFromItselfIsChance) {
  // The second run of the same takes a third of its time, in each round: who
  // has a place like that wins by it, too.
  const std::vector<double> one(20, 3.0), third(20, 1.0);
  Comparison comparison = compareInTurns(one, third, third);
  EXPECT_EQ(comparison.ratio, 3);
  EXPECT_EQ(comparison.chance, 3);
  EXPECT_FALSE(comparison.isFaster);
  EXPECT_FALSE(compareInTurns(third, one, one).isSlower);
}

TEST(FastRunProfile, FewRoundsClaimNothing) {
  EXPECT_EQ(compareInTurns({}, {}, {}).ratio, 1);
  const Comparison once = compareInTurns({2}, {2}, {1});
  EXPECT_EQ(once.ratio, 2);
  EXPECT_FALSE(once.isFaster);
  EXPECT_FALSE(
      compareInTurns({2, 2, 2, 2}, {2, 2, 2, 2}, {1, 1, 1, 1}).isFaster);
  EXPECT_TRUE(compareInTurns({2, 2, 2, 2, 2}, {2, 2, 2, 2, 2}, {1, 1, 1, 1, 1})
                  .isFaster);
}
