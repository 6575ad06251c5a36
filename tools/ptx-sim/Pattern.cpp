// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Pattern.h"

#include <algorithm>

using namespace fusec::ptx;

void Pattern::analyse(const int32_t *offsets, Mask active, unsigned size,
                      uint32_t at) {
  mask = active;
  bytes = size;
  phase = at;
  first = static_cast<unsigned>(__builtin_ctz(active));
  lowest = highest = 0;
  allBits = 0;
  groups = 0;
  isContiguous = active == ~0u;
  for (int i = 0; i < kLanes; ++i) {
    relative[i] = offsets[i];
    if (!(active >> i & 1))
      continue;
    lowest = std::min(lowest, offsets[i]);
    highest = std::max(highest, offsets[i]);
    allBits |= static_cast<uint32_t>(offsets[i]);
    isContiguous &= offsets[i] == i * static_cast<int32_t>(size);
    unsigned g = 0;
    // Neighbours are the likeliest to be equal.
    while (g < groups && groupOffset[groups - 1 - g] != offsets[i])
      ++g;
    if (g < groups) {
      groupLanes[groups - 1 - g] |= 1u << i;
    } else {
      groupOffset[groups] = offsets[i];
      groupLanes[groups++] = 1u << i;
    }
  }
  isUniform = groups == 1;

  // Sectors of global memory, counted from a 128-byte line on.
  int32_t seen[kLanes * 2];
  unsigned count = 0;
  for (unsigned g = 0; g < groups; ++g) {
    int32_t begin = groupOffset[g] + static_cast<int32_t>(phase);
    for (int32_t s = begin >> 5;
         s <= (begin + static_cast<int32_t>(size) - 1) >> 5; ++s)
      if (std::find(seen, seen + count, s) == seen + count)
        seen[count++] = s;
  }
  sectors = count;
  countBanks();
}

/// 32 banks of 4 bytes. Accesses of 8 bytes are served for half a warp at a
/// time, of 16 bytes for a quarter; lanes that want the same word share it.
void Pattern::countBanks() {
  unsigned lanesAtOnce = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  unsigned passes = 0, needed = 0;
  for (unsigned begin = 0; begin < kLanes; begin += lanesAtOnce) {
    int32_t words[kLanes * 4];
    unsigned count = 0, perBank[32] = {}, worst = 0;
    for (unsigned i = begin; i < begin + lanesAtOnce; ++i) {
      if (!(mask >> i & 1))
        continue;
      int32_t word = (relative[i] + static_cast<int32_t>(phase)) >> 2;
      for (unsigned k = 0; k < std::max(1u, bytes / 4); ++k, ++word) {
        if (std::find(words, words + count, word) != words + count)
          continue;
        words[count++] = word;
        worst = std::max(worst, ++perBank[word & 31]);
      }
    }
    passes += worst;
    needed += worst != 0;
  }
  extraPasses = passes - needed;
}
