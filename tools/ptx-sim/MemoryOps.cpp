// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/MemoryOps.h"

#include <cstring>
#include <fmt/format.h>

using namespace fusec::ptx;

namespace {

/// An element of memory to a lane of a register, which may be wider.
inline void widen(uint8_t *to, const uint8_t *from, const MemDetail &detail) {
  uint64_t bits = 0;
  std::memcpy(&bits, from, detail.bytes);
  if (detail.isSigned) {
    unsigned shift = 64 - 8 * detail.bytes;
    bits = static_cast<uint64_t>(static_cast<int64_t>(bits << shift) >> shift);
  }
  std::memcpy(to, &bits, detail.registerBytes);
}

template <unsigned kBytes>
void moveLanes(uint8_t *registers, const MemDetail &detail, uint8_t *data,
               const Pattern &pattern, Mask mask, bool toMemory) {
  for (unsigned e = 0; e < detail.count; ++e) {
    uint8_t *lanes = registers + detail.slots[e];
    uint8_t *at = data + e * kBytes;
    if (mask == ~0u && toMemory) {
      for (int i = 0; i < kLanes; ++i)
        std::memcpy(at + pattern.relative[i], lanes + i * kBytes, kBytes);
    } else if (mask == ~0u) {
      if (pattern.isUniform) {
        uint8_t value[kBytes];
        std::memcpy(value, at, kBytes);
        for (int i = 0; i < kLanes; ++i)
          std::memcpy(lanes + i * kBytes, value, kBytes);
      } else {
        for (int i = 0; i < kLanes; ++i)
          std::memcpy(lanes + i * kBytes, at + pattern.relative[i], kBytes);
      }
    } else {
      for (Mask rest = mask; rest; rest &= rest - 1) {
        int i = __builtin_ctz(rest);
        if (toMemory)
          std::memcpy(at + pattern.relative[i], lanes + i * kBytes, kBytes);
        else
          std::memcpy(lanes + i * kBytes, at + pattern.relative[i], kBytes);
      }
    }
  }
}

/// Between registers and memory, `data` being where the first lane is.
void transfer(Exec &exec, const MemDetail &detail, uint8_t *data,
              const Pattern &pattern, Mask mask, bool toMemory) {
  if (detail.registerBytes == detail.bytes) {
    switch (detail.bytes) {
    case 2:
      return moveLanes<2>(exec.registers, detail, data, pattern, mask,
                          toMemory);
    case 4:
      return moveLanes<4>(exec.registers, detail, data, pattern, mask,
                          toMemory);
    case 8:
      return moveLanes<8>(exec.registers, detail, data, pattern, mask,
                          toMemory);
    case 16:
      return moveLanes<16>(exec.registers, detail, data, pattern, mask,
                           toMemory);
    default:
      break;
    }
  }
  for (unsigned e = 0; e < detail.count; ++e)
    for (Mask rest = mask; rest; rest &= rest - 1) {
      int i = __builtin_ctz(rest);
      uint8_t *lane =
          exec.registers + detail.slots[e] + i * detail.registerBytes;
      uint8_t *at = data + pattern.relative[i] + e * detail.bytes;
      if (toMemory)
        std::memcpy(at, lane, detail.bytes);
      else
        widen(lane, at, detail);
    }
}

/// Local memory and parameters: each lane for itself.
void accessPrivate(Exec &exec, const Inst &inst, Mask mask, const uint64_t *at,
                   bool isStore) {
  const MemDetail &detail = *inst.memory;
  unsigned bytes = detail.bytes * detail.count;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    uint64_t address = at[lane];
    Space space = Exec::resolve(detail.space, address);
    uint8_t *data = nullptr;
    if (space == Space::Local)
      data = exec.local(lane, address, bytes);
    else if (space == Space::Param && !isStore &&
             address + bytes <= exec.params.size())
      data = exec.params.data() + address;
    if (!data) {
      exec.reportOutside(inst, detail, at, 1u << lane, bytes);
      continue;
    }
    if (address & (bytes - 1)) {
      exec.report(
          "misaligned", inst,
          fmt::format(
              "{} accesses {} bytes at local address {:#x}: it must be a "
              "multiple of {}",
              exec.thread(exec.block->id, exec.threadOf(lane)), bytes, address,
              bytes));
      continue;
    }
    if (space == Space::Local) {
      uint8_t *defined =
          exec.warp->localDefined.data() + (data - exec.warp->local.data());
      if (isStore)
        std::memset(defined, 1, bytes);
      else if (std::memchr(defined, 0, bytes))
        exec.report(
            "uninitialised", inst,
            fmt::format(
                "{} reads {} bytes at local address {:#x}, which it did "
                "not write",
                exec.thread(exec.block->id, exec.threadOf(lane)), bytes,
                address));
    }
    for (unsigned e = 0; e < detail.count; ++e) {
      uint8_t *to =
          exec.registers + detail.slots[e] + lane * detail.registerBytes;
      if (isStore)
        std::memcpy(data + e * detail.bytes, to, detail.bytes);
      else
        widen(to, data + e * detail.bytes, detail);
    }
  }
}

/// The lanes whose address is private to their thread.
Mask privateLanes(const MemDetail &detail, Mask mask, const uint64_t *at) {
  if (detail.space == Space::Local || detail.space == Space::Param)
    return mask;
  if (detail.space != Space::Generic)
    return 0;
  Mask found = 0;
  for (Mask rest = mask; rest; rest &= rest - 1) {
    uint64_t address = at[__builtin_ctz(rest)];
    Space space = Exec::resolve(Space::Generic, address);
    if (space == Space::Local || space == Space::Param)
      found |= rest & -rest;
  }
  return found;
}

} // namespace

void fusec::ptx::load(Exec &exec, const Inst &inst, Mask mask) {
  const MemDetail &detail = *inst.memory;
  alignas(64) uint64_t at[kLanes];
  exec.addresses(detail, at);
  if (Mask alone = privateLanes(detail, mask, at)) {
    accessPrivate(exec, inst, alone, at, false);
    mask &= ~alone;
  }
  exec.onViews(
      inst, detail, mask, at, detail.bytes * detail.count,
      [&](const View &view, Mask lanes, const Pattern &pattern,
          uint64_t first) {
        if (!exec.check(inst, detail, view, pattern, first, Access::Read))
          return;
        transfer(exec, detail, view.data + first, pattern, lanes, false);
        if (detail.order == Order::Weak || detail.order == Order::Guess)
          return;
        for (unsigned g = 0; g < pattern.groups; ++g)
          for (Mask rest = pattern.groupLanes[g]; rest; rest &= rest - 1)
            exec.acquire(view, first + pattern.groupOffset[g],
                         static_cast<unsigned>(__builtin_ctz(rest)),
                         detail.order, detail.scope);
        uint64_t value = 0;
        std::memcpy(&value, view.data + first,
                    std::min<unsigned>(8, detail.bytes));
        exec.watchSpin(inst, view.base + first, value);
      });
}

void fusec::ptx::store(Exec &exec, const Inst &inst, Mask mask) {
  const MemDetail &detail = *inst.memory;
  alignas(64) uint64_t at[kLanes];
  exec.addresses(detail, at);
  if (Mask alone = privateLanes(detail, mask, at)) {
    accessPrivate(exec, inst, alone, at, true);
    mask &= ~alone;
  }
  unsigned bytes = detail.bytes * detail.count;
  exec.warp->sinceProgress = 0;
  exec.onViews(
      inst, detail, mask, at, bytes,
      [&](const View &view, Mask lanes, const Pattern &pattern,
          uint64_t first) {
        if (!exec.check(inst, detail, view, pattern, first, Access::Write))
          return;
        exec.progress();
        for (Mask rest = lanes; rest; rest &= rest - 1) {
          unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
          uint64_t offset = first + pattern.relative[lane];
          uint8_t value[32];
          for (unsigned e = 0; e < detail.count; ++e)
            std::memcpy(value + e * detail.bytes,
                        exec.registers + detail.slots[e] +
                            lane * detail.registerBytes,
                        detail.bytes);
          exec.noteWrite(inst, view, offset, bytes, lane, detail, false, value);
          view.shadow->defined.set(offset + view.shadowBase, bytes, true);
          if (detail.order != Order::Weak)
            exec.release(view, offset, lane, detail.order, detail.scope, false);
          std::memcpy(view.data + offset, value, bytes);
        }
      });
}

void fusec::ptx::loadParam(Exec &exec, const Inst &inst, Mask mask) {
  const MemDetail &detail = *inst.memory;
  const uint8_t *from = exec.params.data() + detail.offset;
  for (unsigned e = 0; e < detail.count; ++e)
    for (Mask rest = mask; rest; rest &= rest - 1)
      widen(exec.registers + detail.slots[e] +
                __builtin_ctz(rest) * detail.registerBytes,
            from + e * detail.bytes, detail);
}

// A param of a call: `address` is its slot, registerBytes what a lane of it has
// is in the mode.
void fusec::ptx::loadFrame(Exec &exec, const Inst &inst, Mask mask) {
  const MemDetail &detail = *inst.memory;
  for (unsigned e = 0; e < detail.count; ++e)
    for (Mask rest = mask; rest; rest &= rest - 1) {
      int lane = __builtin_ctz(rest);
      widen(exec.registers + detail.slots[e] + lane * detail.registerBytes,
            exec.registers + detail.address + lane * inst.mode + detail.offset +
                e * detail.bytes,
            detail);
    }
}

void fusec::ptx::storeFrame(Exec &exec, const Inst &inst, Mask mask) {
  const MemDetail &detail = *inst.memory;
  for (unsigned e = 0; e < detail.count; ++e)
    for (Mask rest = mask; rest; rest &= rest - 1) {
      int lane = __builtin_ctz(rest);
      std::memcpy(exec.registers + detail.address + lane * inst.mode +
                      detail.offset + e * detail.bytes,
                  exec.registers + detail.slots[e] +
                      lane * detail.registerBytes,
                  detail.bytes);
    }
}

void fusec::ptx::toGeneric(Exec &exec, const Inst &inst, Mask mask) {
  // mode: the window in bits 0-1, to or from in bit 2, 64 bits in bit 3.
  static const uint64_t windows[] = {0, kSharedWindow, kLocalWindow,
                                     kParamWindow};
  uint64_t window = windows[inst.mode & 3];
  if (inst.mode & 4)
    window = -window;
  if (inst.mode & 8) {
    const uint64_t *from = exec.lanes<uint64_t>(inst.alu.src[0]);
    uint64_t *to = exec.lanes<uint64_t>(inst.alu.dst);
    for (int i = 0; i < kLanes; ++i)
      to[i] = mask >> i & 1 ? from[i] + window : to[i];
    return;
  }
  const uint32_t *from = exec.lanes<uint32_t>(inst.alu.src[0]);
  uint32_t *to = exec.lanes<uint32_t>(inst.alu.dst);
  for (int i = 0; i < kLanes; ++i)
    to[i] = mask >> i & 1 ? from[i] : to[i];
}

void fusec::ptx::isSpace(Exec &exec, const Inst &inst, Mask mask) {
  const uint64_t *from = exec.lanes<uint64_t>(inst.alu.src[0]);
  Mask result = 0;
  for (int i = 0; i < kLanes; ++i) {
    uint64_t address = from[i];
    Space space = Exec::resolve(Space::Generic, address);
    bool is = space == static_cast<Space>(inst.mode);
    if (static_cast<Space>(inst.mode) == Space::Const &&
        space == Space::Global) {
      View view;
      is = exec.locate(Space::Global, address, 1, view) && view.isReadOnly;
    }
    result |= static_cast<Mask>(is) << i;
  }
  Mask &to = exec.predicate(inst.alu.dst);
  to = (to & ~mask) | (result & mask);
}

void fusec::ptx::nothing(Exec &, const Inst &, Mask) {}
