// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels leave in the arena of a session, seen while the model runs as it
// is: nothing of it is compiled in another way for that.
#ifndef FUSEC_TOOLS_FUSEC_LAUNCHWATCH_H
#define FUSEC_TOOLS_FUSEC_LAUNCHWATCH_H

#include "fusec/device.h"
#include "fusec/runtime.h"

#include "llvm/Support/Error.h"

#include <map>
#include <memory>
#include <vector>

namespace fusec::tool {

/// The arena of a session whose launches are watched: memory of a device, or of
/// the host.
class WatchedArena {
public:
  /// At least `bytes`; `device` is null for kernels that run on CPUs, or else
  /// outlives the arena. Errors: the device's text.
  static llvm::Expected<std::unique_ptr<WatchedArena>>
  make(uint64_t bytes, const fusec_device *device);
  ~WatchedArena();
  WatchedArena(const WatchedArena &) = delete;

  /// Has a session use it, and its stream.
  void describe(fusec_session_options &options) const;
  /// Copies `bytes` from `offset` on, behind all that the session has the
  /// device do so far; false if the device failed.
  bool read(uint64_t offset, uint64_t bytes, char *to) const;

private:
  WatchedArena() = default;

  const fusec_device *device = nullptr;
  void *stream = nullptr;
  void *memory = nullptr;
  uint64_t bytes = 0;
};

/// Copies parts of the arena right behind launches.
class LaunchWatch {
public:
  LaunchWatch();
  LaunchWatch(const LaunchWatch &) = delete;

  /// Asks for `bytes` at `offset`, behind the launch of this number, as
  /// `number`.
  void want(uint32_t launch, uint64_t offset, uint64_t bytes, size_t number);
  /// What was there when the launch first happened; null if nothing asked for
  /// it, or it did not happen.
  const std::vector<char> *find(size_t number) const;
  /// Forgets what was asked for, and what was there.
  void clear();

  /// For a session, whose arena is `memory`, which is there as long as it runs.
  const fusec_profile_hook *follow(const WatchedArena &memory);

private:
  struct Part {
    uint64_t offset, bytes;
    size_t number;
  };
  void copyBehind(uint32_t launch);

  fusec_profile_hook hook;
  const WatchedArena *arena = nullptr;
  std::multimap<uint32_t, Part> wanted;
  std::map<size_t, std::vector<char>> copies;
};

} // namespace fusec::tool

#endif // FUSEC_TOOLS_FUSEC_LAUNCHWATCH_H
