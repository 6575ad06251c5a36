// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The subcommands that tell of the command line itself.
#ifndef FUSEC_TOOLS_FUSEC_HELPCOMMANDS_H
#define FUSEC_TOOLS_FUSEC_HELPCOMMANDS_H

#include "tools/fusec/Command.h"

namespace fusec::tool {

void addCompletion(CLI::App &app, Action &chosen);
void addManual(CLI::App &app, Action &chosen);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_HELPCOMMANDS_H
