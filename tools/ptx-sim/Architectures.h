// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What differs between GPUs.
#ifndef FUSEC_TOOLS_PTXSIM_ARCHITECTURES_H
#define FUSEC_TOOLS_PTXSIM_ARCHITECTURES_H

#include <cstdint>
#include <string>

namespace fusec::ptx {

struct Architecture {
  unsigned number;      ///< of sm_80: 80
  uint32_t sharedBytes; ///< that a block can have, static and dynamic
};

/// That of "sm_80" or "sm_90a"; null: no such one is known.
const Architecture *findArchitecture(const std::string &target);
/// "sm_50, sm_52, ...", without those of suffixes.
std::string architectureNames();

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_ARCHITECTURES_H
