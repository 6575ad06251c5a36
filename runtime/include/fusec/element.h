// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types that exist in memory only. Kernels compute on float and convert
// when they load and store.
#ifndef FUSEC_ELEMENT_H
#define FUSEC_ELEMENT_H

#include <stdint.h>

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

} // namespace fusec

#endif
