// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory from the operating system, owned.
#ifndef FUSEC_RUNTIME_MEMORY_H
#define FUSEC_RUNTIME_MEMORY_H

#include <cstdint>

#include "Error.h"

namespace fusec::rt {

/// A mapping that is unmapped at the end.
class Mapping {
public:
  Mapping() = default;
  Mapping(const Mapping &) = delete;
  Mapping &operator=(const Mapping &) = delete;
  ~Mapping();

  /// Maps a file for reading.
  fusec_status mapFile(const char *path, Error &error);

  /// Zeroed memory, advised to lie in huge pages and touched already, so that
  /// no run pays for page faults.
  fusec_status allocate(uint64_t bytes, Error &error);

  void *data() const { return base; }
  uint64_t size() const { return bytes; }

private:
  void *base = nullptr;
  uint64_t bytes = 0;
};

constexpr uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

} // namespace fusec::rt

#endif
