// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/ptx-sim/Memory.h"

#include <algorithm>
#include <fmt/format.h>

using namespace fusec::ptx;

namespace {
constexpr uint64_t kGap = 512; ///< that belongs to nobody
} // namespace

Allocation &Memory::allocate(uint64_t bytes, const std::string &name,
                             uint64_t align) {
  auto made = std::make_unique<Allocation>();
  next = (next + align - 1) & ~(align - 1);
  made->base = next;
  made->size = bytes;
  made->name = name;
  made->data.assign(bytes, 0xff);
  made->shadow.resize(bytes, false);
  next += bytes + kGap;
  allocations.push_back(std::move(made));
  return *allocations.back();
}

Allocation *Memory::nearest(uint64_t address) const {
  auto after = std::upper_bound(
      allocations.begin(), allocations.end(), address,
      [](uint64_t address, const std::unique_ptr<Allocation> &allocation) {
        return address < allocation->base;
      });
  return after == allocations.begin() ? nullptr : std::prev(after)->get();
}

Allocation *Memory::find(uint64_t address, uint64_t bytes) {
  auto holds = [&](const Allocation *allocation) {
    uint64_t offset = address - allocation->base;
    return offset < allocation->size && bytes <= allocation->size - offset &&
           !allocation->isFreed;
  };
  if (last && holds(last))
    return last;
  Allocation *found = nearest(address);
  if (!found || !holds(found))
    return nullptr;
  last = found;
  return found;
}

void Memory::free(uint64_t address) {
  Allocation *found = nearest(address);
  if (!found || found->base != address || found->isFreed)
    throw Error(
        Error::BadInput,
        fmt::format("there is no allocation at {:#x} to free", address));
  found->isFreed = true;
  found->data = {};
  found->shadow.resize(0, false);
}

std::string Memory::describe(uint64_t address) const {
  const Allocation *found = nearest(address);
  const Allocation *following = nullptr;
  for (const auto &allocation : allocations)
    if (allocation->base > address) {
      following = allocation.get();
      break;
    }
  if (following && following->base - address <= kGap &&
      (!found ||
       following->base - address < address - found->base - found->size))
    return fmt::format("{:#x}, {} bytes before {}", address,
                       following->base - address, following->name);
  if (!found || address - found->base >= found->size + (1 << 24))
    return fmt::format("{:#x}, where nothing is allocated", address);
  if (found->isFreed)
    return fmt::format("{:#x}, in {}, which was freed", address, found->name);
  if (address - found->base < found->size)
    return fmt::format("{:#x}, at byte {} of the {} bytes of {}", address,
                       address - found->base, found->size, found->name);
  return fmt::format("{:#x}, {} bytes past the end of the {} bytes of {}",
                     address, address - found->base - found->size, found->size,
                     found->name);
}
