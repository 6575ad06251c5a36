// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_RUNTIME_CPU_H
#define FUSEC_RUNTIME_CPU_H

#include "fusec/abi.h"

namespace fusec::rt {

/// The strongest instruction set that CPU and operating system support. For AMX
/// the process asks the system once for room to save its registers.
fusec_isa detectIsa();

/// "baseline", "avx2", "avx512", "avx512vnni", "avx512bf16", "amx".
const char *isaName(fusec_isa isa);

/// The instruction set that the kernels for `isa` are scheduled for. Those for
/// avx512vnni, avx512bf16 and amx have the text of those for avx512, and are
/// tuned as such.
fusec_isa getScheduledIsa(fusec_isa isa);

/// CPUs that this process may use, at least 1: those that it may run on, or as
/// many as its control groups allow it the time of, where that is fewer.
uint32_t availableCpus();

} // namespace fusec::rt

#endif
