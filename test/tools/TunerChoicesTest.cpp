// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A search through choices between graphs: their kernels come first.
#include "test/tools/TestWorkbench.h"

using namespace fusec;
using namespace fusec::tool;
using fast_run::Record;
using fast_run::RecordKind;

/// Of the model with choices: those of the alternatives among them.
static constexpr size_t kKernels = 4;

// In no namespace of this file's own: tests, which derive from it, are in none.
class TunerChoices : public TunerTest {
protected:
  TunerChoices() {
    input = FUSEC_CHOICES;
    takeFastest({});
  }

  /// Makes one algorithm of each that is named the fastest, and else defaults.
  void takeFastest(std::map<std::string, std::string> fastest) {
    workbench.getTime = [=](llvm::StringRef group, llvm::StringRef algorithm,
                            size_t) {
      auto best = fastest.find(group.str());
      return uint64_t(
          best != fastest.end() && best->second == algorithm ? 600 : 1000);
    };
  }

  /// Keys of what the model was judged by, as names.
  std::set<std::string> getJudged() const {
    std::set<std::string> names;
    for (const ChangedPart &part : workbench.changed)
      for (const TunedResult &group : model.groups)
        if (group.key == part.key)
          names.insert(group.name);
    return names;
  }
};

TEST_F(TunerChoices, KernelsComeFirstAndOnce) {
  ASSERT_EQ(tune(), kExitFine);
  // Both choices are one, and so are their kernels.
  EXPECT_EQ(workbench.timed,
            (std::vector<std::string>{"sums", "half_halves", "whole_whole",
                                      "both_halves", "first"}));
  // Each step by its name.
  std::set<std::string> steps;
  for (llvm::StringRef report : workbench.reports)
    steps.insert(report.split(" of ").second.split(',').first.str());
  EXPECT_EQ(steps, (std::set<std::string>{"1 choices", "1 groups",
                                          "3 children of choices"}));
  EXPECT_EQ(timings, kKernels * 4 + 2);
  EXPECT_EQ(compilations, kKernels + 1);
  EXPECT_FALSE(find("sums").isChild);
  EXPECT_TRUE(find("both_halves").isChild);
  EXPECT_TRUE(find("first").isChoice);
}

TEST_F(TunerChoices, TakesAndRecordsTheFastest) {
  takeFastest({{"first", "halves"}});
  ASSERT_EQ(tune(), kExitFine);
  const TunedResult &choice = find("first");
  EXPECT_EQ(choice.taken, "halves");
  const fast_run::Records kept = readCache();
  const auto found = kept.find(RecordKind::group, choice.key);
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found[0]->timings.size(), 2u);
  EXPECT_EQ(found[0]->timings[0].name, "halves");
  EXPECT_FALSE(found[0]->timings[0].isDefault);
  EXPECT_TRUE(found[0]->timings[1].isDefault);
  // The default is beaten by more than the spread, or stays.
  workbench.getTime = [](llvm::StringRef group, llvm::StringRef algorithm,
                         size_t run) {
    return algorithm == "halves" ? 985 + 20 * (run % 2) : 1000;
  };
  options.retune = choice.key;
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(workbench.timed, std::vector<std::string>{"first"});
  EXPECT_EQ(find("first").taken, "whole");
}

TEST_F(TunerChoices, WhatIsKnownIsNotMeasuredAgain) {
  ASSERT_EQ(tune(), kExitFine);
  searchWhatIsKnown(kKernels + 1);
}

TEST_F(TunerChoices, NewerKernelsMeasureAgain) {
  ASSERT_EQ(tune(), kExitFine);
  ++workbench.date;
  options.retune = find("sums").key; // no kernel of the choice
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(workbench.timed, std::vector<std::string>{"sums"});
  options.retune = find("both_halves").key;
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(workbench.timed,
            (std::vector<std::string>{"both_halves", "first"}));
  EXPECT_EQ(find("first").missed, "was measured before its kernels");
  options.retune = "";
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(timings, 0u);
}

TEST_F(TunerChoices, ShardsLeaveThem) {
  options.shard.count = 2;
  for (unsigned number : {1, 2}) {
    options.shard.number = number;
    ASSERT_EQ(tune(), kExitFine);
    EXPECT_FALSE(llvm::is_contained(workbench.timed, "first"));
  }
  options.shard = {};
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(workbench.timed, std::vector<std::string>{"first"});
}

TEST_F(TunerChoices, TheBudgetEndsBeforeThem) {
  workbench.backend.cores = "1";
  options.budget = std::chrono::seconds(15);
  ASSERT_EQ(tune(), kExitFine);
  // The choice is left with its kernels.
  EXPECT_EQ(listUndone(),
            (std::vector<std::string>{"half_halves", "whole_whole",
                                      "both_halves", "first"}));
  EXPECT_TRUE(model.undone.back().isChoice);
  options.budget = std::chrono::seconds(35);
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(workbench.timed,
            (std::vector<std::string>{"half_halves", "whole_whole",
                                      "both_halves", "first"}));
  EXPECT_EQ(listUndone(), std::vector<std::string>{"first"});
  EXPECT_FALSE(model.verdict);
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(workbench.timed, std::vector<std::string>{"first"});
  EXPECT_EQ(model.undone.size(), 0u);
  EXPECT_TRUE(model.verdict);
}

TEST_F(TunerChoices, TheModelIsJudgedByWhatItTakes) {
  // A kernel of what is not taken makes no other model.
  takeFastest({{"half_halves", "rows"}});
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(find("half_halves").taken, "rows");
  EXPECT_EQ(workbench.judged, 0u);
  // Where the choice is, it is the sum of its kernels, and those of the default
  // are what taking it back leaves.
  takeFastest(
      {{"first", "halves"}, {"half_halves", "rows"}, {"whole_whole", "rows"}});
  options.retune = "all";
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(workbench.judged, 1u);
  EXPECT_EQ(getJudged(),
            (std::set<std::string>{"first", "half_halves", "whole_whole"}));
  for (const ChangedPart &part : workbench.changed)
    EXPECT_EQ(part.groups.size(), part.key == find("first").key ? 3u : 1u);
}

TEST_F(TunerChoices, AnAlternativeThatFailsIsNamedAndLeft) {
  takeFastest({{"first", "halves"}});
  workbench.getFailure = [](llvm::StringRef group, llvm::StringRef algorithm) {
    return algorithm == "halves" ? "Segmentation fault" : "";
  };
  ASSERT_EQ(tune(), kExitFine);
  EXPECT_EQ(find("first").taken, "whole");
  EXPECT_EQ(find("first").record.timings.back().failure, "Segmentation fault");
}

TEST_F(TunerChoices, WhereAllFailTheDefaultStays) {
  workbench.getFailure = [](llvm::StringRef group, llvm::StringRef algorithm) {
    return group == "first" && algorithm != "naive" ? "it is wrong" : "";
  };
  options.fullRun = true; // nobody can take a choice in naive kernels
  const std::string said = tuneAndListen(kExitFine);
  EXPECT_NE(said.find("choices.mlir: warning: choice first (whole or halves): "
                      "all of its algorithms but the naive one fail, as "),
            std::string::npos)
      << said;
  EXPECT_NE(said.find("hint: its default is taken"), std::string::npos);
  EXPECT_EQ(find("first").taken, "");
  // What is known of it is said again.
  EXPECT_EQ(tuneAndListen(kExitFine), said);
  EXPECT_EQ(timings, 0u);
}

TEST_F(TunerChoices, AChoiceIsWorthTheSumOfItsKernels) {
  // Milliseconds of each run.
  const auto makeTimes = [](const std::map<std::string, double> &steps) {
    StepTimes times;
    for (const auto &[key, ms] : steps) {
      StepTime &step = times.steps.emplace_back();
      step.key = key;
      step.all = {ms, ms, 9 * ms};
    }
    return times;
  };
  const StepTimes byDefault = makeTimes({{"whole", 3}, {"sums", 1}});
  const std::vector<ChangedPart> changed = {
      {"choice", {"whole", "half", "both"}},
      {"half", {"half"}},
      {"sums", {"sums"}},
      {"with a call", {}}};
  const auto find = [&](double half, double sums) {
    return findUseless(byDefault,
                       makeTimes({{"half", half}, {"both", 1}, {"sums", sums}}),
                       changed);
  };
  using Keys = std::vector<std::string>;
  EXPECT_EQ(find(1, 0.5), Keys());
  EXPECT_EQ(find(2, 0.5), Keys{"choice"});
  EXPECT_EQ(find(1, 1), Keys{"sums"});
}
