// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes may know of the ABI of kernels, which is the same on any machine.
#ifndef FUSEC_DIALECTS_ABI_H
#define FUSEC_DIALECTS_ABI_H

#include <cstdint>

namespace fusec {

/// Weights, buffers and arrays of a workspace begin at multiples of as many
/// bytes (FUSEC_ALIGNMENT).
inline constexpr int64_t kAbiAlignment = 64;

} // namespace fusec

#endif // FUSEC_DIALECTS_ABI_H
