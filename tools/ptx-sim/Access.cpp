// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a warp accesses memory, and whether it may.
#include "tools/ptx-sim/Exec.h"

#include <fmt/format.h>

using namespace fusec::ptx;

void Exec::addresses(const MemDetail &detail, uint64_t *at) const {
  if (detail.address == kNoSlot) {
    for (int i = 0; i < kLanes; ++i)
      at[i] = static_cast<uint64_t>(detail.offset);
  } else if (detail.narrowAddress) {
    const uint32_t *from = lanes<uint32_t>(detail.address);
    for (int i = 0; i < kLanes; ++i)
      at[i] =
          static_cast<uint32_t>(from[i] + static_cast<uint32_t>(detail.offset));
  } else {
    const uint64_t *from = lanes<uint64_t>(detail.address);
    for (int i = 0; i < kLanes; ++i)
      at[i] = from[i] + static_cast<uint64_t>(detail.offset);
  }
}

Space Exec::resolve(Space space, uint64_t &address) {
  if (space != Space::Generic)
    return space;
  if (address - kSharedWindow < kWindowSize) {
    address -= kSharedWindow;
    return Space::Shared;
  }
  if (address - kLocalWindow < kWindowSize) {
    address -= kLocalWindow;
    return Space::Local;
  }
  if (address - kParamWindow < kWindowSize) {
    address -= kParamWindow;
    return Space::Param;
  }
  return Space::Global;
}

bool Exec::locate(Space space, uint64_t address, uint64_t bytes, View &view) {
  if (space == Space::Shared) {
    for (auto [offset, size] : sharedVariables) {
      if (address - offset >= size || size - (address - offset) < bytes)
        continue;
      view = {block->shared.data() + offset,
              &block->shadow,
              offset,
              size,
              offset,
              true,
              false,
              nullptr};
      return true;
    }
    return false;
  }
  if (space != Space::Global && space != Space::Const)
    return false;
  Allocation *found = device.memory.find(address, bytes);
  if (!found)
    return false;
  view = {
      found->data.data(), &found->shadow, found->base, found->size, 0, false,
      found->isReadOnly,  &found->name};
  return true;
}

uint8_t *Exec::local(unsigned lane, uint64_t address, unsigned bytes) {
  if (address + bytes > warp->localBytes)
    return nullptr;
  return warp->local.data() + lane * uint64_t(warp->localBytes) + address;
}

void Exec::count(const MemDetail &detail, const View &view,
                 const Pattern &pattern, Access access) {
  uint64_t bytes = uint64_t(__builtin_popcount(pattern.mask)) * pattern.bytes;
  if (view.isShared) {
    ++counts.sharedRequests;
    counts.bankConflicts += pattern.extraPasses;
    if (access != Access::Write)
      counts.sharedLoadBytes += bytes;
    if (access != Access::Read)
      counts.sharedStoreBytes += bytes;
    return;
  }
  if (detail.space == Space::Const)
    return;
  ++counts.globalRequests;
  counts.globalSectors += pattern.sectors;
  if (access != Access::Write)
    counts.globalLoadBytes += bytes;
  if (access != Access::Read)
    counts.globalStoreBytes += bytes;
  if (pattern.bytes == 16)
    counts.globalVectorBytes += bytes;
}

void Exec::checkDefined(const Inst &inst, const View &view,
                        const Pattern &pattern, uint64_t first) {
  const DefinedBytes &defined = view.shadow->defined;
  uint64_t at = first + view.shadowBase;
  uint64_t span =
      static_cast<uint64_t>(pattern.highest - pattern.lowest) + pattern.bytes;
  if (span <= 4096 && defined.allOf(at + pattern.lowest, span))
    return;
  for (unsigned g = 0; g < pattern.groups; ++g) {
    uint64_t offset = at + pattern.groupOffset[g];
    if (defined.allOf(offset, pattern.bytes))
      continue;
    unsigned lane = static_cast<unsigned>(__builtin_ctz(pattern.groupLanes[g]));
    uint64_t relative = offset - view.shadowBase;
    for (const auto &other : block->warps)
      for (const PendingCopy &copy : other->copies)
        if (view.isShared && copy.to < offset + pattern.bytes &&
            offset < copy.to + copy.bytes) {
          report("async-copy", inst,
                 fmt::format(
                     "{} reads {} bytes at {} before the copy by {} at {} has "
                     "landed: wait for its group (cp.async.wait_group) first, "
                     "then at a barrier",
                     thread(block->id, threadOf(lane)), pattern.bytes,
                     place(view, relative),
                     thread(block->id, other->index * 32 + copy.lane),
                     where(*copy.inst)));
          return;
        }
    report("uninitialised", inst,
           fmt::format("{} reads {} bytes at {}, which nobody wrote",
                       thread(block->id, threadOf(lane)), pattern.bytes,
                       place(view, relative)));
    return;
  }
}

bool Exec::check(const Inst &inst, const MemDetail &detail, const View &view,
                 const Pattern &pattern, uint64_t first, Access access) {
  count(detail, view, pattern, access);
  uint64_t bits = pattern.allBits | (view.base + first);
  if (bits & (pattern.bytes - 1)) {
    for (unsigned i = 0; i < kLanes; ++i) {
      uint64_t offset = first + pattern.relative[i];
      if (!(pattern.mask >> i & 1) ||
          !((view.base + offset) & (pattern.bytes - 1)))
        continue;
      report("misaligned", inst,
             fmt::format(
                 "{} accesses {} bytes at {}, address {:#x}: the address must "
                 "be a multiple of {}",
                 thread(block->id, threadOf(i)), pattern.bytes,
                 place(view, offset), view.base + offset, pattern.bytes));
      return false;
    }
  }
  if (view.isReadOnly && access != Access::Read) {
    report("out-of-bounds", inst,
           fmt::format("{} writes to {}, which is constant",
                       thread(block->id, threadOf(pattern.first)),
                       place(view, first)));
    return false;
  }
  if (view.isShared)
    for (auto [offset, size] : program.padding)
      for (unsigned i = 0; i < kLanes; ++i) {
        uint64_t at = view.shadowBase + first + pattern.relative[i];
        uint64_t allowed = access == Access::Read ? 1 : pattern.bytes;
        if (!(pattern.mask >> i & 1) || at >= offset + size ||
            at + allowed <= offset)
          continue;
        report("out-of-bounds", inst,
               fmt::format("{} {} {} bytes at {}, behind the end of an array",
                           thread(block->id, threadOf(i)),
                           access == Access::Read ? "reads" : "writes",
                           pattern.bytes,
                           place(view, first + pattern.relative[i])));
        return false;
      }
  if (access != Access::Write)
    checkDefined(inst, view, pattern, first);
  if (access == Access::Read && !view.isReadOnly)
    for (unsigned g = 0; g < pattern.groups; ++g)
      noteRead(inst, view, first + pattern.groupOffset[g], pattern.bytes,
               detail.isCollective ? warp->lanes : pattern.groupLanes[g],
               detail);
  return true;
}
