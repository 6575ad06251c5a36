// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether choices that are fast by themselves help the model that has them.
#ifndef FUSEC_TOOLS_FUSEC_TUNE_MODELVERDICT_H
#define FUSEC_TOOLS_FUSEC_TUNE_MODELVERDICT_H

#include "tools/fusec/Executable.h"
#include "tools/fusec/TunedChoices.h"

namespace fusec::tool {

struct ModelVerdict {
  /// "default" and "tuned", the latter without what was taken back; none where
  /// all groups keep their defaults anyway.
  std::vector<fast_run::Timing> timings;
  /// Keys of groups whose choices were taken back, in order.
  std::vector<std::string> keptDefaults;
  /// How often the compiler was asked for a library.
  unsigned compilations = 0;
};

/// Runs the model that `options` name, with `threads` threads, by its defaults
/// and by what `records` of `backend` say, in turns. Takes back what does not
/// help: choices of groups that take no less time in it, and all of them where
/// the whole is not faster in more rounds than chance explains.
ExitCode judge(const CompileOptions &options, unsigned threads,
               const fast_run::Backend &backend, fast_run::Records records,
               ModelVerdict &verdict);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TUNE_MODELVERDICT_H
