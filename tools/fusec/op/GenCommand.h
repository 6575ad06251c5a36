// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_TOOLS_FUSEC_OP_GENCOMMAND_H
#define FUSEC_TOOLS_FUSEC_OP_GENCOMMAND_H

#include "tools/fusec/Command.h"

namespace fusec::tool::op {

/// Adds `gen` to the command `op`.
void addGen(CLI::App &op, Action &chosen);

} // namespace fusec::tool::op

#endif // FUSEC_TOOLS_FUSEC_OP_GENCOMMAND_H
