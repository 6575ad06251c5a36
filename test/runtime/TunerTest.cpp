// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Searching while a model runs, on the hand-written C model and a clock of our
// own.
#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "fusec/host.h"
#include "test/runtime/TunedSessions.h"

namespace {

using namespace tuned_sessions;
using Names = std::vector<std::string>;

TEST_F(TunerTest, TriesInItsRangeAndTakesTheFastestAfterIt) {
  setRange(2, 11);
  fusec::Tuner tuner(options);
  ASSERT_TRUE(tuner) << tuner.error();
  Runner runner(known, tuner);
  EXPECT_EQ(run(runner, 2), Names({"default", "default"}));
  EXPECT_EQ(run(runner, 9),
            Names({"default", "packed", "copying", "default", "packed",
                   "copying", "default", "packed", "copying"}));
  EXPECT_EQ(run(runner, 3), Names(3, "packed"));
  EXPECT_EQ(messages, "");
}

TEST_F(TunerTest, KeepsTheDefaultUnlessAnotherIsFasterThanTheSpread) {
  setRange(0, 12);
  clock.packedCost = clock.copyingCost = clock.defaultCost;
  fusec::Tuner tuner(options);
  Runner runner(known, tuner);
  run(runner, 12);
  EXPECT_EQ(runner.run(), "default");
}

TEST_F(TunerTest, WhoIsTooSlowIsLeftEarly) {
  setRange(0, 20);
  std::vector<size_t> expected = {3, 9, 8}; // default, packed, copying
  for (const uint32_t flags : {0u, uint32_t(FUSEC_TUNER_EXHAUSTIVE)}) {
    options.flags = flags;
    fusec::Tuner tuner(options);
    Runner runner(known, tuner);
    const Names names = run(runner, 20);
    std::vector<size_t> counts;
    for (const char *name : {"default", "packed", "copying"})
      counts.push_back(std::count(names.begin(), names.end(), name));
    EXPECT_EQ(counts, expected);
    EXPECT_EQ(runner.run(), "packed");
    expected = {7, 7, 6};
  }
}

TEST_F(TunerTest, AFullRunTriesTheNaiveKernel) {
  setRange(0, 12);
  known.variants[1].attributes |= FUSEC_VARIANT_NAIVE; // the packed one
  for (const bool isFull : {false, true}) {
    options.flags = isFull ? FUSEC_TUNER_FULL_RUN : 0;
    fusec::Tuner tuner(options);
    Runner runner(known, tuner);
    const Names names = run(runner, 12);
    EXPECT_EQ(std::count(names.begin(), names.end(), "packed") > 0, isFull);
    EXPECT_EQ(runner.run(), isFull ? "packed" : "copying");
  }
}

TEST_F(TunerTest, WhatOneSessionFoundOutNoOtherSearches) {
  setRange(0, 9);
  fusec::Tuner tuner(options);
  Runner first(known, tuner);
  run(first, 10);
  KnownModel again;
  Runner second(again, tuner);
  EXPECT_EQ(run(second, 2), Names(2, "packed"));
  const std::string report = tuner.report();
  EXPECT_NE(report.find("{\"run\":2,\"hits\":0,\"misses\":2,\"rate\":0}"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("\"later\":{\"hits\":6,\"misses\":0,\"rate\":1}"),
            std::string::npos)
      << report;
  EXPECT_NE(report.find("{\"name\":\"packed\",\"runs\":3,\"median_ns\":600}"),
            std::string::npos)
      << report;
}

TEST_F(TunerTest, WhatDoesNotRunIsNotTimed) {
  // A further launch, of a kernel of its own, which an alternative makes that
  // the program does not have: as where another alternative is taken.
  std::vector<fusec_launch_desc> launches(
      known.desc.launches, known.desc.launches + known.desc.num_launches);
  const uint32_t count = uint32_t(launches.size());
  std::vector<uint32_t> all;
  for (uint32_t i = 0; i < count; ++i)
    all.push_back(i);
  const uint32_t other[] = {count};
  fusec_variant_desc alternatives[2] = {};
  alternatives[0] = {"direct",   "algorithm=direct",
                     all.data(), nullptr,
                     nullptr,    0,
                     0,          0xc1,
                     count,      0};
  alternatives[1] = {
      "other", "algorithm=other", other, nullptr, nullptr, 0, 0, 0xc2, 1, 0};
  const fusec_variant_list list = FUSEC_VARIANT_LIST(alternatives);
  launches.push_back({"idle", uint32_t(known.groups.size()), 0});
  known.kernels.push_back(&known.list);
  known.desc.kernels[FUSEC_ISA_BASELINE] = known.kernels.data();
  known.desc.num_kernels = uint32_t(known.kernels.size());
  known.groups.push_back(known.groups[0]);
  known.groups.back().name = "idle";
  known.groups.back().key = 0xa7;
  known.groups.push_back({"choice", &list, 0xa8});
  known.desc.groups = known.groups.data();
  known.desc.num_groups = uint32_t(known.groups.size());
  known.desc.launches = launches.data();
  known.desc.num_launches = count + 1;
  setRange(0, 18);
  options.cache = cache.c_str();
  fusec::Tuner tuner(options);
  ASSERT_TRUE(tuner) << tuner.error();
  Runner runner(known, tuner);
  run(runner, 19);
  const std::string report = tuner.report();
  auto has = [&](const std::string &text) {
    EXPECT_NE(report.find(text), std::string::npos) << text << " in " << report;
  };
  has("00a7\",\"isa\":\"" + std::string(runner.session.isa()) + "\"");
  has("\"taken\":\"default\",\"variants\":[{\"name\":\"default\",\"runs\":0,"
      "\"median_ns\":null}");
  // Each run launches what its alternative does: the two of "scale", or "idle".
  has("{\"run\":0,\"hits\":0,\"misses\":2,\"rate\":0}");
  has("{\"run\":1,\"hits\":0,\"misses\":1,\"rate\":0}");
  // Of "scale" and of the choice; of "idle" nothing is known.
  EXPECT_EQ(countRecords(), 2u);
}

/// As a host program that ends with a call of the library where its last group,
/// a choice, has its second alternative.
static int32_t runWithCall(const fusec_run_ctx *ctx) {
  const fusec_model_desc &desc = *fusec_testmodel_query(FUSEC_ABI_VERSION);
  const int32_t status = desc.run(ctx);
  if (ctx->selection[desc.num_groups] == 1)
    fusec::call(ctx, desc.num_launches, [] {});
  return status;
}

TEST_F(TunerTest, CallsOfAnAlternativeAreTimed) {
  const uint32_t direct[] = {0}, called[] = {0, FUSEC_CALL | 0};
  const fusec_variant_desc alternatives[] = {
      {"direct", "algorithm=direct", direct, nullptr, nullptr, 0, 0, 0xc1, 1,
       0},
      {"called", "algorithm=called", called, nullptr, nullptr, 0, 0, 0xc2, 2,
       0}};
  const fusec_variant_list list = FUSEC_VARIANT_LIST(alternatives);
  known.groups.push_back({"choice", &list, 0xa8});
  known.desc.groups = known.groups.data();
  known.desc.num_groups = uint32_t(known.groups.size());
  known.desc.run = runWithCall;
  setRange(0, 6);
  fusec::Tuner tuner(options);
  Runner runner(known, tuner, {{"scale", "packed"}});
  run(runner, 7);
  const std::string report = tuner.report();
  EXPECT_NE(report.find("\"taken\":\"direct\",\"variants\":[{\"name\":"
                        "\"direct\",\"runs\":3,\"median_ns\":600},{\"name\":"
                        "\"called\",\"runs\":3,\"median_ns\":900}]"),
            std::string::npos)
      << report;
}

TEST_F(TunerTest, AKeyThatComesAfterTheRangeTakesTheDefault) {
  setRange(0, 9);
  fusec::Tuner tuner(options);
  Runner first(known, tuner);
  run(first, 10);
  KnownModel other(/*key=*/0xa2);
  Runner second(other, tuner);
  EXPECT_EQ(run(second, 2), Names(2, "default"));
}

TEST_F(TunerTest, CachesKnowWhatAnEarlierProcessFoundOut) {
  setRange(0, 9);
  options.cache = cache.c_str();
  {
    fusec::Tuner tuner(options);
    Runner runner(known, tuner);
    run(runner, 9);
    EXPECT_EQ(countRecords(), 0u); // the range is not over yet
    run(runner, 2);
  }
  EXPECT_EQ(countRecords(), 1u);
  { // Both: nothing is searched again.
    fusec::Tuner tuner(options);
    Runner runner(known, tuner);
    EXPECT_EQ(run(runner, 4), Names(4, "packed"));
    EXPECT_NE(tuner.report().find("\"from\":\"cache\""), std::string::npos);
  }
  EXPECT_EQ(countRecords(), 1u);
  setRange(0, 0);
  { // A cache only, which another program wrote.
    options.read_only = options.cache;
    options.cache = nullptr;
    fusec::Tuner tuner(options);
    Runner runner(known, tuner);
    EXPECT_EQ(run(runner, 2), Names(2, "packed"));
    KnownModel other(/*key=*/0xa2);
    Runner unknown(other, tuner);
    EXPECT_EQ(run(unknown, 2), Names(2, "default"));
  }
  { // A kernel that is another one by now is not the one that was measured.
    fusec::Tuner tuner(options);
    KnownModel other;
    other.variants[0].hash = 0xc0;
    Runner runner(other, tuner);
    EXPECT_EQ(run(runner, 2), Names(2, "default"));
  }
}

TEST_F(TunerTest, ARangeThatIsTooShortDecidesNothing) {
  options.cache = cache.c_str();
  // The last of three variants has run twice, or not at all.
  for (const uint64_t end : {2u, 8u}) {
    messages = "";
    setRange(0, end);
    fusec::Tuner tuner(options);
    Runner runner(known, tuner);
    run(runner, end);
    EXPECT_EQ(run(runner, 2), Names(2, "default"));
    EXPECT_EQ(countRecords(), 0u);
    EXPECT_EQ(messages, "the tuning range [0, " + std::to_string(end) +
                            ") is too short: of 1 group some variant ran "
                            "fewer than 3 times, and the default stays; it "
                            "takes 9 runs or more\n");
    EXPECT_NE(tuner.report().find("\"from\":\"none\",\"taken\":\"default\""),
              std::string::npos);
  }
}

TEST_F(TunerTest, TakesWhatIsAskedFor) {
  setRange(0, 9);
  options.workspace_limit = 0;
  options.flags = FUSEC_TUNER_LIMIT_WORKSPACE;
  fusec::Tuner small(options);
  Runner runner(known, small);
  for (const std::string &name : run(runner, 10))
    EXPECT_NE(name, "copying");
  options.flags = FUSEC_TUNER_REPRODUCIBLE;
  fusec::Tuner reproducible(options);
  Runner same(known, reproducible);
  EXPECT_EQ(run(same, 10), Names(10, "default"));
  EXPECT_NE(messages.find("one variant of each group"), std::string::npos);
}

TEST_F(TunerTest, ChoicesGoBeforeIt) {
  setRange(0, 3);
  fusec::Tuner tuner(options);
  Runner runner(known, tuner, {{"scale", "copying"}});
  EXPECT_EQ(run(runner, 4), Names(4, "copying"));
}

TEST_F(TunerTest, MemoryIsEnoughForWhateverMayRun) {
  setRange(0, 3);
  fusec::Tuner tuner(options);
  Runner runner(known, tuner);
  uint64_t with = 0, without = 0;
  ASSERT_EQ(fusec_session_memory(runner.model.get(), &runner.options, &with),
            FUSEC_OK);
  runner.options.tuner = nullptr;
  ASSERT_EQ(fusec_session_memory(runner.model.get(), &runner.options, &without),
            FUSEC_OK);
  EXPECT_EQ(with, without + 64);
}

TEST_F(TunerTest, AFailedRunIsNoTime) {
  setRange(0, 3);
  fusec::Tuner tuner(options);
  Runner runner(known, tuner);
  clock.runner = &runner;
  runner.mode = 7;
  EXPECT_EQ(runner.tryRun(), FUSEC_UNSUPPORTED);
  EXPECT_NE(tuner.report().find("\"name\":\"default\",\"runs\":0"),
            std::string::npos);
}

/// Set by a test: what happens while a session is planned.
std::function<void()> whilePlanned;

TEST_F(TunerTest, ASessionHasRoomForWhatAnotherOneFindsMeanwhile) {
  setRange(0, 9);
  clock.copyingCost = 100; // the one with a workspace
  fusec::Tuner tuner(options);
  Runner first(known, tuner);
  run(first, 9);
  KnownModel other;
  static const fusec_plan_fn plan = other.desc.plan;
  other.desc.plan = [](const int64_t *symbols, const uint32_t *selection,
                       fusec_plan *result) {
    if (whilePlanned)
      std::exchange(whilePlanned, nullptr)();
    return plan(symbols, selection, result);
  };
  // The search ends when the session has looked the group up, and before it has
  // memory.
  whilePlanned = [&] { EXPECT_EQ(first.run(), "copying"); };
  Runner second(other, tuner);
  EXPECT_EQ(second.variant(), "default");
  EXPECT_EQ(second.run(), "copying");
}

TEST_F(TunerTest, SessionsOfSeveralThreadsShareIt) {
  setRange(5, 25);
  options.clock = nullptr; // the system's
  fusec::Tuner tuner(options);
  std::vector<std::unique_ptr<Runner>> runners;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    runners.push_back(std::make_unique<Runner>(known, tuner));
  for (const std::unique_ptr<Runner> &runner : runners)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i)
        runner->run();
    });
  for (std::thread &thread : threads)
    thread.join();
  // Behind the range all take the same.
  Runner later(known, tuner);
  for (const std::unique_ptr<Runner> &runner : runners)
    EXPECT_EQ(runner->run(), later.run());
}

TEST_F(TunerTest, RefusesWhatMakesNoSense) {
  setRange(3, 3);
  EXPECT_STREQ(fusec::Tuner(options).error(),
               "the tuning range [3, 3) has no run; its end must be greater "
               "than its begin");
  setRange(3, 2);
  EXPECT_EQ(fusec::Tuner(options).status(), FUSEC_INVALID_ARGUMENT);
  setRange(0, 3);
  const std::string file = folder + "/file";
  (void)!system(("echo 'fusec.cache 1' > " + file).c_str());
  options.cache = file.c_str();
  EXPECT_NE(std::string(fusec::Tuner(options).error())
                .find("is a file, and a search writes to a folder"),
            std::string::npos);
  options.cache = nullptr;
  options.read_only = "/nowhere/at/all";
  EXPECT_EQ(fusec::Tuner(options).status(), FUSEC_IO_ERROR);
}

TEST_F(TunerTest, SaysWhatItCannotKeep) {
  setRange(0, 9);
  const std::string inFile = folder + "/file/cache";
  (void)!system(("touch " + folder + "/file").c_str());
  options.cache = inFile.c_str();
  fusec::Tuner tuner(options);
  ASSERT_TRUE(tuner) << tuner.error();
  Runner runner(known, tuner);
  EXPECT_EQ(run(runner, 10).back(), "packed");
  EXPECT_NE(messages.find(inFile + ": what was found out is not kept: "),
            std::string::npos);
}

} // namespace
