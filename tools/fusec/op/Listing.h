// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_TOOLS_FUSEC_OP_LISTING_H
#define FUSEC_TOOLS_FUSEC_OP_LISTING_H

#include "compiler/Diagnostics.h"
#include "compiler/operators/Manifest.h"

namespace fusec::tool::op {

/// What the library `path` says of itself; prints why that is nothing.
std::optional<operators::Manifest> openLibrary(const std::string &path);

/// Prints a line for each operator and function of the files and folders.
ExitCode listOperators(const std::vector<std::string> &paths);

/// Prints all that a library or a file of functions says of itself, or each of
/// a folder.
ExitCode printInfo(const std::string &path);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_LISTING_H
