// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hash of what a weights file holds behind its header: its identifier. It
// tells of damage; it is no signature.
#ifndef FUSEC_WEIGHTS_HASH_H
#define FUSEC_WEIGHTS_HASH_H

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fusec {

class WeightsHash {
public:
  void add(const void *data, size_t count) {
    const unsigned char *bytes = static_cast<const unsigned char *>(data);
    while (count != 0) {
      if (held == 0 && count >= sizeof(block)) {
        mix(bytes);
        bytes += sizeof(block);
        count -= sizeof(block);
        continue;
      }
      const size_t room = sizeof(block) - held;
      const size_t part = count < room ? count : room;
      memcpy(block + held, bytes, part);
      bytes += part;
      count -= part;
      held += part;
      if (held == sizeof(block)) {
        mix(block);
        held = 0;
      }
    }
  }
  void addZeros(uint64_t count) {
    const unsigned char zeros[64] = {};
    for (; count >= sizeof(zeros); count -= sizeof(zeros))
      add(zeros, sizeof(zeros));
    add(zeros, static_cast<size_t>(count));
  }

  /// Of all bytes so far, and zeros up to a whole block of 32.
  uint64_t value() const {
    WeightsHash whole = *this;
    if (held != 0)
      whole.addZeros(sizeof(block) - held);
    uint64_t hash = 0;
    for (const uint64_t lane : whole.lanes)
      hash = turn((hash ^ lane) * kPrime);
    return turn(hash * kPrime);
  }

private:
  static constexpr uint64_t kPrime = 0x9e3779b97f4a7c15u;

  static uint64_t turn(uint64_t x) { return x ^ (x >> 29); }
  void mix(const unsigned char *bytes) {
    for (int lane = 0; lane < 4; ++lane) {
      uint64_t word = 0;
      memcpy(&word, bytes + 8 * lane, sizeof(word));
      lanes[lane] = turn((lanes[lane] ^ word) * kPrime);
    }
  }

  uint64_t lanes[4] = {1, 2, 3, 4};
  unsigned char block[32] = {};
  size_t held = 0;
};

} // namespace fusec

#endif // FUSEC_WEIGHTS_HASH_H
