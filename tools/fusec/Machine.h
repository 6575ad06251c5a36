// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The machine that models are built for: this one.
#ifndef FUSEC_TOOLS_FUSEC_MACHINE_H
#define FUSEC_TOOLS_FUSEC_MACHINE_H

#include "fusec/abi.h"

namespace fusec::tool {

/// The strongest instruction set of this CPU, by features that every compiler
/// knows; no CPU has these and lacks the others that the runtime asks for.
inline fusec_isa detectIsa() {
#if defined(__x86_64__)
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  bool avx512 =
      __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (avx2 && avx512)
    return FUSEC_ISA_AVX512;
  if (avx2)
    return FUSEC_ISA_AVX2;
#endif
  return FUSEC_ISA_BASELINE;
}

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_MACHINE_H
