// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CLI11, all of which is in headers, not optimised: a program reads one command
// line.
#ifndef FUSEC_TOOLS_CLI11_H
#define FUSEC_TOOLS_CLI11_H

#include "dialects/Unoptimised.h"

FUSEC_UNOPTIMISED_BEGIN
#include <CLI/CLI.hpp>
FUSEC_UNOPTIMISED_END

#endif // FUSEC_TOOLS_CLI11_H
