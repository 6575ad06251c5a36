// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where built models are kept, and what identifies them.
#ifndef FUSEC_TOOLS_FUSEC_CACHE_H
#define FUSEC_TOOLS_FUSEC_CACHE_H

#include "compiler/CompileOptions.h"
#include "compiler/io/Tensor.h"
#include "tools/fusec/HostCompiler.h"
#include "llvm/Support/Error.h"
#include <set>

namespace fusec::tool {

/// $XDG_CACHE_HOME/fusec, or ~/.cache/fusec.
std::string cacheFolder();

/// The folder of a model with this key.
std::string cacheEntry(const std::string &key);

/// How many bytes the cache may take: $FUSEC_CACHE_LIMIT, as in 500M or 2G, or
/// 2 GB; 0 keeps nothing but what was built last.
llvm::Expected<uint64_t> cacheLimit();

/// Marks an entry as used now.
void touchEntry(const std::string &entry);

/// Removes what was used least recently, until no more than `limit` bytes are
/// left; never `keep`.
void trimCache(uint64_t limit, const std::string &keep);

/// What a built model depends on, as a name: the bytes of the model and of the
/// files it refers to, the options, the CPU's instruction set, the compiler,
/// and fusec itself. Starts with the model's name, for people who look into the
/// cache.
llvm::Expected<std::string> contentKey(const CompileOptions &options,
                                       const HostCompiler &compiler);

/// A hash of a file's bytes, as text.
llvm::Expected<std::string> hashOfFile(const std::string &name);

/// What model.json says about a folder, of one target.
struct EmittedTarget {
  std::string name; ///< of its files
  std::string row;  ///< of the table of targets
  int64_t kernels = 0, calls = 0;
};

/// The same of all of them.
struct EmittedModel {
  std::string name;
  std::string text; ///< the whole model.json
  std::vector<EmittedTarget> targets = {};
  uint64_t weightsBytes = 0;
  /// Libraries of others that its calls need, as --vendor names them.
  std::set<std::string> vendors = {};
};
llvm::Expected<EmittedModel> readEmittedModel(llvm::StringRef folder);

/// "12 kernels, 3 library calls and 88104 bytes of weights".
std::string summarize(const EmittedModel &model);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_CACHE_H
