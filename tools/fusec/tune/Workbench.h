// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a search asks of the machine that it runs on: clocks, the compiler, and
// candidates that are built and run. Tests have one whose times are known.
#ifndef FUSEC_TOOLS_FUSEC_TUNE_WORKBENCH_H
#define FUSEC_TOOLS_FUSEC_TUNE_WORKBENCH_H

#include "tools/fusec/tune/ModelVerdict.h"
#include "tools/fusec/tune/TimeCandidates.h"

#include <chrono>
#include <memory>

namespace fusec::tool {

class Workbench {
public:
  using Clock = std::chrono::steady_clock;

  virtual ~Workbench() = default;

  /// This machine, its instruction set and its compiler, which is empty where
  /// none answers. How many threads run is up to the search. Where `gpu` is not
  /// null, the GPU of the machine instead, or in `lack` why it has none that
  /// runs kernels for that row.
  virtual fast_run::Backend describe(const TargetInfo *gpu,
                                     std::string &lack) = 0;
  /// Why `threads` threads cannot run here, or an empty text.
  virtual std::string probe(unsigned threads) = 0;
  /// What a budget is counted by.
  virtual Clock::time_point now() = 0;
  /// Seconds since 1970, UTC, for records.
  virtual uint64_t getDate() = 0;
  /// Whether ^C was pressed.
  virtual bool isInterrupted() = 0;
  /// When all that follows is given up, whatever it is; nothing: never.
  virtual void limit(std::optional<Clock::time_point> deadline) = 0;
  /// Does what is long, asks nobody whether it must stop, and is none of the
  /// steps below.
  virtual void work(llvm::function_ref<void()> body) = 0;
  /// Shows what is being done, and what is left.
  virtual void report(const std::string &progress) = 0;

  /// Emits the `count` cheapest algorithms of each of `groups`, groups or
  /// choices of `model`, and of choices the alternatives, of the kernels that
  /// `kernels` advises. They are good until the next call.
  virtual ExitCode emit(const Driver &model, llvm::ArrayRef<TunedGroup> groups,
                        unsigned count, std::shared_ptr<lock::Advisor> kernels,
                        std::vector<Candidates> &batch) = 0;
  /// How many algorithms a group has, measured or not.
  virtual unsigned countAlgorithms(const TunedGroup &group) = 0;
  /// Builds the libraries of those that nothing was refused of, side by side;
  /// kExitInterrupted where that was given up.
  virtual ExitCode build(std::vector<Candidates> &batch) = 0;
  /// As timeCandidates.
  virtual bool time(const TimingOptions &options, Candidates &candidates) = 0;
  /// As judge.
  virtual ExitCode judge(const CompileOptions &options, unsigned threads,
                         const fast_run::Backend &backend,
                         const fast_run::Records &records,
                         llvm::ArrayRef<ChangedPart> changed,
                         ModelVerdict &verdict) = 0;
};

/// This machine.
std::unique_ptr<Workbench> makeWorkbench();

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TUNE_WORKBENCH_H
