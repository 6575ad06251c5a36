// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who knows what of whom. Time is one counter, which steps at whatever orders
// memory (barriers, fences, releases), so "t knows u up to 7" orders all that u
// did at 7 or before before what t does now.
#ifndef FUSEC_TOOLS_PTXSIM_CLOCK_H
#define FUSEC_TOOLS_PTXSIM_CLOCK_H

#include <cstdint>
#include <memory>
#include <vector>

namespace fusec::ptx {

using Time = uint32_t;

/// What is known of blocks, of warps and of threads: sorted keys and times. A
/// block's entry stands for all of its threads. The number of a block is its
/// own in a session.
class Knowledge {
public:
  static uint64_t blockKey(uint32_t block) {
    return uint64_t(block) << 16 | 0xffff;
  }
  static uint64_t warpKey(uint32_t block, uint32_t warp) {
    return uint64_t(block) << 16 | 0x8000 | warp;
  }
  static uint64_t threadKey(uint32_t block, uint32_t thread) {
    return uint64_t(block) << 16 | thread;
  }

  void add(uint64_t key, Time time);
  void join(const Knowledge &other);
  /// Up to when `thread` of `block` is known.
  Time of(uint32_t block, uint32_t thread) const;
  bool empty() const { return entries.empty(); }

private:
  struct Entry {
    uint64_t key;
    Time time;
  };
  Time find(uint64_t key) const;
  std::vector<Entry> entries;
};

/// Shared, and never changed once shared.
using KnowledgePtr = std::shared_ptr<const Knowledge>;

/// The union; one of the two where it has all.
KnowledgePtr join(const KnowledgePtr &a, const KnowledgePtr &b);

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_CLOCK_H
