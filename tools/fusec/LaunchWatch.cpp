// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/LaunchWatch.h"

#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <cstring>

namespace fusec::tool {

llvm::Expected<std::unique_ptr<WatchedArena>>
WatchedArena::make(uint64_t bytes, const fusec_device *device) {
  std::unique_ptr<WatchedArena> arena(new WatchedArena);
  arena->device = device;
  arena->bytes =
      llvm::alignTo(std::max<uint64_t>(bytes, 1), uint64_t(FUSEC_ALIGNMENT));
  if (!device) {
    arena->memory = std::aligned_alloc(FUSEC_ALIGNMENT, arena->bytes);
    if (!arena->memory)
      return llvm::createStringError("there is no memory for a session");
  } else if (device->create_stream(device->self, &arena->stream) ||
             device->allocate(device->self, arena->bytes, &arena->memory)) {
    return llvm::createStringError(
        std::string(device->name) +
        " has no memory for a session: " + device->last_error(device->self));
  }
  return arena;
}

WatchedArena::~WatchedArena() {
  if (!device) {
    std::free(memory);
    return;
  }
  if (memory)
    device->release(device->self, memory);
  if (stream)
    device->destroy_stream(device->self, stream);
}

void WatchedArena::describe(fusec_session_options &options) const {
  options.arena = memory;
  options.arena_bytes = bytes;
  options.stream = stream;
}

bool WatchedArena::read(uint64_t offset, uint64_t bytes, char *to) const {
  const char *from = static_cast<const char *>(memory) + offset;
  if (!device) {
    std::memcpy(to, from, bytes);
    return true;
  }
  return !device->copy(device->self, stream, to, from, bytes,
                       FUSEC_COPY_TO_HOST) &&
         !device->synchronize(device->self, stream);
}

LaunchWatch::LaunchWatch() {
  hook = {[](void *, uint32_t) {},
          [](void *self, uint32_t launch) {
            static_cast<LaunchWatch *>(self)->copyBehind(launch);
          },
          this, nullptr};
}

void LaunchWatch::want(uint32_t launch, uint64_t offset, uint64_t bytes,
                       size_t number) {
  wanted.insert({launch, {offset, bytes, number}});
}

const std::vector<char> *LaunchWatch::find(size_t number) const {
  auto found = copies.find(number);
  return found == copies.end() ? nullptr : &found->second;
}

void LaunchWatch::clear() {
  wanted.clear();
  copies.clear();
}

const fusec_profile_hook *LaunchWatch::follow(const WatchedArena &memory) {
  arena = &memory;
  return &hook;
}

void LaunchWatch::copyBehind(uint32_t launch) {
  auto [begin, end] = wanted.equal_range(launch);
  for (auto part = begin; part != end; ++part) {
    const Part &asked = part->second;
    auto [copy, isFirst] =
        copies.try_emplace(asked.number, std::vector<char>(asked.bytes));
    if (isFirst && !arena->read(asked.offset, asked.bytes, copy->second.data()))
      copies.erase(copy);
  }
}

} // namespace fusec::tool
