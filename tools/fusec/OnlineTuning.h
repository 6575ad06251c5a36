// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model that finds out which variants are fastest while it runs.
#ifndef FUSEC_TOOLS_FUSEC_ONLINETUNING_H
#define FUSEC_TOOLS_FUSEC_ONLINETUNING_H

#include "fusec/runtime.hpp"
#include "tools/fusec/CacheOptions.h"

namespace fusec::tool {

/// The runs [begin, end), as "2:12".
struct TuningRange {
  uint64_t begin = 0, end = 0;

  /// Throws UsageError where `text` is no range that has a run.
  static TuningRange parse(llvm::StringRef text);
};

/// Options of `fusec run` about it.
struct OnlineTuning {
  std::string range, report, config, search = "heuristic";
  bool fullRun = false, fastRun = false;

  void add(CLI::App &command);
  /// Takes from the file that `config` names what the command line leaves open;
  /// says what is wrong with it.
  ExitCode readConfig(CacheOptions &caches);
  bool isAsked() const { return !range.empty(); }
  TuningRange getRange() const { return TuningRange::parse(range); }
  /// How many variants a model is compiled with for it, the naive one counted.
  unsigned getVariants() const { return search == "exhaustive" ? 64 : 5; }

  /// Makes the tuner that is asked for, which also writes to the first cache of
  /// `caches`; says what is wrong. `compiler` is the one that built the
  /// kernels.
  ExitCode makeTuner(const CacheOptions &caches, bool reproducible,
                     const std::string &compiler,
                     std::optional<fusec::Tuner> &tuner) const;
  llvm::Error writeReport(const fusec::Tuner &tuner) const;

private:
  ExitCode checkPlaces(const CacheOptions &caches) const;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_ONLINETUNING_H
