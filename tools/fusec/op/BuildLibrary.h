// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_TOOLS_FUSEC_OP_BUILDLIBRARY_H
#define FUSEC_TOOLS_FUSEC_OP_BUILDLIBRARY_H

#include "compiler/Diagnostics.h"
#include "compiler/operators/Manifest.h"

namespace fusec::tool::op {

/// What `fusec op build` is told.
struct OpBuildOptions {
  std::vector<std::string> sources, flags;
  std::string output;
  std::string domain = operators::kDefaultDomain.str();
  std::string depfile; ///< empty: none is written
  /// Of a library that is made of text of operators: that text by the names of
  /// its files, which is embedded in place of what `sources` includes; what
  /// they call, compiled; and what it exports besides.
  std::map<std::string, std::string> bodies;
  std::vector<std::string> objects, exports;
};

/// Compiles the sources into a library, asks it in a child process for what it
/// declares, and writes it, with that and its sources in a section, in one
/// step. Prints what went wrong.
ExitCode buildOpLibrary(const OpBuildOptions &options);

/// The flags that sources of operators are compiled with besides their own:
/// they may use exceptions and what of C++17 they like.
std::vector<std::string> getOpFlags(bool isGnu);

/// The function that unit number `unit` exports, where the first one's is
/// called `first`.
std::string nameOpQuery(llvm::StringRef first, size_t unit);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_BUILDLIBRARY_H
