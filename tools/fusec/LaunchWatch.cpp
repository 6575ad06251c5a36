// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/fusec/LaunchWatch.h"

namespace fusec::tool {

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

const fusec_profile_hook *LaunchWatch::follow(const void *memory) {
  arena = static_cast<const char *>(memory);
  return &hook;
}

void LaunchWatch::copyBehind(uint32_t launch) {
  auto [begin, end] = wanted.equal_range(launch);
  for (auto part = begin; part != end; ++part) {
    const char *from = arena + part->second.offset;
    copies[part->second.number].assign(from, from + part->second.bytes);
  }
}

} // namespace fusec::tool
