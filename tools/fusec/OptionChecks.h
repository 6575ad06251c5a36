// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Options whose meanings exclude one another.
#ifndef FUSEC_TOOLS_FUSEC_OPTIONCHECKS_H
#define FUSEC_TOOLS_FUSEC_OPTIONCHECKS_H

#include "compiler/CompileOptions.h"

namespace fusec::tool {

/// Throws UsageError where one option keeps what another one gives away: bits,
/// or results that do not depend on the batch, against algorithms, libraries of
/// others and precisions that change them.
void checkMeanings(const CompileOptions &options);

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_OPTIONCHECKS_H
