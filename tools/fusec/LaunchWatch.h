// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels leave in the arena of a session, seen while the model runs as it
// is: nothing of it is compiled in another way for that.
#ifndef FUSEC_TOOLS_FUSEC_LAUNCHWATCH_H
#define FUSEC_TOOLS_FUSEC_LAUNCHWATCH_H

#include "fusec/runtime.h"

#include <map>
#include <vector>

namespace fusec::tool {

/// Copies parts of the arena right behind launches.
class LaunchWatch {
public:
  LaunchWatch();
  LaunchWatch(const LaunchWatch &) = delete;

  /// Asks for `bytes` at `offset`, behind the launch of this number, as
  /// `number`.
  void want(uint32_t launch, uint64_t offset, uint64_t bytes, size_t number);
  /// What was there in the last run; null if nothing asked for it, or the
  /// launch did not happen.
  const std::vector<char> *find(size_t number) const;
  /// Forgets what was asked for, and what was there.
  void clear();

  /// For a session, whose arena is `memory`.
  const fusec_profile_hook *follow(const void *memory);

private:
  struct Part {
    uint64_t offset, bytes;
    size_t number;
  };
  void copyBehind(uint32_t launch);

  fusec_profile_hook hook;
  const char *arena = nullptr;
  std::multimap<uint32_t, Part> wanted;
  std::map<size_t, std::vector<char>> copies;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_LAUNCHWATCH_H
