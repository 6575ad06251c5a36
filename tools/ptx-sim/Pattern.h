// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How the addresses of a warp lie to each other. Loops repeat them, so an
// instruction keeps what it found out the last time.
#ifndef FUSEC_TOOLS_PTXSIM_PATTERN_H
#define FUSEC_TOOLS_PTXSIM_PATTERN_H

#include "tools/ptx-sim/alu/Alu.h"

namespace fusec::ptx {

struct Pattern {
  Mask mask = 0;
  unsigned bytes = 0;            ///< of a lane's access
  uint32_t phase = 0;            ///< of the first address, modulo 128
  int32_t relative[kLanes] = {}; ///< to the first active lane's; others are 0
  int32_t lowest = 0, highest = 0;
  uint32_t allBits = 0; ///< of the relative addresses, to check their alignment
  unsigned first = 0;   ///< the first active lane
  bool isContiguous = false; ///< lane i is at i * bytes, and all are active
  bool isUniform = false;
  /// Lanes with equal addresses.
  unsigned groups = 0;
  int32_t groupOffset[kLanes];
  Mask groupLanes[kLanes];
  unsigned sectors = 0;     ///< of 32 bytes
  unsigned extraPasses = 0; ///< over the banks of shared memory

  /// Brings it up to date; relative addresses must fit into 32 bits, and those
  /// of inactive lanes be 0.
  void update(const int32_t *offsets, Mask active, unsigned size,
              uint64_t base) {
    uint32_t different = 0;
    for (int i = 0; i < kLanes; ++i)
      different |= static_cast<uint32_t>(offsets[i] ^ relative[i]);
    if (different | (active ^ mask) | (size ^ bytes) |
        ((static_cast<uint32_t>(base) & 127) ^ phase))
      analyse(offsets, active, size, static_cast<uint32_t>(base) & 127);
  }

private:
  void analyse(const int32_t *offsets, Mask active, unsigned size, uint32_t at);
  void countBanks();
};

} // namespace fusec::ptx

#endif // FUSEC_TOOLS_PTXSIM_PATTERN_H
