// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The options that say for which extents of its symbolic dimensions a model is
// compiled.
#ifndef FUSEC_TOOLS_FUSEC_ENTRYOPTIONS_H
#define FUSEC_TOOLS_FUSEC_ENTRYOPTIONS_H

#include "compiler/CompileOptions.h"
#include "tools/fusec/Command.h"

namespace fusec::tool {

/// A model is compiled for at most so many combinations, each as a model of its
/// own.
inline constexpr size_t kMostEntries = 256;

struct EntryOptions {
  std::vector<std::string> dims; ///< NAME=N or NAME=N,M
  std::string file;              ///< of --entries
  std::vector<std::string> padded;
  /// Whether the command takes several extents.
  bool takesSeveral = false;

  /// --dim and, for a command that takes several, --entries.
  void add(CLI::App &command);
  /// Fills in `options.import.dims` and the entries. Throws UsageError, and
  /// InputError for what is wrong with the file.
  void take(CompileOptions &options) const;

private:
  void takeDims(CompileOptions &options) const;
  void takeFile(CompileOptions &options) const;
  void takePadded(CompileOptions &options) const;
};

/// Reads an extent. Throws UsageError, which says that `option` has it.
int64_t parseExtent(llvm::StringRef text, const std::string &option);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_ENTRYOPTIONS_H
