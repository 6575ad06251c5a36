// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where time goes, in Chrome's trace format: for chrome://tracing, Perfetto
// (ui.perfetto.dev) or Speedscope.
#ifndef FUSEC_TOOLS_FUSEC_TRACE_H
#define FUSEC_TOOLS_FUSEC_TRACE_H

#include "fusec/runtime.h"
#include "llvm/Support/Error.h"
#include <chrono>
#include <string>
#include <vector>

namespace fusec::tool {

/// Collects the slices of a compilation (CompileOptions::trace) for as long as
/// it lives.
class CompileTrace {
public:
  CompileTrace();
  ~CompileTrace();
  llvm::Error write(const std::string &path);
};

/// How long runs, or parts of them, took, in milliseconds.
struct RunTimes {
  double minimum = 0, median = 0;
  /// The middle half of the times: third minus first quartile.
  double spread = 0;
};

/// Of one or more times.
RunTimes summarise(std::vector<double> times);

/// How long a kernel or library call took.
struct StepTime {
  std::string name;
  std::string key; ///< of the kernel's group; empty where there is none
  bool isCall;
  RunTimes ms;             ///< in a run, all its launches together
  double launches;         ///< in a run, on average
  std::vector<double> all; ///< milliseconds in each run, in order
};

/// How long runs took, and each of their steps, the slowest first.
struct StepTimes {
  std::vector<StepTime> steps;
  RunTimes ms;
  std::vector<double> all; ///< milliseconds of each run, in order
  size_t runs = 0;         ///< that the times are of
};

/// A row per step: median milliseconds of a run, share, launches, bar.
void printTable(const StepTimes &times, llvm::raw_ostream &os);

/// Collects the launches and library calls of a session through its profile
/// hook, into memory that is allocated before the first: a run allocates
/// nothing.
class LaunchTrace {
public:
  LaunchTrace();

  const fusec_profile_hook *hook() const { return &callbacks; }
  /// Whose runs these are: it knows which variants run.
  void follow(const fusec_session *of) { session = of; }
  /// The runs that follow are for this, a literal: "observe", "tune",
  /// "execute".
  void beginPhase(const char *name) { phases.push_back({name, Clock::now()}); }
  /// A run begins, and ends.
  void beginRun();
  void endRun();

  /// `place` is what kernels ran on. `folder` is the model's: its model.json
  /// says more about each step.
  llvm::Error write(const std::string &path, const fusec_model_desc &model,
                    llvm::StringRef place, llvm::StringRef folder) const;
  /// Of the last `lastRuns` runs, which are those that were timed; 0: of all.
  StepTimes sum(const fusec_model_desc &model, llvm::StringRef folder,
                size_t lastRuns) const;

private:
  using Clock = std::chrono::steady_clock;
  struct Slice {
    int64_t step; ///< as in fusec_profile_hook; kRun: a whole run
    Clock::time_point begin, end;
    const char *variant = nullptr; ///< of a kernel; null where nobody knows
  };
  struct Phase {
    const char *name;
    Clock::time_point begin;
  };
  static constexpr int64_t kRun = -1;
  static constexpr size_t kCapacity = 1 << 18;

  void add(const Slice &slice);
  const char *findVariant(uint32_t step) const;

  fusec_profile_hook callbacks;
  Clock::time_point zero, runBegin, stepBegin;
  Clock::duration deviceTime{-1}; ///< of the step; less than 0: not on one
  std::vector<Slice> slices;
  std::vector<Phase> phases;
  const fusec_session *session = nullptr;
  size_t dropped = 0;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TRACE_H
