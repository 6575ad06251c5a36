// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which files a source of operators is made of.
#ifndef FUSEC_TOOLS_FUSEC_OP_SOURCEFILES_H
#define FUSEC_TOOLS_FUSEC_OP_SOURCEFILES_H

#include "llvm/ADT/StringRef.h"
#include <set>
#include <string>
#include <vector>

namespace fusec::tool::op {

/// The files of a rule of make, but for its target.
std::vector<std::string> readDepfile(const std::string &name);

/// A rule of make: what `output` is made of.
std::string describeRule(llvm::StringRef output,
                         const std::set<std::string> &files);

/// The path without links; as it is where there is no such file.
std::string makeReal(llvm::StringRef file);

/// The folder that all files lie in.
std::string findRoot(const std::set<std::string> &files);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_SOURCEFILES_H
