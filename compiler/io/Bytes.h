// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FUSEC_COMPILER_IO_BYTES_H
#define FUSEC_COMPILER_IO_BYTES_H

#include "dialects/Abi.h"

#include <cstddef>
#include <new>
#include <vector>

namespace fusec::io {

/// Memory that is aligned as what a session allocates by itself: kernels access
/// whole vectors of it without crossing cache lines.
template <class T> struct AbiAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{kAbiAlignment};

  AbiAllocator() = default;
  template <class U> AbiAllocator(const AbiAllocator<U> &) {}
  T *allocate(size_t count) {
    return static_cast<T *>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T *memory, size_t) { ::operator delete(memory, kAlignment); }
};

template <class T, class U>
bool operator==(const AbiAllocator<T> &, const AbiAllocator<U> &) {
  return true;
}
template <class T, class U>
bool operator!=(const AbiAllocator<T> &, const AbiAllocator<U> &) {
  return false;
}

using Bytes = std::vector<char, AbiAllocator<char>>;

} // namespace fusec::io

#endif // FUSEC_COMPILER_IO_BYTES_H
