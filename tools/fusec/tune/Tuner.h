// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The search: which groups and choices of a model no record speaks of, what
// their algorithms take, and what a cache gets to know of it.
#ifndef FUSEC_TOOLS_FUSEC_TUNE_TUNER_H
#define FUSEC_TOOLS_FUSEC_TUNE_TUNER_H

#include "runtime/fast_run/Cache.h"
#include "tools/fusec/tune/Workbench.h"

#include "llvm/ADT/StringMap.h"

namespace fusec::tool {

/// One of `count` parts of a search; `number` counts from 1.
struct Shard {
  unsigned number = 1, count = 1;
};

struct SearchOptions {
  std::string cache; ///< a folder
  bool exhaustive = false, fullRun = false, strict = false;
  /// When to begin no further group; none: never.
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
  bool known = false; ///< from the cache
  /// Why what the cache knows is not enough; empty where it is.
  std::string missed;
  fast_run::Record record;
  std::string taken;   ///< the algorithm; empty where there is none
  std::string refusal; ///< why nothing was measured
};

/// What became of a model.
struct TunedModel {
  std::string name, key;
  std::vector<TunedResult> groups; ///< and choices, behind them
  std::optional<fast_run::Record> verdict;
  bool verdictKnown = false;
  size_t left = 0; ///< groups and choices that there was no time for
};

/// One run of fusec tune.
class Tuner {
public:
  Tuner(SearchOptions options, Workbench &workbench,
        fast_run::FileSystem &files);

  /// Reads the cache and asks for the compiler; says what is wrong.
  ExitCode begin();
  ExitCode tune(const CompileOptions &options, TunedModel &model);
  /// Says that nothing more comes.
  void end() { writer.close(); }

  /// Whether a group or a choice had the key that is to be measured again.
  bool hasFoundRetuned() const { return foundRetuned; }
  unsigned countTimings() const { return timings; }
  unsigned countCompilations() const { return compilations; }
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
  /// What the cache knows of `groups`, and in `unknown` those that it does not
  /// know.
  ExitCode lookUp(llvm::ArrayRef<TunedGroup> groups, TunedModel &result,
                  std::vector<TunedGroup> &unknown);
  ExitCode measureGroups(const Driver &model, std::vector<TunedGroup> groups,
                         TunedModel &result);
  ExitCode measureChoices(const Driver &model,
                          llvm::ArrayRef<TunedGroup> choices,
                          TunedModel &result);
  /// Whether what is to be measured can be built and kept.
  ExitCode prepare(size_t count, llvm::StringRef what);
  ExitCode measure(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                   TunedModel &result);
  ExitCode emit(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                std::vector<Candidates> &batch);
  ExitCode build(std::vector<Candidates> &batch);
  void report(size_t left, llvm::StringRef group);
  ExitCode keep(fast_run::Record record);
  ExitCode take(Candidates &candidates, TunedModel &result);
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
  size_t planned = 0;  ///< groups, or choices, that are to be measured
  bool foundRetuned = false;
  /// Of what is to be measured of a model: why, by key.
  llvm::StringMap<std::string> missed;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TUNE_TUNER_H
