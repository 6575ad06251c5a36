// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model as it is compiled with some choices, which runs in turns with others.
#ifndef FUSEC_TOOLS_FUSEC_CONTENDER_H
#define FUSEC_TOOLS_FUSEC_CONTENDER_H

#include "runtime/fast_run/Profile.h"
#include "tools/fusec/Executable.h"

namespace fusec::tool {

struct Contender {
  BuiltModel built;
  LaunchTrace trace;
  std::unique_ptr<Executable> executable;

  /// Builds and loads what `options` name, to run on `pool`, which all that
  /// take turns share; says what is wrong.
  ExitCode load(const CompileOptions &options, SharedPool pool);

  /// How long runs and their steps took: the last `lastRuns`, 0: all of them.
  StepTimes getSteps(size_t lastRuns = 0) const {
    return trace.sum(executable->descriptor(), built.folder, lastRuns);
  }
};

/// Runs `contenders`, which are loaded, in turns on the same inputs. `timings`
/// has one for each, in order, of which the names are known.
ExitCode runInTurns(llvm::ArrayRef<Contender *> contenders,
                    llvm::ArrayRef<io::Tensor> inputs,
                    const fast_run::ProfileOptions &options,
                    std::vector<fast_run::Timing> &timings);

/// The same, so often each, while nothing else of fusec times kernels;
/// getSteps(runs) has the times.
ExitCode timeInTurns(llvm::ArrayRef<Contender *> contenders,
                     llvm::ArrayRef<io::Tensor> inputs, unsigned runs);

/// Whether times can be relied on, as fast_run::isStable says it.
bool isStable(const RunTimes &times);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_CONTENDER_H
