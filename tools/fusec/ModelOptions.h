// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options that several subcommands share.
#ifndef FUSEC_TOOLS_FUSEC_MODELOPTIONS_H
#define FUSEC_TOOLS_FUSEC_MODELOPTIONS_H

#include "compiler/CompileOptions.h"
#include "tools/fusec/CacheOptions.h"
#include "tools/fusec/EntryOptions.h"

namespace fusec::tool {

/// What --cpu calls the processor that fusec runs on.
inline constexpr const char *kNative = "native";

/// Options that say how a model is read and compiled.
struct ModelOptions {
  CompileOptions compile;
  EntryOptions entries;
  std::vector<std::string> shapes, binds;
  std::string runtime = "bundled";
  std::string hints = "shell";
  std::vector<std::string> targets{"cpu"}; ///< or rows of GPUs
  bool takesSeveral = false; ///< targets, of which a session takes one
  const CLI::Option *targetOption = nullptr, *variantsOption = nullptr;
  CacheOptions caches;
  /// Those that say how a model is compiled.
  std::vector<CLI::Option *> compiling;

  /// MODEL, which `what` describes.
  void addModel(CLI::App &command, const char *what = "The model; - for stdin");
  /// --dim, --entries, --shape, ...
  void addImport(CLI::App &command);
  /// -O, --disable-rule.
  void addLevel(CLI::App &command);
  /// --target.
  void addTargets(CLI::App &command);
  /// The above, and --cpu, --name, --no-fuse, --lock, ...
  void addCompile(CLI::App &command,
                  const std::string &defaultCpu = kDefaultTarget.str());
  /// --cache, --cache-readonly, ...
  void addCaches(CLI::App &command);

  /// What the user chose. Throws UsageError.
  CompileOptions get() const;
  /// Whether --variants was given.
  bool hasVariants() const { return variantsOption && *variantsOption; }
  /// Whether all of --target is GPUs, so that `option`, which is for CPUs, has
  /// no use; throws UsageError then.
  void refuseForGpus(const std::string &option) const;

private:
  void takeTargets(CompileOptions &options) const;
};

/// The rules of fusec and of `options.ruleLibraries`. Throws InputError for a
/// library that cannot be used.
llvm::SmallVector<Rule> listAllRules(const CompileOptions &options);

/// Throws UsageError if `file`, which `option` names to be written, is one that
/// the compilation reads.
void refuseOverwriting(const CompileOptions &options, const std::string &option,
                       const std::string &file);

/// Options and the files that they name to be written; a name is empty where an
/// option is not given. Throws UsageError if two are one file, of which the one
/// that is written last would be left.
void refuseSameFile(
    const std::vector<std::pair<std::string, std::string>> &written);

/// Splits "NAME=VALUE" at the last '='. Throws UsageError naming `option`.
std::pair<std::string, std::string> splitAssignment(const std::string &text,
                                                    const std::string &option);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_MODELOPTIONS_H
