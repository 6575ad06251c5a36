// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What AluInst::aux says of a cvt: its modifiers, and how wide its registers
// are.
#ifndef FUSEC_TOOLS_PTXSIM_ALU_CONVERSION_H
#define FUSEC_TOOLS_PTXSIM_ALU_CONVERSION_H

#include <cstdint>

namespace fusec::ptx {

enum ConversionFlags : uint32_t {
  kRoundMask = 7, ///< a Round
  kConvertFtz = 1 << 3,
  kConvertSat = 1 << 4,
  kConvertRelu = 1 << 5,
  kToIntegral = 1 << 6, ///< .rni: to an integer, whatever the type
  kSatFinite = 1 << 7,
  /// Bytes of a lane of the registers where they are wider than the types.
  kSourceShift = 8,
  kResultShift = 16,
};

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_ALU_CONVERSION_H
