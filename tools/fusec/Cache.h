// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where built models are kept, and what identifies them.
#ifndef FUSEC_TOOLS_FUSEC_CACHE_H
#define FUSEC_TOOLS_FUSEC_CACHE_H

#include "compiler/CompileOptions.h"
#include "compiler/io/Tensor.h"
#include "llvm/Support/Error.h"

namespace fusec::tool {

/// $XDG_CACHE_HOME/fusec, or ~/.cache/fusec.
std::string cacheFolder();

/// The folder of a model with this key.
std::string cacheEntry(const std::string &key);

/// What a built model depends on, as a name: the bytes of the model and of the
/// files it refers to, the options, the CPU's instruction set, and fusec
/// itself. Starts with the model's name, for people who look into the cache.
llvm::Expected<std::string> contentKey(const CompileOptions &options);

/// What model.json says about a folder.
struct EmittedModel {
  std::string name;
  std::string text; ///< the whole model.json
  int64_t kernels = 0, calls = 0;
  uint64_t weightsBytes = 0;
};
llvm::Expected<EmittedModel> readEmittedModel(llvm::StringRef folder);

/// "12 kernels, 3 library calls and 88104 bytes of weights".
std::string summarize(const EmittedModel &model);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_CACHE_H
