// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A machine whose times are known and whose clock the tests turn: nothing is
// compiled, run or waited for.
#ifndef FUSEC_TEST_TOOLS_TESTWORKBENCH_H
#define FUSEC_TEST_TOOLS_TESTWORKBENCH_H

#include "runtime/fast_run/RecordText.h"
#include "test/runtime/FastRunFiles.h"
#include "tools/fusec/tune/Tuner.h"

#include <gtest/gtest.h>

namespace fusec::tool {

/// Of the model that the tests search through.
inline constexpr size_t kGroups = 5;

class TestWorkbench final : public Workbench {
public:
  /// What a run of an algorithm of a group takes, the number of the run given.
  std::function<uint64_t(llvm::StringRef group, llvm::StringRef algorithm,
                         size_t run)>
      getTime = [](llvm::StringRef group, llvm::StringRef algorithm, size_t) {
        // Some number of four digits: the same whenever it is asked for.
        return 1000 + std::stoull(fast_run::hash((group + algorithm).str()),
                                  nullptr, 16) %
                          9000;
      };
  /// Why an algorithm cannot be taken; empty: it can.
  std::function<std::string(llvm::StringRef group, llvm::StringRef algorithm)>
      getFailure = [](llvm::StringRef, llvm::StringRef) { return ""; };
  std::vector<std::string> algorithms = {"default", "tiles", "rows", "inner"};
  fast_run::Backend backend;
  /// How long the measurement of a group takes, and before it to make its
  /// candidates, and to compile them.
  std::chrono::seconds perGroup{10}, perEmission{0}, perBuild{0};
  /// How long it takes to run the model.
  std::chrono::seconds perModel{0};
  /// After how many groups ^C is pressed.
  size_t interruptedAfter = ~size_t(0);
  /// What the whole model takes, by its defaults and as tuned.
  uint64_t byDefault = 50000, tuned = 40000;
  std::vector<std::string> keptDefaults;

  uint64_t date = 1764000000;
  std::string noThreads; ///< why there are not as many as asked for
  std::string noGpu;     ///< why there is none
  std::string clocks;    ///< of the GPU

  std::vector<std::string> timed; ///< names of groups and choices
  std::vector<std::string> reports;
  size_t emitted = 0, judged = 0;
  std::vector<ChangedPart> changed; ///< that was judged last

  TestWorkbench() {
    for (const fast_run::BackendField &field : fast_run::getBackendFields())
      backend.*field.member = std::string("a ") + field.name;
    backend.cores = "2";
  }

  fast_run::Backend describe(const TargetInfo *gpu,
                             std::string &lack) override {
    lack = gpu ? noGpu : "";
    return backend;
  }
  std::string probe(unsigned) override { return noThreads; }
  Clock::time_point now() override { return time0; }
  uint64_t getDate() override { return date; }
  bool isInterrupted() override { return timed.size() >= interruptedAfter; }
  void limit(std::optional<Clock::time_point> deadline) override {
    until = deadline;
  }
  void work(llvm::function_ref<void()> body) override { body(); }
  void report(const std::string &progress) override {
    reports.push_back(progress);
  }

  ExitCode emit(const Driver &, llvm::ArrayRef<TunedGroup> groups,
                unsigned count, std::shared_ptr<lock::Advisor>,
                std::vector<Candidates> &batch) override {
    for (const TunedGroup &group : groups) {
      ++emitted;
      Candidates &candidates = batch.emplace_back();
      candidates.group = group;
      if (!group.isChoice())
        for (llvm::StringRef name : algorithms)
          add(candidates, name);
      for (const TunedAlternative &alternative : group.alternatives)
        add(candidates, alternative.algorithm);
      candidates.timings.resize(
          std::min<size_t>(candidates.timings.size(), count - 1));
      add(candidates, "naive");
      if (!spend(perEmission))
        return kExitInterrupted;
    }
    return kExitFine;
  }
  unsigned countAlgorithms(const TunedGroup &) override {
    return unsigned(algorithms.size()) + 1; // the naive one
  }
  ExitCode build(std::vector<Candidates> &batch) override {
    return spend(perBuild * batch.size()) ? kExitFine : kExitInterrupted;
  }
  bool time(const TimingOptions &options, Candidates &candidates) override;
  ExitCode judge(const CompileOptions &, unsigned, const fast_run::Backend &,
                 const fast_run::Records &, llvm::ArrayRef<ChangedPart> changed,
                 ModelVerdict &verdict) override;

private:
  static void add(Candidates &candidates, llvm::StringRef name) {
    fast_run::Timing &timing = candidates.timings.emplace_back();
    timing.isDefault = candidates.timings.size() == 1;
    timing.name = name.str();
    timing.naive = name == "naive";
    timing.reproducible = true;
    timing.choice = ("variant=" + name).str();
    timing.kernel = fast_run::hash(candidates.group.key + timing.name);
  }

  /// Whether there is so much time, which passes.
  bool spend(std::chrono::seconds duration) {
    time0 += duration;
    if (!until || time0 < *until)
      return true;
    time0 = *until;
    return false;
  }

  Clock::time_point time0;
  std::optional<Clock::time_point> until;
};

inline bool TestWorkbench::time(const TimingOptions &options,
                                Candidates &candidates) {
  struct Runner final : fast_run::Runner {
    std::function<uint64_t(size_t, size_t)> time;
    std::map<size_t, size_t> counts;

    uint64_t run(size_t candidate, std::string &) override {
      return time(candidate, counts[candidate]++);
    }
    bool wasDisturbed() override { return false; }
  };
  std::vector<fast_run::Timing> &timings = candidates.timings;
  timed.push_back(candidates.group.name);
  if (!spend(perGroup) || isInterrupted())
    return false;
  for (fast_run::Timing &timing : timings)
    timing.failure = getFailure(candidates.group.name, timing.name);
  if (!isNaiveTimed(options, candidates.group, timings))
    llvm::erase_if(timings,
                   [](const fast_run::Timing &timing) { return timing.naive; });
  Runner runner;
  runner.time = [&](size_t candidate, size_t run) {
    return getTime(candidates.group.name, timings[candidate].name, run);
  };
  fast_run::profile(runner, options.profile, timings);
  candidates.clocks = clocks;
  return true;
}

inline ExitCode TestWorkbench::judge(const CompileOptions &, unsigned,
                                     const fast_run::Backend &,
                                     const fast_run::Records &,
                                     llvm::ArrayRef<ChangedPart> parts,
                                     ModelVerdict &verdict) {
  ++judged;
  if (!spend(perModel))
    return kExitInterrupted;
  changed = parts.vec();
  verdict.timings.resize(2);
  verdict.timings[0].name = "default";
  verdict.timings[0].isDefault = true;
  verdict.timings[0].picoseconds = byDefault;
  verdict.timings[1].name = "tuned";
  verdict.timings[1].picoseconds = tuned;
  verdict.keptDefaults = keptDefaults;
  verdict.compilations = 2;
  return kExitFine;
}

/// Searches into caches that are gone at the end.
class TunerTest : public ::testing::Test {
protected:
  fast_run::Folder folder;
  std::string input = FUSEC_GROUPS;
  SearchOptions options;
  TestWorkbench workbench;
  TunedModel model; ///< what came of the last search
  unsigned timings = 0, compilations = 0;
  SearchCosts costs;

  TunerTest() { options.cache = folder.path + "/cache"; }

  ExitCode tune(fast_run::FileSystem &files = fast_run::getFileSystem()) {
    CompileOptions compile;
    compile.input = input;
    compile.proposer = "structural"; // the quicker one
    compile.row = options.gpu ? options.gpu->name.str() : "";
    model = {};
    workbench.timed.clear();
    workbench.reports.clear();
    Tuner tuner(options, workbench, files);
    ExitCode code = tuner.begin();
    if (code == kExitFine)
      code = tuner.tune(compile, model);
    tuner.end();
    timings = tuner.countTimings();
    compilations = tuner.countCompilations();
    costs = tuner.getCosts();
    return code;
  }

  /// What was said by a search that ends so.
  std::string
  tuneAndListen(ExitCode expected,
                fast_run::FileSystem &files = fast_run::getFileSystem()) {
    ::testing::internal::CaptureStderr();
    const ExitCode code = tune(files);
    std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_EQ(code, expected) << said;
    return said;
  }

  /// What a cache has; nothing of it is damaged.
  static fast_run::Records readCache(const std::string &path) {
    fast_run::Contents contents =
        fast_run::read(fast_run::getFileSystem(), path, /*mayLack=*/true);
    EXPECT_EQ(contents.error, "");
    EXPECT_TRUE(contents.damages.empty());
    return contents.records;
  }
  fast_run::Records readCache() const { return readCache(options.cache); }

  /// The group or choice of that name in the last search.
  const TunedResult &find(llvm::StringRef name) const {
    for (const TunedResult &group : model.groups)
      if (group.name == name)
        return group;
    static const TunedResult none;
    ADD_FAILURE() << "no group " << name.str();
    return none;
  }
  /// The names of what the last search left.
  std::vector<std::string> listUndone() const {
    std::vector<std::string> names;
    for (const Undone &one : model.undone)
      names.push_back(one.name);
    return names;
  }
  /// How many groups of the last search were in the cache.
  size_t countKnown() const {
    return llvm::count_if(model.groups,
                          [](const TunedResult &group) { return group.known; });
  }
  /// Searches again, without a compiler: `count` groups and choices are known,
  /// and nothing is made, measured or written.
  void searchWhatIsKnown(size_t count) {
    const std::string before = readCache().print();
    workbench.emitted = 0;
    workbench.backend.compiler = "";
    ASSERT_EQ(tune(), kExitFine);
    EXPECT_EQ(timings, 0u);
    EXPECT_EQ(compilations, 0u);
    EXPECT_EQ(workbench.emitted, 0u);
    EXPECT_EQ(countKnown(), count);
    EXPECT_EQ(readCache().print(), before);
  }
};

} // namespace fusec::tool

#endif // FUSEC_TEST_TOOLS_TESTWORKBENCH_H
