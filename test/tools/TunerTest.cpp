// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search takes, remembers and leaves for the next one.
#include "test/tools/TestWorkbench.h"

using namespace fusec;
using namespace fusec::tool;
using fast_run::Record;
using fast_run::RecordKind;

TEST_F(TunerTest, TakesAndRecordsTheFastest) {
  workbench.getTime = [](llvm::StringRef group, llvm::StringRef algorithm,
                         size_t) {
    llvm::StringRef best = group == "sums_c" ? "inner" : "rows";
    return uint64_t(algorithm == best ? 600 : 1000);
  };
  ASSERT_EQ(tune(), kExitFine);
  // Four of each group, the naive one left out, and the model twice.
  EXPECT_EQ(timings, kGroups * 4 + 2);
  EXPECT_EQ(compilations, kGroups + 2);
  ASSERT_EQ(model.groups.size(), kGroups);
  fast_run::Records kept = readCache();
  EXPECT_EQ(kept.size(), kGroups + 1);
  for (const TunedResult &group : model.groups) {
    llvm::StringRef best = group.name == "sums_c" ? "inner" : "rows";
    EXPECT_EQ(group.taken, best);
    EXPECT_EQ(group.missed, "is in no cache");
    auto found = kept.find(RecordKind::group, group.key);
    ASSERT_EQ(found.size(), 1u);
    const fast_run::Timing *taken = fast_run::choose(*found[0], {});
    EXPECT_EQ(taken->name, best);
    EXPECT_EQ(taken->picoseconds, 600u);
    EXPECT_EQ(taken->kernel, fast_run::hash(group.key + taken->name));
    EXPECT_EQ(found[0]->backend.threads, "2");
  }
  ASSERT_TRUE(model.verdict);
  EXPECT_EQ(kept.find(RecordKind::model, model.key).size(), 1u);
}

TEST_F(TunerTest, KeepsTheDefaultWithinTheSpread) {
  const auto set = [&](uint64_t rows) {
    workbench.getTime = [=](llvm::StringRef, llvm::StringRef algorithm,
                            size_t run) {
      return algorithm == "rows" ? rows + 20 * (run % 2) : 1000;
    };
  };
  set(975); // 975 or 995: a spread of 20, and a median of 975
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(find("sums_a").taken, "rows");
  options.retune = "all";
  set(985);
  ASSERT_EQ(tune(), kExitFine);
  for (const TunedResult &group : model.groups)
    EXPECT_EQ(group.taken, "default");
  // Nothing to try on the model then.
  EXPECT_EQ(workbench.judged, 1u);
}

TEST_F(TunerTest, WhatIsKnownIsNotMeasuredAgain) {
  ASSERT_EQ(tune(), kExitFine);
  searchWhatIsKnown(kGroups);
  EXPECT_TRUE(model.verdictKnown);
}

TEST_F(TunerTest, WhatIsMeasuredAgainWithinASecondIsTheNewer) {
  // Of two records of one date, the one with the greater text would be taken.
  for (uint64_t time : {9000, 1000, 5000}) {
    workbench.getTime = [=](llvm::StringRef, llvm::StringRef, size_t) {
      return time;
    };
    options.retune = "all";
    ASSERT_EQ(tune(), kExitFine);
    const fast_run::Records kept = readCache();
    EXPECT_EQ(kept.find(RecordKind::group, find("sums_b").key)
                  .front()
                  ->timings.front()
                  .picoseconds,
              time);
  }
}

TEST_F(TunerTest, MeasuresAgainWhatIsAskedFor) {
  ASSERT_EQ(tune(), kExitFine);
  options.retune = find("sums_b").key;
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(workbench.timed, std::vector<std::string>{"sums_b"});
  EXPECT_EQ(find("sums_b").missed, "is to be measured again");
  // What is said of the model was said of other times.
  EXPECT_EQ(workbench.judged, 2u);
  options.retune = "";
  options.exhaustive = true;
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(workbench.timed.size(), kGroups);
  EXPECT_EQ(find("sums_b").missed, "was found by a heuristic search");
  options.exhaustive = false;
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(timings, 0u);
}

TEST_F(TunerTest, MeasuresWhatWasTriedWhileAModelRan) {
  ASSERT_EQ(tune(), kExitFine);
  const fast_run::Records kept = readCache();
  fast_run::Record online =
      *kept.find(RecordKind::group, find("sums_b").key).front();
  online.search = "online";
  online.at += 1;
  fast_run::Writer writer(fast_run::getFileSystem(), options.cache);
  ASSERT_EQ(writer.append(online), "");
  writer.close();
  workbench.date += 2;
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(workbench.timed, std::vector<std::string>{"sums_b"});
  EXPECT_EQ(find("sums_b").missed, "was found while a model ran");
  searchWhatIsKnown(kGroups);
}

TEST_F(TunerTest, EachFieldOfTheBackendCounts) {
  options.threads = 2;
  ASSERT_EQ(tune(), kExitFine);
  const fast_run::Backend own = workbench.backend;
  for (const fast_run::BackendField &field : fast_run::getBackendFields()) {
    workbench.backend = own;
    options.threads = 2;
    if (field.member == &fast_run::Backend::threads)
      options.threads = 3;
    else
      workbench.backend.*field.member = "7";
    ASSERT_EQ(tune(), kExitFine);
    EXPECT_EQ(timings, kGroups * 4 + 2) << field.name;
    for (const TunedResult &group : model.groups)
      EXPECT_EQ(group.missed,
                std::string("was measured with different ") + field.name);
  }
  // One cache has them all.
  EXPECT_EQ(readCache().size(),
            (kGroups + 1) * (1 + fast_run::getBackendFields().size()));
  workbench.backend = own;
  options.threads = 2;
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(timings, 0u);
}

TEST_F(TunerTest, ShardsMergedAreTheWhole) {
  ASSERT_EQ(tune(), kExitFine);
  fast_run::Records whole = readCache();
  fast_run::Records merged;
  std::vector<std::string> timed;
  options.shard.count = 3;
  for (unsigned number : {3, 1, 2}) {
    options.shard.number = number;
    options.cache = folder.path + "/shard-" + std::to_string(number);
    ASSERT_EQ(tune(), kExitFine);
    EXPECT_FALSE(model.verdict);
    EXPECT_FALSE(workbench.timed.empty());
    llvm::append_range(timed, workbench.timed);
    merged.add(readCache());
  }
  // Each group once.
  llvm::sort(timed);
  EXPECT_EQ(timed, (std::vector<std::string>{"sums_a", "sums_b", "sums_c",
                                             "sums_d", "sums_e"}));
  options.shard = {};
  options.cache = folder.path + "/merged";
  {
    fast_run::Writer writer(fast_run::getFileSystem(), options.cache);
    for (const Record *record : merged.getAll())
      ASSERT_EQ(writer.append(*record), "");
  }
  // What is best for the model is said once, of all parts.
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_TRUE(workbench.timed.empty());
  EXPECT_EQ(timings, 2u);
  EXPECT_EQ(readCache().print(), whole.print());
  whole.keepIf(
      [](const Record &record) { return record.kind == RecordKind::group; });
  EXPECT_EQ(merged.print(), whole.print());
}

TEST_F(TunerTest, TheSameTimesGiveTheSameRecords) {
  ASSERT_EQ(tune(), kExitFine);
  const std::string first = readCache().print();
  options.cache = folder.path + "/again";
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(readCache().print(), first);
}

TEST_F(TunerTest, TheBudgetEndsASearch) {
  workbench.backend.cores = "1";
  options.budget = std::chrono::seconds(25);
  ASSERT_EQ(tune(), kExitFine);
  // They begin after 0, 10 and 20 seconds, the largest first, and the third one
  // is given up.
  EXPECT_EQ(workbench.timed,
            (std::vector<std::string>{"sums_e", "sums_d", "sums_c"}));
  EXPECT_EQ(listUndone(),
            (std::vector<std::string>{"sums_c", "sums_b", "sums_a"}));
  EXPECT_FALSE(model.verdict);
  EXPECT_EQ(readCache().size(), 2u);
  EXPECT_EQ(workbench.reports.front(),
            "tuning [----------] 0 of 5 groups, 5 left, 25 s of the budget: "
            "sums_e");
  EXPECT_EQ(workbench.reports.back(),
            "tuning [####------] 2 of 5 groups, 3 left, 5 s of the budget: "
            "sums_c");
  options.budget.reset();
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(workbench.timed,
            (std::vector<std::string>{"sums_c", "sums_b", "sums_a"}));
  EXPECT_EQ(workbench.reports.front(),
            "tuning [----------] 0 of 3 groups, 3 left: sums_c");
  EXPECT_EQ(countKnown(), 2u);
  EXPECT_TRUE(model.verdict);
  EXPECT_TRUE(listUndone().empty());
}

TEST_F(TunerTest, TheBudgetEndsWhateverIsUnderWay) {
  workbench.backend.cores = "2";
  workbench.perGroup = std::chrono::seconds(1);
  options.budget = std::chrono::seconds(10);
  const Workbench::Clock::time_point begin = workbench.now();
  auto tuneAgain = [&] {
    options.cache += "-again";
    workbench.emitted = 0;
    const Workbench::Clock::time_point start = workbench.now();
    EXPECT_EQ(tune(), kExitFine);
    EXPECT_LE(workbench.now() - start, *options.budget);
    EXPECT_FALSE(model.verdict);
    EXPECT_TRUE(model.isJudgementLeft);
  };
  // While candidates are made: the first of them is the last.
  workbench.perEmission = std::chrono::seconds(60);
  tuneAgain();
  EXPECT_EQ(workbench.emitted, 1u);
  EXPECT_EQ(listUndone().size(), kGroups);
  // While they are compiled: nothing is measured.
  workbench.perEmission = std::chrono::seconds(0);
  workbench.perBuild = std::chrono::seconds(60);
  tuneAgain();
  EXPECT_EQ(workbench.emitted, 2u);
  EXPECT_TRUE(workbench.timed.empty());
  EXPECT_EQ(listUndone().size(), kGroups);
  // While the model is run: what was measured stays.
  workbench.perBuild = std::chrono::seconds(0);
  workbench.perModel = std::chrono::seconds(60);
  tuneAgain();
  EXPECT_EQ(workbench.judged, 1u);
  EXPECT_TRUE(listUndone().empty());
  EXPECT_EQ(readCache().size(), kGroups);
  EXPECT_GT(workbench.now(), begin);
  // The same command goes on.
  workbench.perModel = std::chrono::seconds(0);
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_TRUE(workbench.timed.empty());
  EXPECT_TRUE(model.verdict);
  EXPECT_FALSE(model.isJudgementLeft);
}

TEST_F(TunerTest, SaysWhatItTakes) {
  workbench.perEmission = std::chrono::seconds(2);
  workbench.perBuild = std::chrono::seconds(3);
  workbench.perModel = std::chrono::seconds(7);
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(costs.enumerate, 2 * kGroups);
  EXPECT_EQ(costs.compile, 3 * kGroups);
  EXPECT_EQ(costs.measure, 10 * kGroups);
  EXPECT_EQ(costs.judge, 7);
  const TunedResult &group = find("sums_d");
  EXPECT_EQ(group.seconds, 10);
  EXPECT_EQ(group.kind, "reduction");
  EXPECT_EQ(group.operands, "5x16xf32 -> 5xf32");
  EXPECT_EQ(group.nodes, std::vector<std::string>{"sums_d"});
  // All that was measured, the slow ones, too.
  EXPECT_EQ(group.record.timings.size(), workbench.algorithms.size());
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(find("sums_d").record.timings.size(), workbench.algorithms.size());
  EXPECT_EQ(costs.getSum(), 0);
}

TEST_F(TunerTest, SaysWhatAnExhaustiveSearchLeavesOut) {
  options.exhaustive = true;
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(find("sums_a").leftOut, 0u);
  for (unsigned number = 0; number < 70; ++number)
    workbench.algorithms.push_back("tiles_" + std::to_string(number));
  options.retune = "all";
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(find("sums_a").record.timings.size(), kAllAlgorithms - 1);
  EXPECT_EQ(find("sums_a").leftOut,
            workbench.algorithms.size() + 1 - kAllAlgorithms);
  options.exhaustive = false; // which nobody takes for all of them
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(find("sums_a").leftOut, 0u);
}

TEST_F(TunerTest, TheVerdictIsKept) {
  workbench.getTime = [](llvm::StringRef, llvm::StringRef algorithm, size_t) {
    return uint64_t(algorithm == "rows" ? 600 : 1000);
  };
  workbench.keptDefaults = {fast_run::hash("some group")};
  ASSERT_EQ(tune(), kExitFine);
  ASSERT_TRUE(model.verdict);
  EXPECT_EQ(model.verdict->keptDefaults, workbench.keptDefaults);
  EXPECT_EQ(model.verdict->timings[1].picoseconds, workbench.tuned);
  workbench.keptDefaults.clear();
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_TRUE(model.verdictKnown);
  EXPECT_EQ(model.verdict->keptDefaults.size(), 1u);
  EXPECT_EQ(workbench.judged, 1u);
}

/// Of a GPU, whose records have its clocks and no threads.
class GpuTunerTest : public TunerTest {
protected:
  GpuTunerTest() {
    options.gpu = getTargetInfo("cuda-sm80");
    workbench.clocks = "1395-1410/1593";
    workbench.backend = {};
    workbench.backend.device = "a GPU";
    workbench.backend.isa = "sm_80";
    workbench.backend.driver = "13.0";
    workbench.backend.compiler = "NVRTC 13.0";
  }
};

TEST_F(GpuTunerTest, TakesAndRecordsTheFastest) {
  workbench.getTime = [](llvm::StringRef, llvm::StringRef algorithm, size_t) {
    return algorithm == "rows" ? 100 : 1000;
  };
  ASSERT_EQ(tune(), kExitFine);
  for (const TunedResult &group : model.groups)
    EXPECT_EQ(group.taken, "rows");
  const fast_run::Records records = readCache();
  const std::vector<const fast_run::Record *> found =
      records.find(fast_run::RecordKind::group, model.groups.front().key);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found.front()->clocks, "1395-1410/1593");
  EXPECT_EQ(found.front()->backend.threads, "");
  EXPECT_EQ(found.front()->backend, workbench.backend);
  // Another driver, another GPU: it is measured again.
  workbench.backend.driver = "13.1";
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(countKnown(), 0u);
}

TEST_F(GpuTunerTest, WithoutOneNothingIsMeasured) {
  workbench.noGpu = "there is no driver";
  const std::string said = tuneAndListen(kExitBadInput);
  EXPECT_NE(said.find("kernels for cuda-sm80 cannot be measured: there is no "
                      "driver"),
            std::string::npos)
      << said;
  EXPECT_TRUE(workbench.timed.empty());
  EXPECT_TRUE(readCache().empty());
}
