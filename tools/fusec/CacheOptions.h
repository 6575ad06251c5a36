// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options that name what Fast-Run remembers.
#ifndef FUSEC_TOOLS_FUSEC_CACHEOPTIONS_H
#define FUSEC_TOOLS_FUSEC_CACHEOPTIONS_H

#include "compiler/CompileOptions.h"
#include "tools/fusec/Command.h"
#include "tools/fusec/TunedChoices.h"

namespace fusec::tool {

/// This machine, with this version of the algorithms.
fast_run::Backend describeBackend();

/// Prints what is left out of a cache, and why.
void warnOfDamages(llvm::ArrayRef<fast_run::Damage> damages);

/// Which caches are asked about the groups of a model. No cache is read that is
/// not named.
struct CacheOptions {
  std::string cache, readOnly;
  std::optional<uint64_t> workspaceLimit;
  bool verbose = false;
  /// --cache need not be there yet: it is written to.
  bool mayLack = false;

  void add(CLI::App &command);
  bool isNamed() const { return !cache.empty() || !readOnly.empty(); }
  /// The files and folders that are read.
  std::vector<std::string> listFiles() const;

  /// Reads the caches, which `options` then ask; says what is wrong. Records of
  /// other numbers of threads and compilers count where these are empty.
  ExitCode read(CompileOptions &options, const std::string &threads = "",
                const std::string &compiler = "") const;
  /// What the caches of `options` said; nothing where nobody was asked.
  llvm::ArrayRef<TunedAnswer> getAnswers(const CompileOptions &options) const;
  /// With --verbose, prints what the caches of `options` said, and whether the
  /// model in `folder`, if that is one, has it; of the kernels that run here,
  /// if the model does, but for those that another `variant` runs of.
  void report(const CompileOptions &options, llvm::StringRef folder,
              bool runsHere = false, llvm::StringRef variant = "") const;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_CACHEOPTIONS_H
