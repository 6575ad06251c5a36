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

/// Two integers of 4 bits. Of 16 in a row, 8 bytes, the even ones are in the
/// first word of 32 bits and the odd ones in the second, the lowest bits first:
/// where lanes have these words in turns, a shift of each brings its own down.
/// Only weights lie so.
struct u4x2 {
  uint8_t bits;
};
struct i4x2 {
  uint8_t bits;
};

} // namespace fusec

#endif
