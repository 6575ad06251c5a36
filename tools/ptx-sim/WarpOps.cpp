// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/WarpOps.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

using namespace fusec::ptx;

namespace {

/// Calls f(lanes, members) for each mask that lanes gave, after what is wrong
/// with it was reported.
template <class F> void forMasks(Exec &exec, const Inst &inst, Mask mask, F f) {
  const uint32_t *given = exec.lanes<uint32_t>(inst.alu.src[3]);
  uint32_t members[kLanes];
  std::copy_n(given, kLanes, members);
  while (mask) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
    Mask same = 0;
    for (Mask rest = mask; rest; rest &= rest - 1)
      if (members[__builtin_ctz(rest)] == members[lane])
        same |= rest & -rest;
    Mask outside = same & ~members[lane];
    if (outside)
      exec.report(
          "shuffle-mask", inst,
          fmt::format(
              "lanes {} of warp {} of block ({},{},{}) execute this, but "
              "are not in its mask {:#x}",
              exec.list(outside), exec.warp->index, exec.block->index.x,
              exec.block->index.y, exec.block->index.z, members[lane]));
    f(same, members[lane]);
    mask &= ~same;
  }
}

} // namespace

void fusec::ptx::shuffle(Exec &exec, const Inst &inst, Mask mask) {
  uint32_t value[kLanes];
  std::copy_n(exec.lanes<uint32_t>(inst.alu.src[0]), kLanes, value);
  const uint32_t *b = exec.lanes<uint32_t>(inst.alu.src[1]);
  const uint32_t *c = exec.lanes<uint32_t>(inst.alu.src[2]);
  uint32_t *to = exec.lanes<uint32_t>(inst.alu.dst);
  uint32_t results[kLanes];
  Mask inRange = 0;
  forMasks(exec, inst, mask, [&](Mask lanes, Mask members) {
    // Lanes that the block does not have are nobody's mistake: libraries name
    // them.
    Mask gone = members & ~lanes & exec.warp->lanes;
    if (gone)
      exec.report(
          "shuffle-mask", inst,
          fmt::format("the mask {:#x} names lanes {} of warp {} of block "
                      "({},{},{}), which do not execute this: they have exited",
                      members, exec.list(gone), exec.warp->index,
                      exec.block->index.x, exec.block->index.y,
                      exec.block->index.z));
    for (Mask rest = lanes; rest; rest &= rest - 1) {
      int lane = __builtin_ctz(rest);
      int at = static_cast<int>(b[lane] & 31);
      int segment = static_cast<int>(c[lane] >> 8 & 31);
      int clamp = static_cast<int>(c[lane] & 31);
      int highest = (lane & segment) | (clamp & ~segment);
      int lowest = lane & segment;
      int from = lane;
      bool inside = false;
      switch (inst.mode) {
      case 0:
        from = lane - at;
        inside = from >= highest;
        break;
      case 1:
        from = lane + at;
        inside = from <= highest;
        break;
      case 2:
        from = lane ^ at;
        inside = from <= highest;
        break;
      default:
        from = lowest | (at & ~segment);
        inside = from <= highest;
        break;
      }
      if (!inside)
        from = lane;
      if (!gone && !(members >> from & 1))
        exec.report(
            "shuffle-mask", inst,
            fmt::format(
                "lane {} of warp {} reads from lane {}, which is not in "
                "the mask {:#x}",
                lane, exec.warp->index, from, members));
      results[lane] = value[from];
      inRange |= static_cast<Mask>(inside) << lane;
    }
  });
  for (Mask rest = mask; rest; rest &= rest - 1)
    to[__builtin_ctz(rest)] = results[__builtin_ctz(rest)];
  Mask &predicate = exec.predicate(inst.alu.dst2);
  predicate = (predicate & ~mask) | (inRange & mask);
}

void fusec::ptx::vote(Exec &exec, const Inst &inst, Mask mask) {
  Mask value = exec.predicate(inst.alu.src[0]);
  if (inst.alu.aux)
    value = ~value;
  Mask result = 0;
  uint32_t *to = exec.lanes<uint32_t>(inst.alu.dst);
  forMasks(exec, inst, mask, [&](Mask lanes, Mask) {
    Mask yes = value & lanes;
    if (inst.mode == 3) {
      for (Mask rest = lanes; rest; rest &= rest - 1)
        to[__builtin_ctz(rest)] = yes;
      return;
    }
    bool holds = inst.mode == 0   ? yes == lanes
                 : inst.mode == 1 ? yes != 0
                                  : yes == 0 || yes == lanes;
    if (holds)
      result |= lanes;
  });
  if (inst.mode != 3) {
    Mask &predicate = exec.predicate(inst.alu.dst);
    predicate = (predicate & ~mask) | result;
  }
}

void fusec::ptx::match(Exec &exec, const Inst &inst, Mask mask) {
  unsigned bytes = inst.mode & 15;
  uint64_t value[kLanes] = {};
  for (int i = 0; i < kLanes; ++i)
    std::memcpy(&value[i], exec.registers + inst.alu.src[0] + i * bytes, bytes);
  uint32_t *to = exec.lanes<uint32_t>(inst.alu.dst);
  Mask allEqual = 0;
  forMasks(exec, inst, mask, [&](Mask lanes, Mask) {
    for (Mask rest = lanes; rest; rest &= rest - 1) {
      int lane = __builtin_ctz(rest);
      Mask same = 0;
      for (Mask others = lanes; others; others &= others - 1)
        if (value[__builtin_ctz(others)] == value[lane])
          same |= others & -others;
      if (inst.mode & 16) {
        to[lane] = same == lanes ? lanes : 0;
        allEqual |= static_cast<Mask>(same == lanes) << lane;
      } else {
        to[lane] = same;
      }
    }
  });
  if (inst.mode & 16) {
    Mask &predicate = exec.predicate(inst.alu.dst2);
    predicate = (predicate & ~mask) | allEqual;
  }
}

void fusec::ptx::reduceLanes(Exec &exec, const Inst &inst, Mask mask) {
  uint32_t value[kLanes];
  std::copy_n(exec.lanes<uint32_t>(inst.alu.src[0]), kLanes, value);
  uint32_t *to = exec.lanes<uint32_t>(inst.alu.dst);
  bool isSigned = inst.alu.aux;
  forMasks(exec, inst, mask, [&](Mask lanes, Mask) {
    uint32_t sum = value[__builtin_ctz(lanes)];
    for (Mask rest = lanes & (lanes - 1); rest; rest &= rest - 1) {
      uint32_t x = value[__builtin_ctz(rest)];
      bool less = isSigned ? static_cast<int32_t>(x) < static_cast<int32_t>(sum)
                           : x < sum;
      switch (inst.mode) {
      case 0:
        sum += x;
        break;
      case 1:
        sum = less ? x : sum;
        break;
      case 2:
        sum = less ? sum : x;
        break;
      case 3:
        sum &= x;
        break;
      case 4:
        sum |= x;
        break;
      default:
        sum ^= x;
        break;
      }
    }
    for (Mask rest = lanes; rest; rest &= rest - 1)
      to[__builtin_ctz(rest)] = sum;
  });
}

void fusec::ptx::elect(Exec &exec, const Inst &inst, Mask mask) {
  uint32_t *to = exec.lanes<uint32_t>(inst.alu.dst);
  Mask &predicate = exec.predicate(inst.alu.dst2);
  forMasks(exec, inst, mask, [&](Mask lanes, Mask) {
    Mask leader = lanes & -lanes;
    predicate = (predicate & ~lanes) | leader;
    for (Mask rest = lanes; rest; rest &= rest - 1)
      to[__builtin_ctz(rest)] = static_cast<uint32_t>(__builtin_ctz(leader));
  });
}

void fusec::ptx::activeMask(Exec &exec, const Inst &inst, Mask mask) {
  uint32_t *to = exec.lanes<uint32_t>(inst.alu.dst);
  for (Mask rest = mask; rest; rest &= rest - 1)
    to[__builtin_ctz(rest)] = mask;
}

void fusec::ptx::syncWarp(Exec &exec, const Inst &inst, Mask mask) {
  exec.warp->sinceProgress = 0;
  forMasks(exec, inst, mask, [&](Mask lanes, Mask) { exec.syncLanes(lanes); });
}

void fusec::ptx::fence(Exec &exec, const Inst &inst, Mask mask) {
  exec.fence(mask, static_cast<Scope>(inst.mode), inst.alu.aux);
}

void fusec::ptx::trap(Exec &exec, const Inst &inst, Mask mask) {
  exec.report("trap", inst,
              exec.thread(exec.block->id, exec.threadOf(static_cast<unsigned>(
                                              __builtin_ctz(mask)))) +
                  " stops the kernel here: an assertion failed?");
  exec.aborted = true;
}

void fusec::ptx::failAssertion(Exec &exec, const Inst &inst, Mask mask) {
  const unsigned lane = static_cast<unsigned>(__builtin_ctz(mask));
  auto textAt = [&](int source) {
    uint64_t address = exec.lanes<uint64_t>(inst.alu.src[source])[lane];
    std::string text;
    while (exec.device.holds(address)) {
      const char next = static_cast<char>(*exec.device.peek(address++, 1));
      if (!next)
        break;
      text += next;
    }
    return text;
  };
  const int others = __builtin_popcount(mask) - 1;
  exec.report(
      "trap", inst,
      fmt::format("{}{}: the assertion '{}' fails at {}:{}, in {}",
                  exec.thread(exec.block->id, exec.threadOf(lane)),
                  others ? fmt::format(" (and {} more of its warp)", others)
                         : "",
                  textAt(0), textAt(1),
                  exec.lanes<uint32_t>(inst.alu.src[2])[lane], textAt(3)));
  exec.aborted = true;
}

void fusec::ptx::sleep(Exec &exec, const Inst &, Mask) { exec.yield(); }

void fusec::ptx::readClock(Exec &exec, const Inst &inst, Mask mask) {
  uint64_t now = exec.counts.warpInstructions;
  if (inst.alu.aux)
    now >>= 32;
  for (Mask rest = mask; rest; rest &= rest - 1)
    std::memcpy(exec.registers + inst.alu.dst + __builtin_ctz(rest) * inst.mode,
                &now, inst.mode);
}

void fusec::ptx::moveVector(Exec &exec, const Inst &inst, Mask mask) {
  const MoveDetail &move = *inst.move;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    int lane = __builtin_ctz(rest);
    uint8_t bytes[16];
    for (size_t i = 0; i < move.from.size(); ++i)
      std::memcpy(bytes + i * move.fromBytes,
                  exec.registers + move.from[i] + lane * move.fromBytes,
                  move.fromBytes);
    for (size_t i = 0; i < move.to.size(); ++i)
      std::memcpy(exec.registers + move.to[i] + lane * move.toBytes,
                  bytes + i * move.toBytes, move.toBytes);
  }
}
