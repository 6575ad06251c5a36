// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_TOOLS_FUSEC_OP_HOSTCOMMAND_H
#define FUSEC_TOOLS_FUSEC_OP_HOSTCOMMAND_H

#include "compiler/Diagnostics.h"

namespace fusec::tool::op {

/// Loads the library `path` of that many units, and answers until the other
/// side has closed the socket.
ExitCode hostLibrary(const std::string &path, size_t units);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_HOSTCOMMAND_H
