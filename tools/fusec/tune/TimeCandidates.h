// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks candidates against the naive one and times them, in a process of its
// own: one that crashes or hangs is named and left behind.
#ifndef FUSEC_TOOLS_FUSEC_TUNE_TIMECANDIDATES_H
#define FUSEC_TOOLS_FUSEC_TUNE_TIMECANDIDATES_H

#include "runtime/fast_run/Profile.h"
#include "tools/fusec/tune/Candidates.h"

namespace fusec::tool {

/// What the first candidate that is neither the default nor naive is made to
/// do, or all but the naive one, for tests.
enum class Plant { none, wrong, crash, hang, allWrong };

struct TimingOptions {
  unsigned threads = 0; ///< 0: one per CPU
  bool timesNaive = false;
  /// The row of the GPU that they run on; null: the CPU.
  const TargetInfo *gpu = nullptr;
  Plant plant = Plant::none;
  fast_run::ProfileOptions profile;
};

/// Whether one of `timings` that is not naive can be taken.
bool isAnyFit(llvm::ArrayRef<fast_run::Timing> timings);

/// Whether the naive one of `group` is timed, too: for who asks for it, or is
/// left with it. Nobody can take that of a choice.
bool isNaiveTimed(const TimingOptions &options, const TunedGroup &group,
                  llvm::ArrayRef<fast_run::Timing> timings);

/// Fills in the times and failures of `candidates`, which are built; leaves the
/// naive one out of them unless it is to be timed. Where nothing can be trusted
/// because that one does not run, `refusal` says so. Returns whether it came to
/// an end, and had not to stop.
bool timeCandidates(const TimingOptions &options, Candidates &candidates);

/// What processes of candidates say to the one that started them, a line each.
namespace messages {
inline constexpr llvm::StringLiteral kBegins = "begins ", kNaive = "naive ",
                                     kResult = "result ", kError = "error ",
                                     kFailed = "failed ";
}

/// The part that runs in the process: says what it does, and what came of it,
/// in lines to `output`. Candidates with a failure are left alone.
void runCandidates(const TimingOptions &options, const Candidates &candidates,
                   int output);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TUNE_TIMECANDIDATES_H
