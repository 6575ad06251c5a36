// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The algorithms of a group, or of a choice, that are to be measured: one
// library has them all.
#ifndef FUSEC_TOOLS_FUSEC_TUNE_CANDIDATES_H
#define FUSEC_TOOLS_FUSEC_TUNE_CANDIDATES_H

#include "compiler/Driver.h"
#include "runtime/fast_run/Record.h"
#include "tools/fusec/Build.h"
#include "tools/fusec/tune/GroupModel.h"

namespace fusec::tool {

struct Candidates {
  TunedGroup group;
  /// What is known of each without running it. The names are those of the
  /// variants in the library; the first is the default.
  std::vector<fast_run::Timing> timings;
  /// Folder of sources and library, once they are emitted and built.
  BuiltModel built;
  std::string clocks;   ///< as fast_run::Record has them
  unsigned leftOut = 0; ///< algorithms besides those of an exhaustive search
  /// Why there is nothing to measure; empty where there is.
  std::string refusal;
};

/// How many algorithms `group`, which is no choice, has for `isa`.
unsigned countAlgorithms(const TunedGroup &group, llvm::StringRef isa);

/// Compiles the `count` cheapest algorithms of `group`, a group of `model`, for
/// the instruction set `isa`, the naive one among them, into the folder
/// `place`. Of a choice these are its alternatives, each of the kernels that
/// `kernels` advises, and as the naive one the default in naive kernels. What
/// is wrong is in `refusal`, or was printed.
ExitCode emitCandidates(const Driver &model, const TunedGroup &group,
                        llvm::StringRef isa, unsigned count,
                        std::shared_ptr<lock::Advisor> kernels,
                        const std::string &place, Candidates &candidates);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_TUNE_CANDIDATES_H
