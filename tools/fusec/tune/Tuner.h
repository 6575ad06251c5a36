// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search: which groups and choices of a model no record speaks of, what
// their algorithms take, and what a cache gets to know of it.
#ifndef FUSEC_TOOLS_FUSEC_TUNE_TUNER_H
#define FUSEC_TOOLS_FUSEC_TUNE_TUNER_H

#include "runtime/fast_run/Cache.h"
#include "tools/fusec/tune/Workbench.h"

#include "llvm/ADT/StringMap.h"

namespace fusec::tool {

/// How many algorithms of a group an exhaustive search measures at most, the
/// naive one counted.
inline constexpr unsigned kAllAlgorithms = 64;

/// One of `count` parts of a search; `number` counts from 1.
struct Shard {
  unsigned number = 1, count = 1;
};

struct SearchOptions {
  std::string cache; ///< a folder
  bool exhaustive = false, fullRun = false, strict = false;
  /// When to give up what is under way; none: never.
  std::optional<std::chrono::seconds> budget;
  Shard shard;
  /// A key of a group or a choice, or "all": measured again, whatever is known.
  std::string retune;
  unsigned threads = 0;
  /// The row of the GPU that kernels are for; null: of the CPU.
  const TargetInfo *gpu = nullptr;
  Plant plant = Plant::none;
};

/// What became of a group or a choice.
struct TunedResult {
  std::string key, name;
  /// As TunedGroup has them; a group has no alternatives.
  bool isChoice = false, isChild = false, isOfKernels = true;
  std::vector<TunedAlternative> alternatives;
  std::vector<std::string> nodes;
  std::string kind;     ///< the class of a group; of a choice empty
  std::string operands; ///< as describeOperands says it
  bool known = false;   ///< from the cache
  /// Why what the cache knows is not enough; empty where it is.
  std::string missed;
  fast_run::Record record;
  std::string taken;    ///< the algorithm; empty where there is none
  std::string refusal;  ///< why nothing was measured
  double seconds = 0;   ///< that measuring took
  unsigned leftOut = 0; ///< algorithms that an exhaustive search did not reach
};

/// A group or a choice that there was no time for.
struct Undone {
  std::string key, name;
  bool isChoice;
};

/// How many seconds the steps of a search took, of all groups together.
struct SearchCosts {
  double enumerate = 0, compile = 0, measure = 0, judge = 0;

  double getSum() const { return enumerate + compile + measure + judge; }
};

/// What became of a model.
struct TunedModel {
  std::string name, key;
  std::vector<TunedResult> groups; ///< and choices, behind them
  std::optional<fast_run::Record> verdict;
  bool verdictKnown = false;
  bool isListed = false; ///< it is known what there is to measure
  /// The model as a whole is to be run, and was not.
  bool isJudgementLeft = false;
  std::vector<Undone> undone;
};

/// One run of fusec tune.
class Tuner {
public:
  Tuner(SearchOptions options, Workbench &workbench,
        fast_run::FileSystem &files);

  /// Reads the cache and asks for the compiler; says what is wrong.
  ExitCode begin();
  ExitCode tune(const CompileOptions &options, TunedModel &model);
  /// Says that nothing more comes; from now on there is time again.
  void end() {
    workbench.limit(std::nullopt);
    writer.close();
  }

  /// After what was done without one.
  void resumeBudget() {
    if (options.budget)
      workbench.limit(started + *options.budget);
  }

  /// Whether a group or a choice had the key that is to be measured again.
  bool hasFoundRetuned() const { return foundRetuned; }
  unsigned countTimings() const { return timings; }
  unsigned countCompilations() const { return compilations; }
  const SearchCosts &getCosts() const { return costs; }
  const fast_run::Backend &getBackend() const { return backend; }
  const fast_run::Records &getRecords() const { return records; }

private:
  std::optional<std::chrono::seconds> getTimeLeft() const;
  bool isOver() const;
  /// Why `record`, which may be null, is not enough of `group`, of which
  /// `reason` says why it has none; empty where it is.
  std::string explainMiss(const TunedChoices &known,
                          const fast_run::Record *record,
                          const TunedGroup &group, const std::string &reason);
  bool hasNewerKernels(const TunedChoices &known,
                       const fast_run::Record &record,
                       const TunedGroup &group) const;
  /// Measures the choices between texts of operators and kernels, where there
  /// are some, and has `lowered` take what was measured: then texts fuse with
  /// their neighbours, whose groups are others.
  ExitCode tuneKernels(CompileOptions &lowered, TunedModel &result);
  /// What the cache knows of `groups`, and in `unknown` those that it does not
  /// know.
  ExitCode lookUp(llvm::ArrayRef<TunedGroup> groups, TunedModel &result,
                  std::vector<TunedGroup> &unknown);
  /// `choices` come later.
  ExitCode measureGroups(const Driver &model, std::vector<TunedGroup> groups,
                         llvm::ArrayRef<TunedGroup> choices,
                         TunedModel &result);
  ExitCode measureChoices(const Driver &model,
                          llvm::ArrayRef<TunedGroup> choices,
                          TunedModel &result);
  /// Whether what is to be measured can be built and kept.
  ExitCode prepare(size_t count, llvm::StringRef what);
  /// `what` they are, for people.
  ExitCode measure(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                   llvm::StringRef what, TunedModel &result);
  ExitCode measureBatch(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                        llvm::function_ref<void(llvm::StringRef)> begin,
                        TunedModel &result);
  ExitCode emit(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                std::vector<Candidates> &batch);
  ExitCode build(std::vector<Candidates> &batch);
  /// Does a step of a search, and adds what it takes to `cost`.
  ExitCode take(double &cost, llvm::function_ref<ExitCode()> step);
  ExitCode keep(fast_run::Record record);
  ExitCode take(Candidates &candidates, double seconds, TunedModel &result);
  ExitCode checkFit(const TunedGroup &group, TunedResult &one,
                    llvm::StringRef model);
  ExitCode settle(const CompileOptions &options, TunedModel &result);

  SearchOptions options;
  Workbench &workbench;
  fast_run::FileSystem &files;
  Workbench::Clock::time_point started;
  fast_run::Backend backend;
  fast_run::Records records;
  fast_run::Writer writer;
  unsigned timings = 0, compilations = 0;
  fast_run::Wish wish; ///< of the model that is tuned
  SearchCosts costs;
  bool foundRetuned = false;
  /// Of what is to be measured of a model: why, by key.
  llvm::StringMap<std::string> missed;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TUNE_TUNER_H
