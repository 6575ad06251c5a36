// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The types of PTX.
#ifndef FUSEC_TOOLS_PTXSIM_SCALAR_H
#define FUSEC_TOOLS_PTXSIM_SCALAR_H

#include <cstdint>

namespace fusec::ptx {

enum class Scalar : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F64,
  E4M3x2,
  E5M2x2,
};

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_SCALAR_H
