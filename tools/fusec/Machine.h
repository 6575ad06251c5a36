// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine that models are built for: this one.
#ifndef FUSEC_TOOLS_FUSEC_MACHINE_H
#define FUSEC_TOOLS_FUSEC_MACHINE_H

#include "runtime/src/Cpu.h"

namespace fusec::tool {

/// The strongest instruction set of this CPU that kernels are scheduled for.
inline fusec_isa detectIsa() { return rt::getScheduledIsa(rt::detectIsa()); }

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_MACHINE_H
