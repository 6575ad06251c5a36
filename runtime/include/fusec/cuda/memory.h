// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory that a kernel has of its own.
#ifndef FUSEC_CUDA_MEMORY_H
#define FUSEC_CUDA_MEMORY_H

#include "fusec/kernel/config.h"

namespace fusec {
inline namespace FUSEC_ISA_NS {

/// The array that lies `offset` bytes into the scratch memory of this kernel.
template <class T> FUSEC_INLINE T *workspace(void *memory, int64_t offset) {
  return reinterpret_cast<T *>(static_cast<char *>(memory) + offset);
}

} // namespace FUSEC_ISA_NS
} // namespace fusec

#endif
