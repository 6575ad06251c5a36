// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine that this process runs on, as records name it.
#ifndef FUSEC_RUNTIME_FAST_RUN_MACHINE_H
#define FUSEC_RUNTIME_FAST_RUN_MACHINE_H

#include "runtime/fast_run/Record.h"

namespace fusec::fast_run {

/// Device, caches and cores of this machine; the rest is up to who measures.
/// What the operating system does not tell is empty.
Backend describeMachine();

} // namespace fusec::fast_run

#endif
