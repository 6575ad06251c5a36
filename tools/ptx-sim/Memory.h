// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Global memory: allocations apart from each other, so that what runs past one
// is found.
#ifndef FUSEC_TOOLS_PTXSIM_MEMORY_H
#define FUSEC_TOOLS_PTXSIM_MEMORY_H

#include "tools/ptx-sim/Block.h"

namespace fusec::ptx {

struct Allocation {
  uint64_t base = 0, size = 0;
  std::string name; ///< for reports
  std::vector<uint8_t> data;
  Shadow shadow;
  bool isReadOnly = false, isFreed = false;
};

class Memory {
public:
  /// Poisoned: 0xFF, and not defined. `align` is a power of two.
  Allocation &allocate(uint64_t bytes, const std::string &name,
                       uint64_t align = 256);
  void free(uint64_t address);
  /// Whose `bytes` bytes at the address are, null if nobody's.
  Allocation *find(uint64_t address, uint64_t bytes);
  /// Shadow::mergeLists, where there are more than `most` of them.
  void mergeLists(size_t most, const std::function<size_t(Time)> &workOf) {
    for (const std::unique_ptr<Allocation> &one : allocations)
      if (one->shadow.countLists() > most)
        one->shadow.mergeLists(workOf);
  }
  size_t countLists() const {
    size_t count = 0;
    for (const std::unique_ptr<Allocation> &one : allocations)
      count += one->shadow.countLists();
    return count;
  }
  /// "4 bytes past the end of the 64 bytes of x".
  std::string describe(uint64_t address) const;

private:
  Allocation *nearest(uint64_t address) const;
  std::vector<std::unique_ptr<Allocation>> allocations; ///< by address
  Allocation *last = nullptr;
  uint64_t next = kGlobalBase;
};

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_MEMORY_H
