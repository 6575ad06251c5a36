// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types that exist in memory only. Kernels compute on float and convert
// when they load and store.
#ifndef FUSEC_ELEMENT_H
#define FUSEC_ELEMENT_H

#include "fusec/integers.h"

namespace fusec {

/// IEEE 754 binary16, as bits.
struct f16 {
  uint16_t bits;
};

/// The upper half of a binary32, as bits.
struct bf16 {
  uint16_t bits;
};

static_assert(sizeof(f16) == 2 && sizeof(bf16) == 2, "16-bit elements");

/// Two integers of 4 bits: of 16 in a row, lane l is in the low half of byte l
/// and lane l + 8 in its high half, so that both come out by a mask or a shift.
/// Only weights lie so.
struct u4x2 {
  uint8_t bits;
};
struct i4x2 {
  uint8_t bits;
};

} // namespace fusec

#endif
