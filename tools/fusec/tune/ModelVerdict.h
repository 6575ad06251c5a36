// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether choices that are fast by themselves help the model that has them.
#ifndef FUSEC_TOOLS_FUSEC_TUNE_MODELVERDICT_H
#define FUSEC_TOOLS_FUSEC_TUNE_MODELVERDICT_H

#include "tools/fusec/Executable.h"
#include "tools/fusec/TunedChoices.h"

namespace fusec::tool {

/// A group or a choice that is not taken by its default.
struct ChangedPart {
  std::string key;
  /// Keys of the groups that its time is that of: its own, or those of all
  /// alternatives. None where others take time in it, too.
  std::set<std::string> groups;
};

struct ModelVerdict {
  /// "default" and "tuned", the latter without what was taken back; none where
  /// all groups keep their defaults anyway.
  std::vector<fast_run::Timing> timings;
  /// Keys of the parts that were taken back, in order.
  std::vector<std::string> keptDefaults;
  /// How often the compiler was asked for a library.
  unsigned compilations = 0;
};

/// Of `changed`, the keys of parts that take no less time as tuned: in the
/// median round, for runs took turns. A group that only one of the two runs has
/// is judged with the choice that it is in.
std::vector<std::string> findUseless(const StepTimes &byDefault,
                                     const StepTimes &tuned,
                                     llvm::ArrayRef<ChangedPart> changed);

/// Runs the model that `options` name, with `threads` threads, by its defaults
/// and by what `records` of `backend` say, which is `changed`, in turns. Takes
/// back what does not help: parts that take no less time in it, and all of them
/// where the whole is not faster by more than its defaults are than themselves
/// (fast_run::compareInTurns).
ExitCode judge(const CompileOptions &options, unsigned threads,
               const fast_run::Backend &backend, fast_run::Records records,
               llvm::ArrayRef<ChangedPart> changed, ModelVerdict &verdict);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TUNE_MODELVERDICT_H
